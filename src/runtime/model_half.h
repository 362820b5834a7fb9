#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"

/// The files of a compiled model's halves, as far as every scheme shares them.
namespace tacit::runtime {

/// What a half of a compiled model says of itself, whatever the scheme.
struct HalfHead {
  std::string name;
  ModelId id{};               ///< equal in both halves
  base::Digest other_half{};  ///< what the half that this one is not holds
  base::Digest root{};        ///< of the artefact that this half was read from; zeros if of none
};

/// Writes one half: the head, its parameters and `more` as its description, then what `sections` adds.
base::Digest save_half(const std::filesystem::path& path, ArtefactScheme scheme, ArtefactKind kind,
                       const HalfHead& head, const nlohmann::json& parameters, const nlohmann::json& more,
                       const std::function<void(ArtefactWriter&)>& sections);

/// Reads one half: the head, then what `rest` takes from the file and its description, of which "parameters" is a part.
void load_half(const std::filesystem::path& path, ArtefactScheme scheme, ArtefactKind kind, HalfHead& head,
               const std::function<void(const ArtefactReader&, const nlohmann::json&)>& rest);

/// Throws InputError unless the id that follows from what a half holds is the one that it states.
void require_own_id(const HalfHead& head, const ModelId& id);

/// Writes one half with the parameters that it states.
template <std::derived_from<HalfHead> Half>
base::Digest save_half(const std::filesystem::path& path, ArtefactKind kind, const Half& half,
                       const std::function<void(ArtefactWriter&)>& sections,
                       const nlohmann::json& more = nlohmann::json::object()) {
  return save_half(path, Half::kScheme, kind, half, nlohmann::json::parse(to_json(half.literal)), more, sections);
}

/// Reads one half: its parameters, which must pass the security check, then what `rest` takes.
template <std::derived_from<HalfHead> Half, class Rest>
Half load_half(const std::filesystem::path& path, ArtefactKind kind, const Rest& rest) {
  Half half;
  load_half(path, Half::kScheme, kind, half, [&](const ArtefactReader& reader, const nlohmann::json& json) {
    half.literal = Half::kLiteralFrom(json.at("parameters"));
    Half::Parameters::check(half.literal);
    rest(half, reader, json);
  });
  return half;
}

/// Of the model's parameters.
template <std::derived_from<HalfHead> Half>
params::ParameterIdentity identity_of(const Half& half) {
  return Half::Parameters::check(half.literal).identity();
}

/// Of the tensors that a client encrypts, in order.
template <class ClientModel>
std::vector<std::string> input_names(const ClientModel& model) {
  std::vector<std::string> names;
  for (const auto& input : model.interface.inputs) names.push_back(input.name);
  return names;
}

/// The id of a model that two halves make; `head` is of either.
template <class Head>
ModelId id_of(const Head& head, const base::Digest& server_half, const base::Digest& client_half) {
  return model_id(identity_of(head).hash, server_half, client_half);
}

/// Makes two halves those of one model: gives both its id, and each the content of the other.
template <std::derived_from<HalfHead> Server, std::derived_from<HalfHead> Client>
void bind(Server& server, Client& client) {
  client.other_half = content_of(server);
  server.other_half = content_of(client);
  server.id = client.id = id_of(server, client.other_half, server.other_half);
}

/// SHA-256 over a domain and parts, each with its length.
base::Digest digest_of_parts(std::string_view domain, std::initializer_list<std::span<const std::uint8_t>> parts);

void add_program(ArtefactWriter& writer, std::string_view name, std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> program_bytes(const ArtefactReader& reader, std::string_view name);

/// The section with the plan of a model. Throws InputError for one that is too long.
inline constexpr std::string_view kPlanSection = "plan.json";
std::string read_plan(const ArtefactReader& reader);

}  // namespace tacit::runtime
