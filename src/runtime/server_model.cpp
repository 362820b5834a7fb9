#include "runtime/server_model.h"

#include "base/error.h"
#include "program/serialize.h"
#include "program/validation.h"

namespace tacit::runtime {

void save(const ServerModel& model, const std::filesystem::path& path) {
  save_half(path, ArtefactKind::server_model, model, nlohmann::json::object(),
            [&](ArtefactWriter& writer) { add_program(writer, "program", program::to_bytes(model.program)); });
}

ServerModel load_server_model(const std::filesystem::path& path) {
  ServerModel model;
  load_half(path, ArtefactKind::server_model, model, [&](const ArtefactReader& reader, const nlohmann::json&) {
    model.program = program::program_from_bytes(program_bytes(reader, "program"));
    if (program::has_validations(model.program))
      throw base::InputError(
          "the program contains validations, which need the secret key: a server does not carry them "
          "out; compile the model without");
  });
  return model;
}

}  // namespace tacit::runtime
