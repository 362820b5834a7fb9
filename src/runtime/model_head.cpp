#include "runtime/model_head.h"

#include "runtime/model_about.h"

namespace tacit::runtime {

void save_half(const std::filesystem::path& path, ArtefactKind kind, const ModelHead& head, const nlohmann::json& more,
               const std::function<void(ArtefactWriter&)>& sections) {
  ArtefactWriter writer(path, kind);
  nlohmann::json json = {{"name", head.name},
                         {"model", base::hexadecimal(head.id)},
                         {"parameters", nlohmann::json::parse(params::to_json(head.literal))}};
  json.update(more);
  writer.add_section(kAboutSection, SectionType::text, json.dump());
  sections(writer);
  writer.finish();
}

void load_half(const std::filesystem::path& path, ArtefactKind kind, ModelHead& head,
               const std::function<void(const ArtefactReader&, const nlohmann::json&)>& rest) {
  const ArtefactReader reader(path, kind);
  parsing(path, [&] {
    const nlohmann::json json = about(reader);
    head.name = json.at("name").get<std::string>();
    from_hexadecimal(json.at("model").get<std::string>(), head.id);
    head.literal = params::literal_from_json(json.at("parameters").dump());
    params::CkksParameters::check(head.literal);
    rest(reader, json);
  });
}

void add_program(ArtefactWriter& writer, std::string_view name, std::span<const std::uint8_t> bytes) {
  writer.add_section(name, SectionType::program, std::as_bytes(bytes));
}

std::vector<std::uint8_t> program_bytes(const ArtefactReader& reader, std::string_view name) {
  const Section& section = reader.section(name, SectionType::program);
  std::vector<std::uint8_t> bytes(section.bytes);
  reader.read(section, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace tacit::runtime
