#include "runtime/client_model.h"

#include "base/error.h"
#include "program/serialize.h"
#include "runtime/artefact.h"
#include "runtime/model_about.h"

namespace tacit::runtime {
namespace {

nlohmann::json to_json(const scheme::rlwe::KeyManifest& manifest) {
  const auto list = [](const std::map<std::int64_t, int>& rotations) {
    nlohmann::json result = nlohmann::json::array();
    for (const auto& [steps, level] : rotations) result.push_back({steps, level});
    return result;
  };
  return {{"relinearise", manifest.relinearise_level},
          {"conjugate", manifest.conjugate_level},
          {"raise", manifest.raise_level},
          {"rotations", list(manifest.rotations)},
          {"low_rotations", list(manifest.low_rotations)}};
}

scheme::rlwe::KeyManifest manifest_from_json(const nlohmann::json& json, const params::CkksParameters& parameters) {
  const auto level = [&](const nlohmann::json& value) {
    const auto number = value.get<std::int64_t>();
    if (number < -1 || number > parameters.max_level())
      throw base::InputError("a key is asked for at a level that the parameters do not have");
    return static_cast<int>(number);
  };
  scheme::rlwe::KeyManifest manifest;
  manifest.relinearise_level = level(json.at("relinearise"));
  manifest.conjugate_level = level(json.at("conjugate"));
  manifest.raise_level = level(json.at("raise"));
  const auto read = [&](const char* field, std::map<std::int64_t, int>& rotations) {
    for (const nlohmann::json& rotation : json.at(field)) {
      const auto steps = rotation.at(0).get<std::int64_t>();
      if (steps < 1 || steps >= static_cast<std::int64_t>(parameters.slots()))
        throw base::InputError("a key is asked for a rotation that the parameters do not have");
      rotations[steps] = level(rotation.at(1));
    }
  };
  read("rotations", manifest.rotations);
  read("low_rotations", manifest.low_rotations);
  return manifest;
}

}  // namespace

void save(const ClientModel& model, const std::filesystem::path& path) {
  ArtefactWriter writer(path, ArtefactKind::client_model);
  const nlohmann::json json = {{"name", model.name},
                               {"model", hexadecimal(model.id)},
                               {"parameters", nlohmann::json::parse(params::to_json(model.literal))},
                               {"keys", to_json(model.keys)}};
  writer.add_section(kAboutSection, SectionType::text, json.dump());
  const std::vector<std::uint8_t> interface = program::to_bytes(model.interface);
  writer.add_section("interface", SectionType::program, std::as_bytes(std::span(interface)));
  writer.add_section("plan", SectionType::text, model.plan);
  writer.finish();
}

ClientModel load_client_model(const std::filesystem::path& path) {
  const ArtefactReader reader(path, ArtefactKind::client_model);
  ClientModel model;
  parsing(path, [&] {
    const nlohmann::json json = about(reader);
    model.name = json.at("name").get<std::string>();
    from_hexadecimal(json.at("model").get<std::string>(), model.id);
    model.literal = params::literal_from_json(json.at("parameters").dump());
    model.keys = manifest_from_json(json.at("keys"), params::CkksParameters::check(model.literal));
    const std::vector<std::byte> bytes = reader.read(reader.section("interface", SectionType::program));
    model.interface =
        program::client_interface_from_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    model.plan = reader.read_text(reader.section("plan", SectionType::text));
  });
  return model;
}

}  // namespace tacit::runtime
