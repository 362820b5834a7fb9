#include "runtime/integers/compiled_integers.h"

#include <nlohmann/json.hpp>

#include "program/integers/noise.h"
#include "program/integers/serialize.h"

namespace tacit::runtime {

base::Digest content_of(const IntegerServerModel& model) {
  return digest_of_parts("tacit server half on integers", {integers::to_bytes(model.program)});
}
base::Digest content_of(const IntegerClientModel& model) {
  return digest_of_parts("tacit client half on integers", {integers::to_bytes(model.interface), model.parts});
}

base::Digest save(const IntegerServerModel& model, const Sink& sink) {
  return save_half(sink, ArtefactKind::server_model, model,
                   [&](ArtefactWriter& writer) { add_program(writer, "program", integers::to_bytes(model.program)); });
}

base::Digest save(const IntegerClientModel& model, const Sink& sink) {
  return save_half(sink, ArtefactKind::client_model, model, [&](ArtefactWriter& writer) {
    add_program(writer, "interface", integers::to_bytes(model.interface));
    add_program(writer, "parts", model.parts);
    writer.add_section(kPlanSection, SectionType::text, model.plan);
  });
}

IntegerServerModel load_integer_server_model(const Source& source) {
  return load_half<IntegerServerModel>(
      source, ArtefactKind::server_model,
      [](IntegerServerModel& model, const ArtefactReader& reader, const nlohmann::json&) {
        model.program = integers::program_from_bytes(program_bytes(reader, "program"));
        require_own_id(model, id_of(model, content_of(model), model.other_half));
        integers::require_holds(model.program, params::TfheParameters::check(model.literal));
      });
}

IntegerClientModel load_integer_client_model(const Source& source) {
  return load_half<IntegerClientModel>(
      source, ArtefactKind::client_model,
      [](IntegerClientModel& model, const ArtefactReader& reader, const nlohmann::json&) {
        model.interface = integers::client_interface_from_bytes(program_bytes(reader, "interface"));
        model.parts = program_bytes(reader, "parts");
        model.plan = read_plan(reader);
        require_own_id(model, id_of(model, model.other_half, content_of(model)));
      });
}

}  // namespace tacit::runtime
