#include "runtime/slots/ciphertext_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/byte_stream.h"
#include "base/error.h"
#include "runtime/artefact.h"
#include "runtime/description.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

// A sample is a section: per array the number of ciphertexts, per ciphertext its size and its bytes.
using Count = std::uint64_t;

std::string_view role_name(CiphertextRole role) {
  switch (role) {
    case CiphertextRole::inputs: return "inputs";
    case CiphertextRole::results: return "results";
    case CiphertextRole::vectors: return "vectors";
    case CiphertextRole::tiles: return "tiles";
  }
  return "";
}

CiphertextRole role_from(const std::string& name) {
  for (const CiphertextRole role :
       {CiphertextRole::inputs, CiphertextRole::results, CiphertextRole::vectors, CiphertextRole::tiles})
    if (role_name(role) == name) return role;
  throw base::InputError("the role of its ciphertexts is unknown; the file was not written by Tacit");
}

std::string section_name(std::size_t sample) { return "sample " + std::to_string(sample); }

constexpr std::string_view kQuestionsSection = "questions";

/// Hands the bytes of a sample to `out`, piece by piece.
template <class Out>
void write_sample(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample, const Out& out) {
  const auto count = [&](Count value) { out(std::as_bytes(std::span(&value, 1))); };
  for (const CiphertextArray& array : sample) {
    count(array.size());
    for (const scheme::ckks::Ciphertext& ciphertext : array) {
      const std::vector<std::uint8_t> bytes = scheme::ckks::serialize(context, ciphertext);
      count(bytes.size());
      out(std::as_bytes(std::span(bytes)));
    }
  }
}

/// What a file states of its samples, or one input each.
BatchedInputs read_batched(const nlohmann::json& about, std::size_t samples) {
  if (!about.contains("batch")) return {samples, 1};
  constexpr std::size_t kMost = std::size_t{1} << 32;
  const BatchedInputs batched{about.at("inputs").get<std::size_t>(), about.at("batch").get<std::size_t>()};
  if (batched.batch < 1 || batched.batch > kMost || batched.inputs > kMost || batched.samples() != samples)
    throw base::InputError(
        fmt::format("it states {} inputs, {} a sample, and has {} samples; the file was not written by Tacit",
                    batched.inputs, batched.batch, samples));
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

}  // namespace

base::Digest digest_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample) {
  base::Sha256 hash;
  write_sample(context, sample, [&](std::span<const std::byte> piece) { hash.update(piece); });
  return hash.finish();
}

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
  const auto holds = [found]() -> std::string {
    switch (found) {
      case CiphertextRole::inputs: return "encrypted inputs that no server has evaluated yet";
      case CiphertextRole::results: return "results, which have been evaluated already";
      case CiphertextRole::vectors: return "ciphertexts that were made without a model";
      case CiphertextRole::tiles: return "a tile tensor";
    }
    return "";
  };
  const auto wanted = [expected]() -> std::string {
    switch (expected) {
      case CiphertextRole::inputs: return "encrypted inputs are needed: give what encrypt made";
      case CiphertextRole::results: return "results are needed: give what evaluate made of it";
      case CiphertextRole::vectors: return "a ciphertext without a model is needed: give what Ciphertext::save wrote";
      case CiphertextRole::tiles: return "a tile tensor is needed: give what tile::save wrote";
    }
    return "";
  };
  throw base::InputError(name + " holds " + holds() + "; " + wanted());
}

struct CiphertextWriter::Impl {
  ArtefactWriter writer;
  scheme::ckks::ContextPtr context;
  CiphertextRole role;
  std::size_t names;
  std::size_t samples = 0;
  std::vector<base::Digest> questions;

  void add(std::span<const CiphertextArray> sample) {
    if (sample.size() != names)
      throw base::InternalError("a sample of " + std::to_string(sample.size()) + " arrays where " +
                                std::to_string(names) + " are named");
    writer.begin_section(section_name(samples++), SectionType::ciphertext);
    write_sample(*context, sample, [&](std::span<const std::byte> piece) { writer.write(piece); });
  }
};

CiphertextWriter::CiphertextWriter(const std::filesystem::path& path, scheme::ckks::ContextPtr context,
                                   CiphertextRole role, const Binding& binding, std::vector<std::string> names,
                                   const std::optional<BatchedInputs>& batched)
    : impl_(new Impl{ArtefactWriter(path, ArtefactKind::ciphertexts), std::move(context), role, names.size(), 0, {}}) {
  nlohmann::json json = to_json(binding);
  json["role"] = role_name(role);
  json["names"] = std::move(names);
  if (batched) {
    json["inputs"] = batched->inputs;
    json["batch"] = batched->batch;
  }
  impl_->writer.add_section(kAboutSection, SectionType::text, json.dump());
}

