#pragma once

#include <CLI/CLI.hpp>

namespace tacit::app::commands {

/// Adds `prove`, `append` and `verify` to the group of commands about Merkle trees.
void add_merkle_proofs(CLI::App& group, int& status);

}  // namespace tacit::app::commands
