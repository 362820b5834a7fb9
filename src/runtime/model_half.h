#pragma once

#include <concepts>
#include <cstdint>
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

/// The common parts of the artefacts of a compiled model's halves, for all schemes.
namespace tacit::runtime {

/// The statements of a half of a compiled model about itself, for all schemes.
struct HalfHead {
  std::string name;
  ModelId id{};               ///< equal in both halves
  base::Digest other_half{};  ///< digest of the other half's content
  base::Digest root{};        ///< of the artefact of this half; zeros if it was not read from one
};

/// Writes one half. Its description has the head, `parameters` and `more`. `sections` adds the other sections.
base::Digest save_half(const Sink& sink, ArtefactScheme scheme, ArtefactKind kind, const HalfHead& head,
                       const nlohmann::json& parameters, const nlohmann::json& more,
                       const std::function<void(ArtefactWriter&)>& sections);

/// Reads one half: first the head, then `rest` reads the artefact and its description, which includes "parameters".
void load_half(const Source& source, ArtefactScheme scheme, ArtefactKind kind, HalfHead& head,
               const std::function<void(const ArtefactReader&, const nlohmann::json&)>& rest);

/// Throws InputError unless `id`, which follows from the content of a half, is the id in its head.
void require_own_id(const HalfHead& head, const ModelId& id);

/// Writes one half with its parameters.
template <std::derived_from<HalfHead> Half>
base::Digest save_half(const Sink& sink, ArtefactKind kind, const Half& half,
                       const std::function<void(ArtefactWriter&)>& sections,
                       const nlohmann::json& more = nlohmann::json::object()) {
  return save_half(sink, Half::kScheme, kind, half, nlohmann::json::parse(to_json(half.literal)), more, sections);
}

/// Reads one half. Its parameters must pass the security check. `rest` then reads the other fields.
template <std::derived_from<HalfHead> Half, class Rest>
Half load_half(const Source& source, ArtefactKind kind, const Rest& rest) {
  Half half;
  load_half(source, Half::kScheme, kind, half, [&](const ArtefactReader& reader, const nlohmann::json& json) {
    half.literal = Half::kLiteralFrom(json.at("parameters"));
    Half::Parameters::check(half.literal);
    rest(half, reader, json);
  });
  return half;
}

/// Returns the identity of the model's parameters.
template <std::derived_from<HalfHead> Half>
params::ParameterIdentity identity_of(const Half& half) {
  return Half::Parameters::check(half.literal).identity();
}

/// Returns the names of the tensors that a client encrypts, in order.
template <class ClientModel>
std::vector<std::string> input_names(const ClientModel& model) {
  std::vector<std::string> names;
  for (const auto& input : model.interface.inputs) names.push_back(input.name);
  return names;
}

/// Returns the id of a model of two halves. `head` belongs to either half.
template <class Head>
ModelId id_of(const Head& head, const base::Digest& server_half, const base::Digest& client_half) {
  return model_id(identity_of(head).hash, server_half, client_half);
}

/// Binds two halves to one model: gives both its id, and each the digest of the other one's content.
template <std::derived_from<HalfHead> Server, std::derived_from<HalfHead> Client>
void bind(Server& server, Client& client) {
  client.other_half = content_of(server);
  server.other_half = content_of(client);
  server.id = client.id = id_of(server, client.other_half, server.other_half);
}

/// Returns SHA-256 over a domain and parts, each with its length.
base::Digest digest_of_parts(std::string_view domain, std::initializer_list<std::span<const std::uint8_t>> parts);

void add_program(ArtefactWriter& writer, std::string_view name, std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> program_bytes(const ArtefactReader& reader, std::string_view name);

/// The section with the plan of a model. `read_plan` throws InputError for a plan that is too long.
inline constexpr std::string_view kPlanSection = "plan.json";
std::string read_plan(const ArtefactReader& reader);

}  // namespace tacit::runtime
