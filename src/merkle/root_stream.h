#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merkle/digest.h"
#include "merkle/proof.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// Computes the root of a tree from a sequence of leaves in O(log N) memory. It holds one node for every finished
/// perfect subtree, and a block of the latest leaves (128 KiB). The root equals that of Tree for every number of
/// leaves. Long runs of leaves are hashed on all threads. Not thread safe.
class RootStream {
 public:
  explicit RootStream(const TreeScheme& scheme);
  /// Throws InputError for a leaf that is not canonical, and beyond 2^48 leaves.
  void append(std::span<const Digest> leaves);
  void append(const Digest& leaf) { append(std::span(&leaf, 1)); }

  std::uint64_t leaves() const { return leaves_; }
  void clear();
  /// Return the top node and the root of the leaves so far; more may follow. Throw InputError without leaves, and in
  /// strict mode unless their number is a power of two.
  Digest top() const;
  Digest root() const;

 private:
  void push_block(const Digest& top);
  TreeScheme scheme_;
  std::uint64_t leaves_ = 0;
  std::vector<Digest> peaks_;  ///< tops of perfect subtrees of the leaves before block_, the largest first
  std::vector<Digest> block_;
};

/// Computes the cap of a tree from a sequence of leaves of known number, in the memory of the cap. The cap equals that
/// of Tree. Not thread safe.
class CapStream {
 public:
  /// Throws InputError without leaves, and in strict mode unless their number is a power of two.
  CapStream(const TreeScheme& scheme, std::uint64_t leaves, unsigned levels);
  /// Throws InputError for a leaf that is not canonical, and for more leaves than announced.
  void append(std::span<const Digest> leaves);
  /// Returns the cap. Throws InputError unless all leaves were appended.
  const Cap& cap() const;

 private:
  Cap cap_;
  std::uint64_t appended_ = 0;
  RootStream part_;  ///< the leaves below the next node of the cap
};

/// Returns the top node of a few leaves, level by level. `scratch` holds at least half as many digests.
Digest top_of_block(const TreeScheme& scheme, std::span<const Digest> leaves, std::span<Digest> scratch);

/// Throws InputError naming the first leaf that is not canonical. `first` is the number of the first leaf.
void require_canonical(std::span<const Digest> leaves, std::uint64_t first = 0);
/// Throws InputError in strict mode unless `leaves` is a power of two.
void require_fitting(const TreeScheme& scheme, std::uint64_t leaves);

}  // namespace tacit::merkle
