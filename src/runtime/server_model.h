#pragma once

#include <filesystem>

#include "program/program.h"
#include "runtime/model_head.h"

namespace tacit::runtime {

/// The server's half of a compiled model: the program with its weights.
struct ServerModel : ModelHead {
  program::Program program;
};

/// Throws InputError naming the path.
void save(const ServerModel& model, const std::filesystem::path& path);
/// Throws InputError on anything but an undamaged server model whose parameters pass the security check.
ServerModel load_server_model(const std::filesystem::path& path);

}  // namespace tacit::runtime
