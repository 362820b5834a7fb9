#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/key_manifest.h"
#include "program/client_interface.h"
#include "program/slots/program.h"
#include "runtime/binding.h"

/// A compiled model is two halves that belong together by one id. Neither works with a half of another model.
namespace tacit::runtime {

/// What both halves say about the model.
struct ModelHead {
  std::string name;
  ModelId id{};  ///< equal in both halves
  params::CkksLiteral literal;
};

/// The server's half: the program with its weights.
struct ServerModel : ModelHead {
  slots::Program program;
};

/// The client's half: what key generation, encryption and decryption need. Small, no weights.
struct ClientModel : ModelHead {
  program::ClientInterface interface;
  params::KeyManifest keys;
  std::string plan;  ///< JSON of the plan, without instructions. This room only carries it.
  /// What the client runs in the clear (graph::to_bytes of graph::ClientParts). This room only carries it.
  std::vector<std::uint8_t> parts{};
};

/// Of the model's parameters.
params::ParameterIdentity identity_of(const ModelHead& model);

/// Throws InputError naming the path.
void save(const ServerModel& model, const std::filesystem::path& path);
void save(const ClientModel& model, const std::filesystem::path& path);
/// Throws InputError, naming the path, on anything but an undamaged half of that kind whose parameters pass the
/// security check, and for a program with validations, which need the secret key.
ServerModel load_server_model(const std::filesystem::path& path);
ClientModel load_client_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
