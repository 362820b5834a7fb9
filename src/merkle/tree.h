#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "merkle/device.h"
#include "merkle/digest.h"
#include "merkle/proof.h"
#include "merkle/tree_shape.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// A Merkle tree in memory: leaves and nodes in two arrays of 32 bytes each, at the places of TreeShape. Reading is
/// thread safe, changing is not.
class Tree {
 public:
  /// Builds the tree on `device`, or on the processor. Throws InputError without leaves, and for a leaf that is not
  /// canonical. In strict mode the number of leaves must be a power of two.
  Tree(const TreeScheme& scheme, base::AlignedVector<Digest> leaves, Device* device = nullptr,
       Approach approach = Approach::work_groups, std::uint64_t group = 256);

  const TreeScheme& scheme() const { return scheme_; }
  const TreeShape& shape() const { return shape_; }
  std::span<const Digest> leaves() const { return leaves_; }
  /// Returns all slots. Slot 0 holds nothing.
  std::span<const Digest> nodes() const { return nodes_; }
  /// Returns the node at a height (0: leaves) and position.
  const Digest& node(unsigned height, std::uint64_t position) const;
  const Digest& top() const { return node(shape_.depth(), 0); }
  /// Returns the commitment of the tree.
  Digest root() const;

  /// Replaces a leaf and the nodes above it, with as many merges as the tree is deep.
  void update(std::uint64_t index, const Digest& leaf);
  /// Adds leaves on the right. Nodes of perfect subtrees stay unchanged.
  void append(std::span<const Digest> leaves);

  /// Returns the nodes of the level `levels` below the top, or all leaves if the tree has fewer levels.
  Cap cap(unsigned levels) const;
  /// Proves the leaves at `indices`, ascending and distinct, against the root. With `cap_levels` above 0, it proves
  /// them against that cap. Throws InputError for other indices.
  InclusionProof prove(std::span<const std::uint64_t> indices, unsigned cap_levels = 0) const;
  /// Proves that this tree extends the one of its first `old_leaves` leaves.
  ConsistencyProof prove_extension(std::uint64_t old_leaves) const;

 private:
  void require_index(std::uint64_t index) const;
  TreeScheme scheme_;
  TreeShape shape_;
  base::AlignedVector<Digest> leaves_, nodes_;
};

/// Returns the runs of leaves [first, second) that differ between two trees of one scheme. The search descends where
/// nodes differ. Leaves that only the longer tree has end the last run. Throws InputError for different schemes.
std::vector<std::pair<std::uint64_t, std::uint64_t>> differing_leaves(const Tree& a, const Tree& b);

}  // namespace tacit::merkle
