#include "runtime/compiled_model.h"

#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/json_fields.h"
#include "program/slots/runnable.h"
#include "program/slots/serialize.h"
#include "program/slots/validations.h"

namespace tacit::runtime {
namespace {

nlohmann::json to_json(const params::KeyManifest& manifest) {
  const auto list = [](const std::map<std::int64_t, int>& rotations) {
    nlohmann::json result = nlohmann::json::array();
    for (const auto& [steps, level] : rotations) result.push_back({steps, level});
    return result;
  };
  return {{"relinearise", manifest.relinearise_level},
          {"conjugate", manifest.conjugate_level},
          {"rotations", list(manifest.rotations)},
          {"raised_rotations", list(manifest.raised_rotations)}};
}

params::KeyManifest manifest_from_json(const nlohmann::json& json, const params::CkksParameters& parameters) {
  const auto level = [&](const nlohmann::json& value) {
    const auto number = base::whole_number(value);
    if (number < -1 || number > parameters.max_level())
      throw base::InputError("a key is asked for at a level that the parameters do not have");
    return static_cast<int>(number);
  };
  params::KeyManifest manifest;
  manifest.relinearise_level = level(json.at("relinearise"));
  manifest.conjugate_level = level(json.at("conjugate"));
  const auto rotations = [&](const nlohmann::json& list, std::int64_t least) {
    std::map<std::int64_t, int> result;
    for (const nlohmann::json& rotation : list) {
      const auto steps = base::whole_number(rotation.at(0));
      if (steps < least || steps >= static_cast<std::int64_t>(parameters.slots()))
        throw base::InputError("a key is asked for a rotation that the parameters do not have");
      const int highest = level(rotation.at(1));
      if (highest < 0) throw base::InputError("a key is asked for a rotation, and for no level of it");
      result[steps] = highest;
    }
    return result;
  };
  manifest.rotations = rotations(json.at("rotations"), 1);
  manifest.raised_rotations = rotations(json.at("raised_rotations"), 0);
  return manifest;
}

}  // namespace

base::Digest content_of(const ServerModel& model) {
  return digest_of_parts("tacit server half", {slots::to_bytes(model.program)});
}

base::Digest content_of(const ClientModel& model) {
  const std::string keys = to_json(model.keys).dump();
  return digest_of_parts("tacit client half",
                         {program::to_bytes(model.interface), model.parts,
                          std::span(reinterpret_cast<const std::uint8_t*>(keys.data()), keys.size())});
}

base::Digest save(const ServerModel& model, const Sink& sink) {
  return save_half(sink, ArtefactKind::server_model, model,
                   [&](ArtefactWriter& writer) { add_program(writer, "program", slots::to_bytes(model.program)); });
}

ServerModel load_server_model(const Source& source) {
  return load_half<ServerModel>(
      source, ArtefactKind::server_model, [](ServerModel& model, const ArtefactReader& reader, const nlohmann::json&) {
        model.program = slots::program_from_bytes(program_bytes(reader, "program"));
        if (slots::has_validations(model.program))
          throw base::InputError(
              "the program contains validations, which need the secret key: a server does not carry them out; compile "
              "the model without");
        require_own_id(model, id_of(model, content_of(model), model.other_half));
        slots::require_runnable_from_file(model.program, params::CkksParameters::check(model.literal));
      });
}

base::Digest save(const ClientModel& model, const Sink& sink) {
  return save_half(sink, ArtefactKind::client_model, model,
                   [&](ArtefactWriter& writer) {
                     add_program(writer, "interface", program::to_bytes(model.interface));
                     add_program(writer, "parts", model.parts);
                     writer.add_section(kPlanSection, SectionType::text, model.plan);
                   },
                   {{"keys", to_json(model.keys)}});
}

ClientModel load_client_model(const Source& source) {
  return load_half<ClientModel>(
      source, ArtefactKind::client_model,
      [](ClientModel& model, const ArtefactReader& reader, const nlohmann::json& json) {
        model.keys = manifest_from_json(json.at("keys"), params::CkksParameters::check(model.literal));
        model.interface = program::client_interface_from_bytes(program_bytes(reader, "interface"));
        model.parts = program_bytes(reader, "parts");
        model.plan = read_plan(reader);
        require_own_id(model, id_of(model, model.other_half, content_of(model)));
      });
}

}  // namespace tacit::runtime
