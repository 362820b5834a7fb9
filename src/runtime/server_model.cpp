#include "runtime/server_model.h"

#include "base/error.h"
#include "program/serialize.h"
#include "program/validation.h"
#include "runtime/artefact.h"
#include "runtime/model_about.h"

namespace tacit::runtime {

void save(const ServerModel& model, const std::filesystem::path& path) {
  ArtefactWriter writer(path, ArtefactKind::server_model);
  const nlohmann::json json = {{"name", model.name},
                               {"model", hexadecimal(model.id)},
                               {"parameters", nlohmann::json::parse(params::to_json(model.literal))}};
  writer.add_section(kAboutSection, SectionType::text, json.dump());
  const std::vector<std::uint8_t> program = program::to_bytes(model.program);
  writer.add_section("program", SectionType::program, std::as_bytes(std::span(program)));
  writer.finish();
}

ServerModel load_server_model(const std::filesystem::path& path) {
  const ArtefactReader reader(path, ArtefactKind::server_model);
  ServerModel model;
  parsing(path, [&] {
    const nlohmann::json json = about(reader);
    model.name = json.at("name").get<std::string>();
    from_hexadecimal(json.at("model").get<std::string>(), model.id);
    model.literal = params::literal_from_json(json.at("parameters").dump());
    params::CkksParameters::check(model.literal);
    const std::vector<std::byte> bytes = reader.read(reader.section("program", SectionType::program));
    model.program =
        program::program_from_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    if (program::has_validations(model.program))
      throw base::InputError("the program contains validations, which need the secret key: a server does not carry them "
                             "out; compile the model without");
  });
  return model;
}

}  // namespace tacit::runtime
