#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "params/tfhe_parameters.h"
#include "program/integers/client_interface.h"
#include "program/integers/program.h"
#include "runtime/model_half.h"

/// A compiled model on integers as two halves that belong together by one id, like those on slots (compiled_model.h).
namespace tacit::runtime {

struct IntegerModelHead : HalfHead {
  using Parameters = params::TfheParameters;
  static constexpr ArtefactScheme kScheme = ArtefactScheme::tfhe;
  static constexpr auto kLiteralFrom = params::tfhe_literal_from;

  params::TfheLiteral literal{};
};

/// The server's half: the program with its weights and tables.
struct IntegerServerModel : IntegerModelHead {
  integers::Program program;
};

/// The client's half, for key generation, encryption and decryption.
struct IntegerClientModel : IntegerModelHead {
  integers::ClientInterface interface;
  std::string plan;                   ///< JSON of the plan, without instructions; src/runtime only carries it
  std::vector<std::uint8_t> parts{};  ///< operators that the client runs in the clear; src/runtime only carries them
};

/// Return the digest of a half's content, for the id of a model.
base::Digest content_of(const IntegerServerModel& model);
base::Digest content_of(const IntegerClientModel& model);

/// Write a half and return the root of the file. Throw InputError naming the path.
base::Digest save(const IntegerServerModel& model, const Sink& sink);
base::Digest save(const IntegerClientModel& model, const Sink& sink);
/// Read a half. Throw InputError naming the path for a file that is no undamaged half of that kind and scheme. The
/// parameters must pass the security check and be sufficient for the program. The content must have the stated id.
IntegerServerModel load_integer_server_model(const Source& source);
IntegerClientModel load_integer_client_model(const Source& source);

}  // namespace tacit::runtime
