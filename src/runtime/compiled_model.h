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
/// carries a digest of the other one's content, so a loader can compute the id again. A file with changed weights does
/// not have the id that it states.
namespace tacit::runtime {

/// The statements of both halves about the model.
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

/// The client's half, for key generation, encryption and decryption. Small, without weights.
struct ClientModel : ModelHead {
  program::ClientInterface interface;
  params::KeyManifest keys;
  std::string plan;  ///< JSON of the plan, without instructions; src/runtime only carries it
  /// The operators that the client runs in the clear (graph::to_bytes of graph::ClientParts). src/runtime only carries
  /// them.
  std::vector<std::uint8_t> parts{};
};

/// Return SHA-256 of the content of a half. For the server's half it is the program with its weights. For the client's
/// half it is client interface, key manifest and the client's own part. Names and plans are not included.
base::Digest content_of(const ServerModel& model);
base::Digest content_of(const ClientModel& model);

/// Write a half and return the root of the file. Throw InputError naming the path.
base::Digest save(const ServerModel& model, const Sink& sink);
base::Digest save(const ClientModel& model, const Sink& sink);
/// Read a half. Throw InputError, naming the path,
/// - for a file that is no undamaged half of that kind;
/// - for parameters that fail the security check;
/// - for content that does not have the stated id;
/// - for a program with validations, which need the secret key.
ServerModel load_server_model(const Source& source);
ClientModel load_client_model(const Source& source);

}  // namespace tacit::runtime
