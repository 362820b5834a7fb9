#include "runtime/compiled_model.h"

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/json_fields.h"
#include "program/slots/runnable.h"
#include "program/slots/serialize.h"
#include "program/slots/validations.h"
#include "runtime/artefact.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

/// Writes one half: the head and `more` as its description, then what `sections` adds.
base::Digest save_half(const std::filesystem::path& path, ArtefactKind kind, const ModelHead& head,
                       const nlohmann::json& more, const std::function<void(ArtefactWriter&)>& sections) {
  ArtefactWriter writer(path, kind);
  nlohmann::json json = {{"name", head.name},
                         {"model", base::hexadecimal(head.id)},
                         {"other_half", base::hexadecimal(head.other_half)},
                         {"parameters", nlohmann::json::parse(params::to_json(head.literal))}};
  json.update(more);
  writer.add_section(kAboutSection, SectionType::text, json.dump());
  sections(writer);
  return writer.finish();
}

/// Reads one half: the head, then what `rest` takes from the file and its description.
void load_half(const std::filesystem::path& path, ArtefactKind kind, ModelHead& head,
               const std::function<void(const ArtefactReader&, const nlohmann::json&)>& rest) {
  const ArtefactReader reader(path, kind);
  parsing(path, [&] {
    const nlohmann::json json = about(reader);
    head.name = json.at("name").get<std::string>();
    from_hexadecimal(json.at("model").get<std::string>(), head.id);
    from_hexadecimal(json.at("other_half").get<std::string>(), head.other_half);
    head.literal = params::literal_from(json.at("parameters"));
    params::CkksParameters::check(head.literal);
    rest(reader, json);
  });
  head.root = reader.root();
}

ModelId id_of(const ModelHead& head, const base::Digest& server_half, const base::Digest& client_half) {
  return model_id(identity_of(head).hash, server_half, client_half);
}

void require_own_id(const ModelHead& head, const ModelId& id) {
  if (id == head.id) return;
  throw base::InputError("its content is that of another model (" + base::hexadecimal(id).substr(0, 8) +
                         ") than the one that it names (" + base::hexadecimal(head.id).substr(0, 8) +
                         "): it was changed after it was compiled; take the file from its owner again");
}

base::Digest digest_of(std::string_view domain, std::initializer_list<std::span<const std::uint8_t>> parts) {
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

params::ParameterIdentity identity_of(const ModelHead& model) {
  return params::CkksParameters::check(model.literal).identity();
}

base::Digest content_of(const ServerModel& model) {
  return digest_of("tacit server half", {slots::to_bytes(model.program)});
}

base::Digest content_of(const ClientModel& model) {
  const std::string keys = to_json(model.keys).dump();
  return digest_of("tacit client half", {program::to_bytes(model.interface), model.parts,
                                         std::span(reinterpret_cast<const std::uint8_t*>(keys.data()), keys.size())});
}

void bind(ServerModel& server, ClientModel& client) {
  client.other_half = content_of(server);
  server.other_half = content_of(client);
  server.id = client.id = id_of(server, client.other_half, server.other_half);
}

base::Digest save(const ServerModel& model, const std::filesystem::path& path) {
  return save_half(path, ArtefactKind::server_model, model, nlohmann::json::object(),
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
    require_own_id(model, id_of(model, content_of(model), model.other_half));
    slots::require_runnable_from_file(model.program, params::CkksParameters::check(model.literal));
  });
  return model;
}

base::Digest save(const ClientModel& model, const std::filesystem::path& path) {
  return save_half(path, ArtefactKind::client_model, model, {{"keys", to_json(model.keys)}},
                   [&](ArtefactWriter& writer) {
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
    require_own_id(model, id_of(model, model.other_half, content_of(model)));
  });
  return model;
}

}  // namespace tacit::runtime
