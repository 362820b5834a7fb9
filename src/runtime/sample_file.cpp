#include "runtime/sample_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/json_fields.h"
#include "params/ckks_parameters.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

/// What a role is called in a file, and to people.
struct RoleText {
  const char *name, *holds, *wanted;
};
/// By role.
constexpr RoleText kRoles[] = {
    {"inputs", "encrypted inputs that no server has evaluated yet",
     "encrypted inputs are needed: give what encrypt made"},
    {"results", "results, which have been evaluated already", "results are needed: give what evaluate made of it"},
    {"vectors", "ciphertexts that were made without a model",
     "a ciphertext without a model is needed: give what Ciphertext::save wrote"},
    {"tiles", "a tile tensor", "a tile tensor is needed: give what tile::save wrote"},
    {"some inputs", "some of the encrypted inputs of a model, which combine puts together with those of other owners",
     "a part of a question is needed: give what encrypt --only wrote"}};

const RoleText& text_of(CiphertextRole role) { return kRoles[static_cast<std::size_t>(role)]; }

CiphertextRole role_from(const std::string& name) {
  const auto* const found = std::ranges::find(kRoles, name, &RoleText::name);
  if (found == std::end(kRoles))
    throw base::InputError("the role of its ciphertexts is unknown; the file was not written by Tacit");
  return static_cast<CiphertextRole>(found - kRoles);
}

std::string section_name(std::size_t sample) { return "sample " + std::to_string(sample); }

constexpr std::string_view kQuestionsSection = "questions";

/// What a file states of its samples, or one input each.
BatchedInputs read_batched(const nlohmann::json& about, std::size_t samples) {
  if (!about.contains("batch")) return {samples, 1};
  // Sums of two such counts fit std::size_t, which has 32 bits on some machines.
  constexpr std::uint64_t kMost =
      std::min(std::uint64_t{1} << 32, std::uint64_t{std::numeric_limits<std::size_t>::max() / 2});
  const auto inputs = about.at("inputs").get<std::uint64_t>(), batch = about.at("batch").get<std::uint64_t>();
  const bool fit = batch >= 1 && batch <= kMost && inputs <= kMost;
  const auto batched =
      fit ? BatchedInputs{static_cast<std::size_t>(inputs), static_cast<std::size_t>(batch)} : BatchedInputs{0, 1};
  if (!fit || batched.samples() != samples)
    base::refuse("it states {} inputs, {} a sample, and has {} samples; the file was not written by Tacit", inputs,
                 batch, samples);
  return batched;
}

/// One digest a result, as bytes.
std::vector<base::Digest> read_questions(const ArtefactReader& reader, std::size_t results) {
  const Section& section = reader.section(kQuestionsSection, SectionType::digests);
  std::vector<base::Digest> questions(results);
  if (section.bytes != results * sizeof(base::Digest))
    throw base::InputError("it names other questions than it has results; the file was not written by Tacit");
  reader.read(section, 0, std::as_writable_bytes(std::span(questions)));
  if (std::set<base::Digest>(questions.begin(), questions.end()).size() != results)
    throw base::InputError("two of its results answer the same input; ask the server for one each");
  return questions;
}

OwnersResults owners_from(const nlohmann::json& json) {
  OwnersResults owners;
  const std::int64_t parts = base::whole_number(json.at("parts"));
  if (parts < 1 || parts > params::kMostParts)
    base::refuse("it states {} parts of a key, outside 1 to {}; the file was not written by Tacit", parts,
                 params::kMostParts);
  owners.parts = static_cast<int>(parts);
  owners.promise = {.statistical_bits = json.at("statistical_bits").get<double>(),
                    .decryptions = json.at("decryptions").get<double>()};
  params::check(owners.promise);
  from_hexadecimal(json.at("asked_under").get<std::string>(), owners.asked_under);
  return owners;
}

nlohmann::json about_of(const SampleFileHead& head) {
  nlohmann::json json = to_json(head.binding);
  json["role"] = text_of(head.role).name;
  json["names"] = head.names;
  if (head.batched) {
    json["inputs"] = head.batched->inputs;
    json["batch"] = head.batched->batch;
  }
  if (head.owners)
    json["owners"] = {{"parts", head.owners->parts},
                      {"statistical_bits", head.owners->promise.statistical_bits},
                      {"decryptions", head.owners->promise.decryptions},
                      {"asked_under", base::hexadecimal(head.owners->asked_under)}};
  return json;
}

}  // namespace

