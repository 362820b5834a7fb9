#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options.h"
#include "base/progress.h"
#include "merkle/tree.h"

namespace tacit::app::commands {

/// Options that state how files become a tree: hash, kind of leaf, chunk size.
struct MerkleSource {
  std::string hash = merkle::scheme_name({}), leaf = "sha256", chunk = "1MiB";
  ComputeOptions compute;

  void add_to(CLI::App& command);
  /// Throws InputError for a contradictory combination.
  merkle::TreeScheme scheme() const;
  /// Returns hash, leaf and chunk_bytes. For several files it adds name, bytes and first leaf of each.
  nlohmann::ordered_json describe(const std::vector<std::filesystem::path>& files = {}) const;
  /// Returns all leaves of the files, in memory. Throws InputError if a tree over them, 64 bytes per leaf, exceeds the
  /// memory of the machine or of the budget.
  base::AlignedVector<merkle::Digest> leaves(const std::vector<std::filesystem::path>& files,
                                             base::Progress& progress) const;
  /// Returns the tree over the leaves. Throws InputError naming the files if there is no leaf.
  merkle::Tree tree(const std::vector<std::filesystem::path>& files, base::Progress& progress) const;
};

}  // namespace tacit::app::commands
