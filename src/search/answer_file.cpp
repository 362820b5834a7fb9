#include "search/answer_file.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "runtime/description.h"
#include "scheme/ckks/check.h"
#include "search/expansion.h"
#include "search/rounded_answer.h"

namespace tacit::search {
namespace {

using runtime::ArtefactKind;
using runtime::SectionType;

constexpr std::string_view kAnsweredSection = "questions", kMissingSection = "deleted";
constexpr unsigned kMostAnswerBits = 32;

std::string answer_section(std::size_t i) { return "answer " + std::to_string(i); }

unsigned bits_from(const nlohmann::json& json, const char* name) {
  const auto bits = json.at(name).get<std::uint64_t>();
  if (bits < 1 || bits > kMostAnswerBits)
    base::refuse("\"{}\" is {}, outside 1 to {}; the file was not written by Tacit", name, bits, kMostAnswerBits);
  return static_cast<unsigned>(bits);
}

template <class Item>
std::vector<Item> items_of(const runtime::ArtefactReader& reader, std::string_view name, SectionType type) {
  const runtime::Section& section = reader.section(name, type);
  if (section.bytes % sizeof(Item) != 0) base::refuse("its section '{}' is cut off", name);
  std::vector<Item> items(section.bytes / sizeof(Item));  // bounded by the size of the file
  reader.read(section, 0, std::as_writable_bytes(std::span(items)));
  return items;
}

}  // namespace

base::Digest write_answers(const runtime::Sink& sink, const AnswerHead& head,
                           std::span<const std::vector<std::uint8_t>> answers) {
  nlohmann::json json = runtime::to_json(head.binding);
  json["asks"] = asks_name(head.asks);
  json["bits_c0"] = head.bits.c0;
  json["bits_c1"] = head.bits.c1;
  json["shape"] = to_json(head.shape);
  json["root"] = base::hexadecimal(head.store);
  runtime::ArtefactWriter writer(sink, ArtefactKind::search_answer);
  writer.add_section(runtime::kAboutSection, SectionType::text, runtime::about_text(ArtefactKind::search_answer, json));
  writer.add_section(kAnsweredSection, SectionType::digests, std::as_bytes(std::span(head.questions)));
  writer.add_section(kMissingSection, SectionType::numbers, std::as_bytes(std::span(head.deleted)));
  for (std::size_t i = 0; i < answers.size(); ++i)
    writer.add_section(answer_section(i), SectionType::ciphertext, std::as_bytes(std::span(answers[i])));
  return writer.finish();
}

AnswerReader::AnswerReader(const runtime::Source& source) : reader_(source, ArtefactKind::search_answer) {
  runtime::parsing(source.name(), [&] {
    const base::HeldJson about = runtime::about(reader_);
    const nlohmann::json& json = *about;
    head_.binding = runtime::binding_from_json(json);
    scheme::ckks::check_parameters(*search_context(), head_.binding.parameters, "load", "answer");
    head_.asks = asks_from(json.at("asks").get<std::string>());
    head_.bits = {bits_from(json, "bits_c0"), bits_from(json, "bits_c1")};
    head_.shape = shape_from_json(json.at("shape"));
    runtime::from_hexadecimal(json.at("root").get<std::string>(), head_.store);
    if (head_.shape.id != head_.binding.model) base::refuse("it names two stores; the file was not written by Tacit");
    if (head_.asks == Asks::records && !head_.shape.payload)
      base::refuse("it answers with records of a store that has none; the file was not written by Tacit");
    head_.questions = items_of<base::Digest>(reader_, kAnsweredSection, SectionType::digests);
    head_.deleted = items_of<std::uint64_t>(reader_, kMissingSection, SectionType::numbers);
    for (std::size_t i = 0; i < head_.deleted.size(); ++i)
      if (head_.deleted[i] >= head_.shape.records || (i > 0 && head_.deleted[i] <= head_.deleted[i - 1]))
        base::refuse("its list of deleted records is out of order or range");
    for (std::size_t i = 0; i < head_.questions.size(); ++i) {
      const runtime::Section& section = reader_.section(answer_section(i), SectionType::ciphertext);
      const std::uint64_t wanted = head_.tiles() * answer_tile_bytes(head_.bits);
      if (section.bytes != wanted)
        base::refuse("answer {} has {} bytes, and its store has answers of {}; the file was not written by Tacit", i,
                     section.bytes, wanted);
    }
  });
}

std::vector<std::uint8_t> AnswerReader::read(std::size_t question) const {
  const runtime::Section& section = reader_.section(answer_section(question), SectionType::ciphertext);
  std::vector<std::uint8_t> bytes(section.bytes);
  reader_.read(section, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace tacit::search
