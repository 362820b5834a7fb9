#pragma once

#include <CLI/CLI.hpp>

namespace tacit::app::commands {

/// The most levels between the top and a cap: at most 2^20 nodes of 32 bytes.
inline constexpr unsigned kMostCapLevels = 20;

/// Adds `prove`, `append` and `verify` to the group of commands about Merkle trees.
void add_merkle_proofs(CLI::App& group, int& status);

}  // namespace tacit::app::commands