CiphertextWriter::~CiphertextWriter() = default;

void CiphertextWriter::add(std::span<const CiphertextArray> sample) {
  if (impl_->role == CiphertextRole::results) throw base::InternalError("a result without the question it answers");
  impl_->add(sample);
}

void CiphertextWriter::add(std::span<const CiphertextArray> sample, const base::Digest& question) {
  if (impl_->role != CiphertextRole::results) throw base::InternalError("a question of what is no result");
  impl_->add(sample);
  impl_->questions.push_back(question);
}

base::Digest CiphertextWriter::finish() {
  if (impl_->role == CiphertextRole::results)
    impl_->writer.add_section(kQuestionsSection, SectionType::digests, std::as_bytes(std::span(impl_->questions)));
  return impl_->writer.finish();
}

struct CiphertextReader::Impl {
  ArtefactReader reader;
  scheme::ckks::ContextPtr context;
  Binding binding;
  std::vector<std::string> names;
  std::vector<Section> samples;
  std::vector<base::Digest> questions;
  BatchedInputs batched;
};

CiphertextReader::CiphertextReader(const std::filesystem::path& path, scheme::ckks::ContextPtr context,
                                   CiphertextRole expected)
    : impl_(new Impl{ArtefactReader(path, ArtefactKind::ciphertexts), std::move(context), {}, {}, {}, {}, {}}) {
  parsing(path, [&] {
    const nlohmann::json json = about(impl_->reader);
    impl_->binding = binding_from_json(json);
    impl_->names = json.at("names").get<std::vector<std::string>>();
    require_role(expected, role_from(json.at("role").get<std::string>()), path.string());
  });
  for (const Section& section : impl_->reader.sections()) {
    if (section.type != SectionType::ciphertext) continue;
    if (section.name != section_name(impl_->samples.size()))
      throw base::InputError(path.string() + ": '" + section.name +
                             "' is out of order; the file was not written by Tacit");
    impl_->samples.push_back(section);
  }
  parsing(path, [&] { impl_->batched = read_batched(about(impl_->reader), impl_->samples.size()); });
  if (expected == CiphertextRole::results)
    parsing(path, [&] { impl_->questions = read_questions(impl_->reader, impl_->samples.size()); });
  if (impl_->binding.parameters != impl_->context->parameters().hash()) {
    Binding wanted = impl_->binding;
    wanted.parameters = impl_->context->parameters().hash();
    require_same_model(wanted, "the parameter set " + impl_->context->parameters().literal().name, impl_->binding,
                       path.string());
  }
}

CiphertextReader::~CiphertextReader() = default;
const Binding& CiphertextReader::binding() const { return impl_->binding; }
const std::vector<std::string>& CiphertextReader::names() const { return impl_->names; }
const base::Digest& CiphertextReader::root() const { return impl_->reader.root(); }
std::size_t CiphertextReader::samples() const { return impl_->samples.size(); }
const BatchedInputs& CiphertextReader::batched() const { return impl_->batched; }
const std::vector<base::Digest>& CiphertextReader::questions() const { return impl_->questions; }

std::vector<base::Digest> CiphertextReader::digests() const {
  std::vector<base::Digest> digests;
  for (const Section& section : impl_->samples) digests.push_back(base::sha256(impl_->reader.read(section)));
  return digests;
}

std::vector<CiphertextArray> CiphertextReader::read(std::size_t sample) const {
  if (sample >= impl_->samples.size())
    throw base::InputError(impl_->reader.path().string() + ": it has " + std::to_string(impl_->samples.size()) +
                           " samples and sample " + std::to_string(sample) + " was asked for");
  std::vector<CiphertextArray> arrays(impl_->names.size());
  parsing(impl_->reader.path(), [&] {
    const std::vector<std::byte> whole = impl_->reader.read(impl_->samples[sample]);
    base::ByteReader bytes(whole, section_name(sample));
    for (CiphertextArray& array : arrays)
      for (Count left = bytes.u64(); left > 0; --left) {
        const Count size = bytes.u64();
        array.push_back(scheme::ckks::deserialize_ciphertext(*impl_->context, bytes.take(size)));
      }
    bytes.expect_end();
  });
  return arrays;
}

}  // namespace tacit::runtime
