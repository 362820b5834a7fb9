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

/// Options that say how files become a tree: hash, kind of leaf, chunk size.
struct MerkleSource {
  std::string hash = merkle::scheme_name({}), leaf = "sha256", chunk = "1MiB";
  ComputeOptions compute;

  void add_to(CLI::App& command);
  /// Throws InputError for what does not go together.
  merkle::Scheme scheme() const;
  /// hash, leaf, chunk_bytes, and of several files name, bytes and first leaf of each.
  nlohmann::ordered_json describe(const std::vector<std::filesystem::path>& files = {}) const;
  /// All leaves of the files, in memory. Throws InputError where a tree over them, 64 bytes a leaf, is more than the
  /// machine or the budget has.
  base::AlignedVector<merkle::Digest> leaves(const std::vector<std::filesystem::path>& files,
                                             base::Progress& progress) const;
  /// The tree over them. Throws InputError naming the files where there is no leaf.
  merkle::Tree tree(const std::vector<std::filesystem::path>& files, base::Progress& progress) const;
};

}  // namespace tacit::app::commands
