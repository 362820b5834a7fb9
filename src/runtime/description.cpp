#include "runtime/description.h"

#include "base/error.h"
#include "base/json_text.h"

namespace tacit::runtime {

void parsing(const std::string& source, const std::function<void()>& body) {
  try {
    body();
  } catch (const base::InputError& error) {
    const std::string what = error.what();
    if (what.starts_with(source)) throw;
    throw base::InputError(source + ": " + what);
  } catch (const nlohmann::json::exception& error) {
    throw base::InputError(source + ": its description is malformed (" + error.what() +
                           "); the file was not written by Tacit");
  }
}

base::JsonBounds about_bounds(ArtefactKind kind) {
  switch (kind) {
    case ArtefactKind::server_model:
    case ArtefactKind::client_model: return {};
    // The values that a run has made so far, by their numbers.
    case ArtefactKind::checkpoint: return {.bytes = 1 << 20, .values = 1 << 16, .depth = 4};
    // The files of a store: one more for each append that fills a tile.
    case ArtefactKind::search_store: return {.bytes = 4 << 20, .values = 1 << 17, .depth = 5};
    default: return {.bytes = 64 << 10, .values = 4096, .depth = 4};
  }
}

base::HeldJson about(const ArtefactReader& reader) {
  const Section& section = reader.section(kAboutSection, SectionType::text);
  const base::JsonBounds bounds = about_bounds(reader.kind());
  if (section.bytes > bounds.bytes)
    base::refuse("{}: its description is too long: {} bytes, and {} are read; the file was not written by Tacit",
                 reader.name(), section.bytes, bounds.bytes);
  base::HeldJson json(reader.read_text(section), "its description", bounds);
  if (!json->is_object())
    throw base::InputError("its description is not a JSON object; the file was not written by Tacit");
  return json;
}

std::string about_text(ArtefactKind kind, const nlohmann::json& json) {
  std::string text = json.dump();
  const base::JsonBounds bounds = about_bounds(kind);
  if (text.size() > bounds.bytes)
    base::refuse("the description of {} would have {} bytes, more than the {} that are read; use shorter names",
                 kind_name(kind), text.size(), bounds.bytes);
  return text;
}

void from_hexadecimal(const std::string& text, std::span<std::uint8_t> out) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (text.size() != 2 * out.size()) throw base::InputError("an identifier has the wrong length");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) throw base::InputError("an identifier is not hexadecimal");
    out[i] = static_cast<std::uint8_t>(16 * high + low);
  }
}

nlohmann::json to_json(const Binding& binding) {
  return {{"model", base::hexadecimal(binding.model)},
          {"parameters", base::hexadecimal(binding.parameters)},
          {"key_set", base::hexadecimal(binding.key_set)}};
}

Binding binding_from_json(const nlohmann::json& json) {
  Binding binding;
  from_hexadecimal(json.at("model").get<std::string>(), binding.model);
  from_hexadecimal(json.at("parameters").get<std::string>(), binding.parameters);
  from_hexadecimal(json.at("key_set").get<std::string>(), binding.key_set);
  return binding;
}

}  // namespace tacit::runtime
