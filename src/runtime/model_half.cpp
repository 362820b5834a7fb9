#include "runtime/model_half.h"

#include "base/error.h"
#include "runtime/description.h"

namespace tacit::runtime {

base::Digest save_half(const Sink& sink, ArtefactScheme scheme, ArtefactKind kind, const HalfHead& head,
                       const nlohmann::json& parameters, const nlohmann::json& more,
                       const std::function<void(ArtefactWriter&)>& sections) {
  nlohmann::json json = {{"name", head.name},
                         {"model", base::hexadecimal(head.id)},
                         {"other_half", base::hexadecimal(head.other_half)},
                         {"parameters", parameters}};
  json.update(more);
  return write_artefact(sink, kind, scheme, [&](ArtefactWriter& writer) {
    writer.add_section(kAboutSection, SectionType::text, json.dump());
    sections(writer);
  });
}

void load_half(const Source& source, ArtefactScheme scheme, ArtefactKind kind, HalfHead& head,
               const std::function<void(const ArtefactReader&, const nlohmann::json&)>& rest) {
  const ArtefactReader reader(source, kind, scheme);
  parsing(source.name(), [&] {
    const base::HeldJson held = about(reader);
    const nlohmann::json& json = *held;
    head.name = json.at("name").get<std::string>();
    from_hexadecimal(json.at("model").get<std::string>(), head.id);
    from_hexadecimal(json.at("other_half").get<std::string>(), head.other_half);
    rest(reader, json);
  });
  head.root = reader.root();
}

void require_own_id(const HalfHead& head, const ModelId& id) {
  if (id == head.id) return;
  throw base::InputError("its content is that of another model (" + base::hexadecimal(id).substr(0, 8) +
                         ") than the one that it names (" + base::hexadecimal(head.id).substr(0, 8) +
                         "): it was changed after it was compiled; take the file from its owner again");
}

base::Digest digest_of_parts(std::string_view domain, std::initializer_list<std::span<const std::uint8_t>> parts) {
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(domain)));
  for (const std::span<const std::uint8_t> part : parts) {
    const std::uint64_t size = part.size();
    hash.update(std::as_bytes(std::span(&size, 1))).update(std::as_bytes(part));
  }
  return hash.finish();
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

std::string read_plan(const ArtefactReader& reader) {
  const Section& plan = reader.section(kPlanSection, SectionType::text);
  constexpr std::uint64_t kMostPlanBytes = 16 << 20;
  if (plan.bytes > kMostPlanBytes) throw base::InputError("its plan is too long; the file was not written by Tacit");
  return reader.read_text(plan);
}

}  // namespace tacit::runtime
