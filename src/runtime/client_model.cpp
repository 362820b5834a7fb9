#include "runtime/client_model.h"

#include "base/error.h"
#include "program/serialize.h"

namespace tacit::runtime {
namespace {

nlohmann::json to_json(const params::KeyManifest& manifest) {
  nlohmann::json rotations = nlohmann::json::array();
  for (const auto& [steps, level] : manifest.rotations) rotations.push_back({steps, level});
  return {{"relinearise", manifest.relinearise_level},
          {"conjugate", manifest.conjugate_level},
          {"raise", manifest.raise_level},
          {"rotations", rotations}};
}

params::KeyManifest manifest_from_json(const nlohmann::json& json, const params::CkksParameters& parameters) {
  const auto level = [&](const nlohmann::json& value) {
    const auto number = value.get<std::int64_t>();
    if (number < -1 || number > parameters.max_level())
      throw base::InputError("a key is asked for at a level that the parameters do not have");
    return static_cast<int>(number);
  };
  params::KeyManifest manifest;
  manifest.relinearise_level = level(json.at("relinearise"));
  manifest.conjugate_level = level(json.at("conjugate"));
  manifest.raise_level = level(json.at("raise"));
  for (const nlohmann::json& rotation : json.at("rotations")) {
    const auto steps = rotation.at(0).get<std::int64_t>();
    if (steps < 1 || steps >= static_cast<std::int64_t>(parameters.slots()))
      throw base::InputError("a key is asked for a rotation that the parameters do not have");
    manifest.rotations[steps] = level(rotation.at(1));
  }
  return manifest;
}

}  // namespace

void save(const ClientModel& model, const std::filesystem::path& path) {
  save_half(path, ArtefactKind::client_model, model, {{"keys", to_json(model.keys)}}, [&](ArtefactWriter& writer) {
    add_program(writer, "interface", program::to_bytes(model.interface));
    add_program(writer, "parts", model.parts);
    writer.add_section("plan", SectionType::text, model.plan);
  });
}

ClientModel load_client_model(const std::filesystem::path& path) {
  ClientModel model;
  load_half(path, ArtefactKind::client_model, model, [&](const ArtefactReader& reader, const nlohmann::json& json) {
    model.keys = manifest_from_json(json.at("keys"), params::CkksParameters::check(model.literal));
    model.interface = program::client_interface_from_bytes(program_bytes(reader, "interface"));
    model.parts = program_bytes(reader, "parts");
    model.plan = reader.read_text(reader.section("plan", SectionType::text));
  });
  return model;
}

}  // namespace tacit::runtime
