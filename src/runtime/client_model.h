#pragma once

#include <filesystem>
#include <string>

#include "params/ckks_parameters.h"
#include "program/client_interface.h"
#include "runtime/model_id.h"
#include "scheme/rlwe/key_manifest.h"

namespace tacit::runtime {

/// The client's half of a compiled model: what key generation, encryption and decryption need. Small, no weights.
struct ClientModel {
  std::string name;
  ModelId id{};  ///< equal to the server's half
  params::CkksLiteral literal;
  program::ClientInterface interface;
  scheme::rlwe::KeyManifest keys;
  std::string plan;  ///< the plan, for people
};

/// Throws InputError naming the path.
void save(const ClientModel& model, const std::filesystem::path& path);
/// Throws InputError on anything but an undamaged client model whose parameters pass the security check.
ClientModel load_client_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
