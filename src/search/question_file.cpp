#include "search/question_file.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "runtime/description.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/serialize.h"
#include "search/expansion.h"

namespace tacit::search {
namespace {

using runtime::ArtefactKind;
using runtime::SectionType;

constexpr std::array<std::string_view, 2> kAsksNames{"scores", "records"};

std::string question_section(std::size_t i) { return "question " + std::to_string(i); }

std::uint64_t in_range(const nlohmann::json& json, const char* name, std::uint64_t most) {
  const nlohmann::json& value = json.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > most)
    base::refuse("\"{}\" is no whole number from 1 to {}; the file was not written by Tacit", name, most);
  return value.get<std::uint64_t>();
}

}  // namespace

std::string_view asks_name(Asks asks) { return kAsksNames[static_cast<std::size_t>(asks)]; }

Asks asks_from(std::string_view name) {
  for (std::size_t i = 0; i < kAsksNames.size(); ++i)
    if (name == kAsksNames[i]) return static_cast<Asks>(i);
  base::refuse("it asks for '{:.32}', and a store answers scores or records", name);
}

QuestionWriter::QuestionWriter(const runtime::Sink& sink, const QuestionHead& head)
    : writer_(sink, ArtefactKind::search_question) {
  nlohmann::json json = runtime::to_json(head.binding);
  json["asks"] = asks_name(head.asks);
  json["dimensions"] = head.dimensions;
  if (head.payload) {
    json["bytes"] = head.payload->bytes;
    json["per_group"] = head.payload->per_group;
  }
  writer_.add_section(runtime::kAboutSection, SectionType::text,
                      runtime::about_text(ArtefactKind::search_question, json));
}

base::Digest QuestionWriter::add(const scheme::ckks::Ciphertext& question) {
  if (questions_ == kMostQuestions)
    base::refuse("a file holds up to {} questions; write several files", kMostQuestions);
  const std::vector<std::uint8_t> bytes = scheme::ckks::serialize(*search_context(), question);
  writer_.add_section(question_section(questions_++), SectionType::ciphertext, std::as_bytes(std::span(bytes)));
  return base::sha256(std::as_bytes(std::span(bytes)));
}

QuestionReader::QuestionReader(const runtime::Source& source) : reader_(source, ArtefactKind::search_question) {
  runtime::parsing(source.name(), [&] {
    const base::HeldJson about = runtime::about(reader_);
    const nlohmann::json& json = *about;
    head_.binding = runtime::binding_from_json(json);
    scheme::ckks::check_parameters(*search_context(), head_.binding.parameters, "load", "question");
    head_.asks = asks_from(json.at("asks").get<std::string>());
    head_.dimensions = in_range(json, "dimensions", kMostDimensions);
    if (head_.asks == Asks::records)
      head_.payload = PayloadShape{.bytes = in_range(json, "bytes", kMostPayloadBytes),
                                   .per_group = in_range(json, "per_group", kMostRecords),
                                   .groups = head_.dimensions};
    const std::size_t questions = reader_.sections().size() - 1;
    if (questions < 1 || questions > kMostQuestions)
      base::refuse("it holds {} questions; 1 to {} are answered at once", questions, kMostQuestions);
    for (std::size_t i = 0; i < questions; ++i) {
      const runtime::Section& section = reader_.section(question_section(i), SectionType::ciphertext);
      if (section.bytes != scheme::ckks::ciphertext_bytes(*search_context(), 0, true))
        base::refuse("question {} has {} bytes, and a question has {}; the file was not written by Tacit", i,
                     section.bytes, scheme::ckks::ciphertext_bytes(*search_context(), 0, true));
      sections_.push_back(&section);
    }
  });
}

scheme::ckks::Ciphertext QuestionReader::read(std::size_t question, base::Digest& digest) const {
  const std::vector<std::byte> bytes = reader_.read(*sections_.at(question));
  digest = base::sha256(bytes);
  scheme::ckks::Ciphertext result;
  runtime::parsing(reader_.name(), [&] {
    result = scheme::ckks::deserialize_ciphertext(*search_context(),
                                                  {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  });
  return result;
}

}  // namespace tacit::search
