#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "merkle/device.h"
#include "session/owner/measurement.h"

namespace tacit::bench {

/// Selects the measurements of the Merkle room.
struct MerkleBenchmarkChoice {
  std::string kind;                   ///< only devices of this kind; all when empty
  int first_log = 16, last_log = 23;  ///< leaves 2^first to 2^last
  std::uint64_t smallest_group = 32, largest_group = 512;
  int repeats = 1;      ///< runs of each tree; the one with the median time counts
  double longest = 60;  ///< seconds: after a tree that took longer, a device builds none of more leaves
  merkle::TreeScheme scheme;
};

/// The result of one build of a tree.
struct TreeResult {
  std::string kind, device;
  merkle::Approach approach{};
  std::uint64_t leaves = 0, group = 0;
  double seconds = 0;         ///< seconds of the whole run, transfers of leaves and nodes included
  double kernel_seconds = 0;  ///< seconds of its dispatches, as the device measures them
  std::size_t rounds = 0;
  std::optional<unsigned> published_rounds;  ///< approach 2, if the published formula holds
};

/// Builds trees of every size on every device, by both approaches with every group size. Approach 1 on the processor
/// does not depend on the group size and is built once. `sink` receives each result at once.
void run_tree_benchmarks(const MerkleBenchmarkChoice& choice, const std::function<void(const TreeResult&)>& sink);

/// One operation on one thread, and its time.
struct MerkleOperationResult {
  std::string operation;
  session::Measurement measurement;
};

/// Measures merges (many at once and one alone, both variants) and proofs of a leaf among 2^20, each for about
/// `seconds`.
void run_merkle_operations(double seconds, const std::function<void(const MerkleOperationResult&)>& sink);

/// The milliseconds of the published SYCL design for a tree (kernel times, work-groups of 32).
struct PublishedTree {
  std::string_view device;
  merkle::Approach approach;
  int log_leaves;
  double milliseconds;
};
std::vector<PublishedTree> published_trees();

}  // namespace tacit::bench
