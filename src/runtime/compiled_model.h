#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/key_manifest.h"
#include "program/client_interface.h"
#include "program/slots/program.h"
#include "runtime/model_half.h"

/// A compiled model is two halves that belong together by one id. Neither works with a half of another model. Each half
/// carries a digest of what the other one holds, so that whoever loads it computes the id anew: a file whose weights
/// were changed is not of the model that it names.
namespace tacit::runtime {

/// What both halves say about the model.
struct ModelHead : HalfHead {
  using Parameters = params::CkksParameters;
  static constexpr ArtefactScheme kScheme = ArtefactScheme::ckks;
  static constexpr auto kLiteralFrom = params::literal_from;

  params::CkksLiteral literal{};
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

/// SHA-256 of what a half holds: of the program with its weights; of client interface, key manifest and the client's
/// own part. Names and plans are not in it.
base::Digest content_of(const ServerModel& model);
base::Digest content_of(const ClientModel& model);

/// The root of what was written. Throws InputError naming the path.
base::Digest save(const ServerModel& model, const std::filesystem::path& path);
base::Digest save(const ClientModel& model, const std::filesystem::path& path);
/// Throws InputError, naming the path, on anything but an undamaged half of that kind whose parameters pass the
/// security check, for a half whose content is not that of the id that it states, and for a program with validations,
/// which need the secret key.
ServerModel load_server_model(const std::filesystem::path& path);
ClientModel load_client_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