void require_answers(const Questions& questions, const std::string& of, const Questions& answers,
                     const std::string& what) {
  constexpr const char* kWayOut = "; nothing is shown: ask the server again";
  if (answers.batched != questions.batched || answers.digests.size() != questions.digests.size())
    throw base::KeyMismatch(fmt::format("{} holds {} results for the {} inputs of {}{}", what, answers.batched.inputs,
                                        questions.batched.inputs, of, kWayOut));
  for (std::size_t i = 0; i < answers.digests.size(); ++i) {
    if (answers.digests[i] == questions.digests[i]) continue;
    const auto asked = std::ranges::find(questions.digests, answers.digests[i]);
    throw base::KeyMismatch(fmt::format("result {} of {} answers {}, not input {}{}", i, what,
                                        asked == questions.digests.end()
                                            ? "no input of " + of
                                            : fmt::format("input {} of {}", asked - questions.digests.begin(), of),
                                        i, kWayOut));
  }
}

void require_role(CiphertextRole expected, CiphertextRole found, const std::string& name) {
  if (found == expected) return;
  throw base::InputError(name + " holds " + text_of(found).holds + "; " + text_of(expected).wanted);
}

SampleWriter::SampleWriter(const Sink& sink, ArtefactScheme scheme, const SampleFileHead& head)
    : own_(std::make_unique<ArtefactWriter>(sink, ArtefactKind::ciphertexts, scheme)),
      writer_(*own_),
      role_(head.role),
      names_(head.names.size()) {
  begin(head);
}

SampleWriter::SampleWriter(ArtefactWriter& artefact, const SampleFileHead& head)
    : writer_(artefact), role_(head.role), names_(head.names.size()) {
  begin(head);
}

void SampleWriter::begin(const SampleFileHead& head) {
  writer_.add_section(kAboutSection, SectionType::text, about_text(ArtefactKind::ciphertexts, about_of(head)));
}

void SampleWriter::add(const Pieces& pieces, const std::optional<base::Digest>& question) {
  if (question.has_value() != (role_ == CiphertextRole::results))
    throw base::InternalError(question ? "a question of what is no result"
                                       : "a result without the question it answers");
  writer_.begin_section(section_name(samples_++), SectionType::ciphertext);
  pieces([&](std::span<const std::byte> piece) { writer_.write(piece); });
  if (question) questions_.push_back(*question);
}

void SampleWriter::end() {
  if (role_ == CiphertextRole::results)
    writer_.add_section(kQuestionsSection, SectionType::digests, std::as_bytes(std::span(questions_)));
}

base::Digest SampleWriter::finish() {
  end();
  return writer_.finish();
}

base::Digest digest_of(const SampleWriter::Pieces& pieces) {
  base::Sha256 hash;
  pieces([&](std::span<const std::byte> piece) { hash.update(piece); });
  return hash.finish();
}

SampleReader::SampleReader(const Source& source, ArtefactScheme scheme, CiphertextRole expected,
                           const params::ParameterHash& parameters, const std::string& parameters_name)
    : reader_(source, ArtefactKind::ciphertexts, scheme) {
  parsing(name(), [&] {
    const base::HeldJson held = about(reader_);
    const nlohmann::json& json = *held;
    head_.binding = binding_from_json(json);
    head_.names = json.at("names").get<std::vector<std::string>>();
    head_.role = role_from(json.at("role").get<std::string>());
    require_role(expected, head_.role, name());
    for (const Section& section : reader_.sections()) {
      if (section.type != SectionType::ciphertext) continue;
      if (section.name != section_name(samples_.size()))
        throw base::InputError("'" + section.name + "' is out of order; the file was not written by Tacit");
      samples_.push_back(section);
    }
    head_.batched = read_batched(json, samples_.size());
    if (json.contains("owners")) head_.owners = owners_from(json.at("owners"));
  });
  if (expected == CiphertextRole::results)
    parsing(name(), [&] { questions_ = read_questions(reader_, samples_.size()); });
  if (head_.binding.parameters != parameters) {
    Binding wanted = head_.binding;
    wanted.parameters = parameters;
    require_same_model(wanted, "the parameter set " + parameters_name, head_.binding, name(),
                       expected == CiphertextRole::results ? kNameResults : kEncryptInputs);
  }
}

void SampleReader::read(std::size_t sample, const std::function<void(base::ByteReader&)>& body) const {
  if (sample >= samples_.size())
    throw base::InputError(name() + ": it has " + std::to_string(samples_.size()) + " samples and sample " +
                           std::to_string(sample) + " was asked for");
  parsing(name(), [&] {
    const std::vector<std::byte> whole = reader_.read(samples_[sample]);
    base::ByteReader bytes(whole, section_name(sample));
    body(bytes);
    bytes.expect_end();
  });
}

std::vector<base::Digest> SampleReader::digests() const {
  std::vector<base::Digest> digests;
  for (const Section& section : samples_) digests.push_back(base::sha256(reader_.read(section)));
  return digests;
}

}  // namespace tacit::runtime
