#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "merkle/digest.h"
#include "merkle/tree_shape.h"
#include "merkle/variant.h"

/// Proofs about a Merkle tree, and their checks. A verifier trusts a root (or a cap) and nothing in the proof. It
/// checks counts, indices, order and the exact number of nodes. No node may be left over, and words must be canonical.
namespace tacit::merkle {

/// The result of a check, with the reason if the proof does not hold.
struct Verdict {
  bool holds = true;
  std::string reason;
  explicit operator bool() const { return holds; }
};

/// All nodes at one height of a tree. This commitment makes proofs shorter.
struct Cap {
  TreeScheme scheme;
  std::uint64_t leaves = 0;
  unsigned height = 0;
  std::vector<Digest> nodes;
  bool operator==(const Cap&) const = default;
};

/// Proves that certain leaves are at certain places. One index gives the usual path. Several share their nodes: a node
/// that the others give is left out (an octopus; eprint 2017/933).
struct InclusionProof {
  TreeScheme scheme;
  std::uint64_t leaves = 0;            ///< leaves of the tree
  unsigned height = 0;                 ///< end of the proof: the depth, or the height of a cap
  std::vector<std::uint64_t> indices;  ///< ascending, distinct
  std::vector<Digest> leaf_digests;    ///< one per index
  std::vector<Digest> nodes;           ///< siblings that cannot be computed, from the leaves up, left to right
  bool operator==(const InclusionProof&) const = default;
};

/// Proves that a tree has the leaves of an older one, in their order, and then others.
struct ConsistencyProof {
  TreeScheme scheme;
  std::uint64_t old_leaves = 0, new_leaves = 0;
  /// The nodes from the leaves up: the tops of the perfect subtrees of the old tree, and right siblings of the new
  /// tree.
  std::vector<Digest> nodes;
  bool operator==(const ConsistencyProof&) const = default;
};

/// Visits the nodes that a proof up to `height` needs, in the proof's order. Indices are ascending and distinct.
void each_needed_sibling(const TreeShape& shape, unsigned height, std::span<const std::uint64_t> indices,
                         const std::function<void(unsigned height, std::uint64_t position)>& visit);
/// Returns the number of nodes in the proof of these indices (ascending, distinct, below `leaves`) up to a height.
std::uint64_t inclusion_nodes(std::uint64_t leaves, unsigned height, std::span<const std::uint64_t> indices);
std::uint64_t consistency_nodes(std::uint64_t old_leaves, std::uint64_t new_leaves);

Verdict verify(const InclusionProof& proof, const Digest& root);
/// Checks a proof against a cap, which the caller trusts or has checked with cap_root.
Verdict verify(const InclusionProof& proof, const Cap& cap);
Verdict verify(const ConsistencyProof& proof, const Digest& old_root, const Digest& new_root);

/// Returns the root that a cap belongs to. Throws InputError if the cap is malformed.
Digest cap_root(const Cap& cap);

}  // namespace tacit::merkle
