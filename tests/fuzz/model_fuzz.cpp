#include <nlohmann/json.hpp>

#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "program/slots/key_manifest.h"
#include "program/slots/landing_rules.h"
#include "program/slots/serialize.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/client.h"
#include "runtime/slots/executor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "small_program.h"
#include "tiny_set.h"

namespace tacit::fuzz {

using runtime::ArtefactKind;
using runtime::CiphertextArray;
using runtime::ClientModel;
using runtime::ServerModel;

namespace {

constexpr double kFewNumbers = 1 << 14;

/// Keys for every small program on the tiny ring.
const TinySet& keyed_set() {
  static const TinySet set = [] {
    params::KeyManifest all{.relinearise_level = 2, .conjugate_level = 2, .rotations = {}};
    for (std::int64_t steps = 1; steps < 8; ++steps) all.rotations[steps] = 2;
    return TinySet(tiny_literal(), all);
  }();
  return set;
}

/// The halves of a model with this program.
std::pair<ServerModel, ClientModel> halves_of(const slots::Program& program) {
  ServerModel server;
  ClientModel client;
  server.name = client.name = "small";
  server.literal = client.literal = tiny_literal();
  server.program = program;
  std::size_t outputs = 0;
  for (const slots::Instruction& at : program.instructions) {
    if (const auto* input = std::get_if<slots::Input>(&at.operation))
      client.interface.inputs.push_back({input->name, at.layout, at.level, at.scale, -1, 1});
    if (const auto* output = std::get_if<slots::Output>(&at.operation))
      client.interface.outputs.push_back({output->name, at.layout, outputs++, 2, -4, 4, at.level, at.scale});
  }
  client.keys = slots::key_manifest(program);
  client.plan = "{}";
  client.parts = {1, 2, 3, 250};
  bind(server, client);
  return {std::move(server), std::move(client)};
}

Part* part_named(Artefact& artefact, std::string_view name) {
  for (Part& part : artefact.parts)
    if (part.name == name) return &part;
  return nullptr;
}

/// The id that the content has.
std::string id_of(Artefact& artefact, const nlohmann::json& about) {
  base::Digest other{};
  const std::string digits = about.at("other_half").get<std::string>();
  for (std::size_t i = 0; i < other.size(); ++i)
    other[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  const auto literal = params::literal_from(about.at("parameters"));
  const auto hash = params::CkksParameters::check(literal).hash();
  if (artefact.kind == ArtefactKind::server_model) {
    ServerModel server;
    server.program = slots::program_from_bytes(part_named(artefact, "program")->bytes);
    return base::hexadecimal(runtime::model_id(hash, content_of(server), other));
  }
  ClientModel client;
  client.interface = program::client_interface_from_bytes(part_named(artefact, "interface")->bytes);
  client.parts = part_named(artefact, "parts")->bytes;
  const nlohmann::json& keys = about.at("keys");
  client.keys.relinearise_level = keys.at("relinearise").get<int>();
  client.keys.conjugate_level = keys.at("conjugate").get<int>();
  for (const auto& [name, rotations] :
       {std::pair{"rotations", &client.keys.rotations}, std::pair{"raised_rotations", &client.keys.raised_rotations}})
    for (const nlohmann::json& rotation : keys.at(name))
      (*rotations)[rotation.at(0).get<std::int64_t>()] = rotation.at(1).get<int>();
  return base::hexadecimal(runtime::model_id(hash, other, content_of(client)));
}

/// Writes the id of the content into the description, where there is one.
void state_own_id(Artefact& artefact) {
  Part* about = part_named(artefact, "about");
  for (const char* name :
       artefact.kind == ArtefactKind::server_model ? std::vector{"program"} : std::vector{"interface", "parts"})
    if (part_named(artefact, name) == nullptr) return;
  if (about == nullptr) return;
  auto json = nlohmann::json::parse(about->bytes, nullptr, false);
  if (!json.is_object()) return;
  try {
    json["model"] = id_of(artefact, json);
    about->bytes = bytes_of(json.dump());
  } catch (const std::exception&) {  // damaged: the reader says how
  }
}

Bytes mutate_part_of_model(const Part& part, const Bytes& other, Random& random) {
  return part.name == "program" ? mutate_program(part.bytes, other, random) : mutate_part(part, other, random);
}

double numbers_of(const slots::Program& program) {
  double sum = 0;
  for (const slots::Instruction& at : program.instructions)
    sum += static_cast<double>(at.layout.ciphertexts()) * static_cast<double>(program.slots) +
           static_cast<double>(layout::element_count(at.layout.shape()));
  return sum;
}

/// A half of the tiny parameters is prepared and carried out on ciphertexts, or refused.
void use(const ServerModel& model) {
  require(content_of(model) != base::Digest{}, "content has a digest");
  const TinySet& set = keyed_set();
  if (identity_of(model).hash != set.context->parameters().hash() || numbers_of(model.program) > kFewNumbers) return;
  auto prepared = std::make_shared<const runtime::PreparedProgram>(set.context, model.program);
  runtime::Executor executor(prepared, std::make_shared<const scheme::ckks::EvaluationKeys>(set.evaluation));
  const scheme::ckks::Encoder encoder(set.context);
  const scheme::ckks::Encryptor encryptor(set.context, set.secret);
  std::vector<CiphertextArray> inputs;
  std::size_t outputs = 0;
  for (const slots::Instruction& at : model.program.instructions) {
    if (std::holds_alternative<slots::Output>(at.operation)) ++outputs;
    if (!std::holds_alternative<slots::Input>(at.operation)) continue;
    CiphertextArray& array = inputs.emplace_back();
    for (layout::Index i = 0; i < at.layout.ciphertexts(); ++i)
      array.push_back(encryptor.encrypt(encoder.encode(std::vector<double>{0.5}, at.level, at.scale)));
  }
  require(executor.run(inputs).outputs.size() == outputs, "every output is made");
}

/// A half of the tiny parameters gives requests that fit them, or refuses the numbers.
void use(const ClientModel& model) {
  const TinySet& set = keyed_set();
  const auto& inputs = model.interface.inputs;
  double numbers = 0;
  for (const program::ClientInput& input : inputs)
    numbers += static_cast<double>(layout::element_count(input.layout.shape())) +
               static_cast<double>(input.layout.ciphertexts() * input.layout.slots());
  if (identity_of(model).hash != set.context->parameters().hash() || numbers > kFewNumbers) return;
  const runtime::Client client(std::make_shared<const ClientModel>(model), set.context,
                               std::make_shared<const scheme::ckks::SecretKey>(set.secret));
  std::vector<std::vector<double>> tensors;
  for (const program::ClientInput& input : inputs)
    tensors.emplace_back(static_cast<std::size_t>(layout::element_count(input.layout.shape())),
                         input.lowest / 2 + input.highest / 2);
  const std::vector<CiphertextArray> request = client.encrypt({&tensors, 1});
  require(request.size() == inputs.size(), "a request has an array for every input");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require(request[i].size() == static_cast<std::size_t>(inputs[i].layout.ciphertexts()),
            "an array has the ciphertexts of its layout");
    for (const scheme::ckks::Ciphertext& one : request[i])
      require(one.level == inputs[i].level && slots::same_scale(one.scale, inputs[i].scale),
              "a request is at the level and scale of the interface");
  }
  try {
    client.decrypt(request);
  } catch (const base::InputError&) {  // of questions that are no answers
  }
}

template <class Half>
void check_half(const Half& model) {
  static const base::TemporaryFolder folder;
  const auto path = folder.path() / "again";
  save(model, path);
  Half again;
  if constexpr (std::is_same_v<Half, ServerModel>)
    again = runtime::load_server_model(path);
  else
    again = runtime::load_client_model(path);
  require(again.id == model.id && content_of(again) == content_of(model), "a half reads as it was written");
  use(model);
}

}  // namespace

std::string_view target_name() { return "model"; }

std::vector<Bytes> seeds() {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "half";
  std::vector<Bytes> all;
  const auto keep = [&](const auto& half) {
    save(half, path);
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  };
  for (const slots::Program& program : small_programs(keyed_set().context->parameters())) {
    const auto [server, client] = halves_of(program);
    keep(server);
    keep(client);
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  return mutate_artefact(from, other, random, mutate_part_of_model, random.one_in(16) ? nullptr : state_own_id);
}

/// A half is of the model that it names, survives a round trip, and is usable or refused.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  if (runtime::artefact_kind(file.path()) == ArtefactKind::client_model)
    check_half(runtime::load_client_model(file.path()));
  else
    check_half(runtime::load_server_model(file.path()));
}

}  // namespace tacit::fuzz
