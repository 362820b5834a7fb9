#pragma once

#include <filesystem>
#include <string>

#include "params/ckks_parameters.h"
#include "program/program.h"
#include "runtime/model_id.h"

namespace tacit::runtime {

/// The server's half of a compiled model: the program with its weights.
struct ServerModel {
  std::string name;
  ModelId id{};
  params::CkksLiteral literal;
  program::Program program;
};

/// Throws InputError naming the path.
void save(const ServerModel& model, const std::filesystem::path& path);
/// Throws InputError on anything but an undamaged server model whose parameters pass the security check.
ServerModel load_server_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
