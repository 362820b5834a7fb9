#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "params/tfhe_parameters.h"
#include "program/integers/client_interface.h"
#include "program/integers/program.h"
#include "runtime/model_half.h"

/// A compiled model on integers as two halves that belong together by one id, as those on slots (compiled_model.h).
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

/// The client's half: what key generation, encryption and decryption need.
struct IntegerClientModel : IntegerModelHead {
  integers::ClientInterface interface;
  std::string plan;                   ///< JSON of the plan, without instructions. This room only carries it.
  std::vector<std::uint8_t> parts{};  ///< what the client runs in the clear. This room only carries it.
};

/// What each half adds to the id of a model.
base::Digest content_of(const IntegerServerModel& model);
base::Digest content_of(const IntegerClientModel& model);

/// The root of what was written. Throws InputError naming the path.
base::Digest save(const IntegerServerModel& model, const std::filesystem::path& path);
base::Digest save(const IntegerClientModel& model, const std::filesystem::path& path);
/// Both throw InputError naming the path. A file is refused unless it is an undamaged half of that kind and scheme. Its
/// parameters must pass the security check and hold for the program. Its content must be that of the id that it states.
IntegerServerModel load_integer_server_model(const std::filesystem::path& path);
IntegerClientModel load_integer_client_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
