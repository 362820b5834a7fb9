#include "runtime/compiled_model.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "program/slots/runnable.h"
#include "program/slots/serialize.h"
#include "program/slots/validations.h"
#include "runtime/artefact.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

/// Writes one half: the head and `more` as its description, then what `sections` adds.
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

/// Reads one half: the head, then what `rest` takes from the file and its description.
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

params::ParameterIdentity identity_of(const ModelHead& model) {
  return params::CkksParameters::check(model.literal).identity();
}

void save(const ServerModel& model, const std::filesystem::path& path) {
  save_half(path, ArtefactKind::server_model, model, nlohmann::json::object(),
            [&](ArtefactWriter& writer) { add_program(writer, "program", slots::to_bytes(model.program)); });
}

ServerModel load_server_model(const std::filesystem::path& path) {
  ServerModel model;
  load_half(path, ArtefactKind::server_model, model, [&](const ArtefactReader& reader, const nlohmann::json&) {
    model.program = slots::program_from_bytes(program_bytes(reader, "program"));
    if (slots::has_validations(model.program))
      throw base::InputError(
          "the program contains validations, which need the secret key: a server does not carry them "
          "out; compile the model without");
    slots::require_runnable_from_file(model.program, params::CkksParameters::check(model.literal));
  });
  return model;
}

void save(const ClientModel& model, const std::filesystem::path& path) {
  save_half(path, ArtefactKind::client_model, model, {{"keys", to_json(model.keys)}}, [&](ArtefactWriter& writer) {
    add_program(writer, "interface", program::to_bytes(model.interface));
    add_program(writer, "parts", model.parts);
    writer.add_section("plan.json", SectionType::text, model.plan);
  });
}

ClientModel load_client_model(const std::filesystem::path& path) {
  ClientModel model;
  load_half(path, ArtefactKind::client_model, model, [&](const ArtefactReader& reader, const nlohmann::json& json) {
    model.keys = manifest_from_json(json.at("keys"), params::CkksParameters::check(model.literal));
    model.interface = program::client_interface_from_bytes(program_bytes(reader, "interface"));
    model.parts = program_bytes(reader, "parts");
    const Section& plan = reader.section("plan.json", SectionType::text);
    if (plan.bytes > kMostAboutBytes) throw base::InputError("its plan is too long; the file was not written by Tacit");
    model.plan = reader.read_text(plan);
  });
  return model;
}

}  // namespace tacit::runtime
