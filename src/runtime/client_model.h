#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "params/key_manifest.h"
#include "program/client_interface.h"
#include "runtime/model_head.h"

namespace tacit::runtime {

/// The client's half of a compiled model: what key generation, encryption and decryption need. Small, no weights.
struct ClientModel : ModelHead {
  program::ClientInterface interface;
  params::KeyManifest keys;
  std::string plan;  ///< the plan, for people
  /// What the client runs in the clear (graph::to_bytes of graph::ClientParts). This room only carries it.
  std::vector<std::uint8_t> parts{};
};

/// Throws InputError naming the path.
void save(const ClientModel& model, const std::filesystem::path& path);
/// Throws InputError on anything but an undamaged client model whose parameters pass the security check.
ClientModel load_client_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
