#include "runtime/integers/compiled_integers.h"

#include <nlohmann/json.hpp>

#include "program/integers/noise.h"
#include "program/integers/serialize.h"

namespace tacit::runtime {
namespace {

nlohmann::json parameters_of(const IntegerModelHead& head) {
  return nlohmann::json::parse(params::to_json(head.literal));
}

template <class Half, class Rest>
Half load(const std::filesystem::path& path, ArtefactKind kind, const Rest& rest) {
  Half half;
  load_half(path, ArtefactScheme::tfhe, kind, half, [&](const ArtefactReader& reader, const nlohmann::json& json) {
    half.literal = params::tfhe_literal_from(json.at("parameters"));
    params::TfheParameters::check(half.literal);
    rest(half, reader);
  });
  return half;
}

}  // namespace

base::Digest content_of(const IntegerServerModel& model) {
  return digest_of_parts("tacit server half on integers", {integers::to_bytes(model.program)});
}
base::Digest content_of(const IntegerClientModel& model) {
  return digest_of_parts("tacit client half on integers", {integers::to_bytes(model.interface), model.parts});
}

params::ParameterIdentity identity_of(const IntegerModelHead& model) {
  return params::TfheParameters::check(model.literal).identity();
}

base::Digest save(const IntegerServerModel& model, const std::filesystem::path& path) {
  return save_half(path, ArtefactScheme::tfhe, ArtefactKind::server_model, model, parameters_of(model),
                   nlohmann::json::object(),
                   [&](ArtefactWriter& writer) { add_program(writer, "program", integers::to_bytes(model.program)); });
}

base::Digest save(const IntegerClientModel& model, const std::filesystem::path& path) {
  return save_half(path, ArtefactScheme::tfhe, ArtefactKind::client_model, model, parameters_of(model),
                   nlohmann::json::object(), [&](ArtefactWriter& writer) {
                     add_program(writer, "interface", integers::to_bytes(model.interface));
                     add_program(writer, "parts", model.parts);
                     writer.add_section(kPlanSection, SectionType::text, model.plan);
                   });
}

IntegerServerModel load_integer_server_model(const std::filesystem::path& path) {
  return load<IntegerServerModel>(
      path, ArtefactKind::server_model, [](IntegerServerModel& model, const ArtefactReader& reader) {
        model.program = integers::program_from_bytes(program_bytes(reader, "program"));
        require_own_id(model, id_of(model, content_of(model), model.other_half));
        integers::require_holds(model.program, params::TfheParameters::check(model.literal));
      });
}

IntegerClientModel load_integer_client_model(const std::filesystem::path& path) {
  return load<IntegerClientModel>(
      path, ArtefactKind::client_model, [](IntegerClientModel& model, const ArtefactReader& reader) {
        model.interface = integers::client_interface_from_bytes(program_bytes(reader, "interface"));
        model.parts = program_bytes(reader, "parts");
        model.plan = read_plan(reader);
        require_own_id(model, id_of(model, model.other_half, content_of(model)));
      });
}

}  // namespace tacit::runtime
