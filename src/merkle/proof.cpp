#include "merkle/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"

namespace tacit::merkle {
namespace {

template <class... Args>
Verdict fails(fmt::format_string<Args...> text, Args&&... args) {
  return {false, fmt::format(text, std::forward<Args>(args)...)};
}

bool all_canonical(std::span<const Digest> digests) {
  return std::all_of(digests.begin(), digests.end(), is_canonical);
}

/// Scheme, counts and words of what came from outside; empty reason if they are sound.
Verdict check_tree(const TreeScheme& scheme, std::uint64_t leaves) {
  try {
    require_valid(scheme, "the proof");
    const TreeShape shape(leaves);
    require_fitting(scheme, leaves);
  } catch (const base::InputError& error) {
    return {false, error.what()};
  }
  return {};
}

Verdict check_form(const InclusionProof& proof) {
  if (Verdict verdict = check_tree(proof.scheme, proof.leaves); !verdict) return verdict;
  if (proof.height > TreeShape(proof.leaves).depth())
    return fails("the proof ends at height {}, above the top of a tree of {} leaves", proof.height, proof.leaves);
  if (proof.indices.empty()) return fails("the proof names no leaf");
  if (proof.indices.size() != proof.leaf_digests.size())
    return fails("the proof has {} leaves for {} indices", proof.leaf_digests.size(), proof.indices.size());
  for (std::size_t i = 0; i < proof.indices.size(); ++i) {
    if (proof.indices[i] >= proof.leaves)
      return fails("index {} lies outside the tree of {} leaves", proof.indices[i], proof.leaves);
    if (i > 0 && proof.indices[i] <= proof.indices[i - 1])
      return fails("indices {} and {} are not in ascending order", proof.indices[i - 1], proof.indices[i]);
  }
  if (!all_canonical(proof.leaf_digests) || !all_canonical(proof.nodes))
    return fails("a digest of the proof is not canonical");
  const std::uint64_t expected = inclusion_nodes(proof.leaves, proof.height, proof.indices);
  if (proof.nodes.size() != expected)
    return fails("the proof has {} nodes where its indices need {}", proof.nodes.size(), expected);
  return {};
}

struct Known {
  std::uint64_t position = 0;
  Digest digest;
};

/// The nodes at the proof's height above the proven leaves. The form must have been checked.
std::vector<Known> ascend(const InclusionProof& proof) {
  const TreeShape shape(proof.leaves);
  std::vector<Known> known(proof.indices.size());
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = {proof.indices[i], proof.leaf_digests[i]};
  std::size_t taken = 0;
  std::vector<Digest> children, parents;
  std::vector<Known> next;
  std::vector<std::size_t> merged;  // of `next`, those that are merged, in order; others are moved up as they are
  for (unsigned height = 0; height < proof.height; ++height) {
    const std::uint64_t count = shape.nodes_at(height);
    next.clear();
    children.clear();
    merged.clear();
    for (std::size_t i = 0; i < known.size(); ++i) {
      const std::uint64_t position = known[i].position, sibling = position ^ 1;
      next.push_back({position / 2, known[i].digest});
      if (sibling >= count) continue;
      merged.push_back(next.size() - 1);
      if (sibling < position) {
        children.push_back(proof.nodes[taken++]);
        children.push_back(known[i].digest);
      } else {
        children.push_back(known[i].digest);
        const bool given = i + 1 < known.size() && known[i + 1].position == sibling;
        children.push_back(given ? known[i + 1].digest : proof.nodes[taken++]);
        if (given) ++i;
      }
    }
    parents.resize(merged.size());
    merge_pairs(proof.scheme, children, parents);
    for (std::size_t i = 0; i < merged.size(); ++i) next[merged[i]].digest = parents[i];
    known.swap(next);
  }
  return known;
}

Verdict check_cap(const Cap& cap) {
  if (Verdict verdict = check_tree(cap.scheme, cap.leaves); !verdict) return verdict;
  const TreeShape shape(cap.leaves);
  if (cap.height > shape.depth() || shape.nodes_at(cap.height) != cap.nodes.size())
    return fails("the cap has {} nodes, not those of height {}", cap.nodes.size(), cap.height);
  if (!all_canonical(cap.nodes)) return fails("a digest of the cap is not canonical");
  return {};
}

}  // namespace

void each_needed_sibling(const TreeShape& shape, unsigned height, std::span<const std::uint64_t> indices,
                         const std::function<void(unsigned height, std::uint64_t position)>& visit) {
  std::vector<std::uint64_t> positions(indices.begin(), indices.end());
  for (unsigned h = 0; h < height; ++h) {
    const std::uint64_t count = shape.nodes_at(h);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::uint64_t position = positions[i], sibling = position ^ 1;
      if (i + 1 < positions.size() && positions[i + 1] == sibling)
        ++i;
      else if (sibling < count)
        visit(h, sibling);
      positions[kept++] = position / 2;
    }
    positions.resize(kept);
  }
}

std::uint64_t inclusion_nodes(std::uint64_t leaves, unsigned height, std::span<const std::uint64_t> indices) {
  std::uint64_t needed = 0;
  each_needed_sibling(TreeShape(leaves), height, indices, [&](unsigned, std::uint64_t) { ++needed; });
  return needed;
}

std::uint64_t consistency_nodes(std::uint64_t old_leaves, std::uint64_t new_leaves) {
  const TreeShape shape(new_leaves);
  std::uint64_t needed = static_cast<std::uint64_t>(std::popcount(old_leaves));
  for (auto h = static_cast<unsigned>(std::countr_zero(old_leaves)); h < shape.depth(); ++h) {
    const std::uint64_t position = TreeShape(old_leaves).nodes_at(h) - 1;
    if (position % 2 == 0 && position + 1 < shape.nodes_at(h)) ++needed;
  }
  return needed;
}

Verdict verify(const InclusionProof& proof, const Digest& root) {
  if (Verdict verdict = check_form(proof); !verdict) return verdict;
  if (proof.height != TreeShape(proof.leaves).depth())
    return fails("the proof ends below the top: it needs the cap it was made for");
  if (root_of(proof.scheme, ascend(proof).front().digest, proof.leaves) != root)
    return fails("the leaves and nodes of the proof do not lead to the root");
  return {};
}

Verdict verify(const InclusionProof& proof, const Cap& cap) {
  if (Verdict verdict = check_cap(cap); !verdict) return verdict;
  if (Verdict verdict = check_form(proof); !verdict) return verdict;
  if (proof.scheme != cap.scheme || proof.leaves != cap.leaves || proof.height != cap.height)
    return fails("the proof was made for another tree or another cap");
  for (const Known& node : ascend(proof))
    if (node.digest != cap.nodes[node.position])
      return fails("the leaves and nodes of the proof do not lead to node {} of the cap", node.position);
  return {};
}

Verdict verify(const ConsistencyProof& proof, const Digest& old_root, const Digest& new_root) {
  for (const std::uint64_t leaves : {proof.old_leaves, proof.new_leaves})
    if (Verdict verdict = check_tree(proof.scheme, leaves); !verdict) return verdict;
  if (proof.old_leaves > proof.new_leaves)
    return fails("the older tree has {} leaves, more than the {} of the newer", proof.old_leaves, proof.new_leaves);
  const std::uint64_t expected = consistency_nodes(proof.old_leaves, proof.new_leaves);
  if (proof.nodes.size() != expected)
    return fails("the proof has {} nodes where its counts need {}", proof.nodes.size(), expected);
  if (!all_canonical(proof.nodes)) return fails("a digest of the proof is not canonical");

  const TreeShape shape(proof.new_leaves), old_shape(proof.old_leaves);
  auto node = proof.nodes.begin();
  const auto lowest = static_cast<unsigned>(std::countr_zero(proof.old_leaves));
  Digest old_top = *node, new_top = *node;
  ++node;
  for (unsigned h = lowest; h < shape.depth(); ++h) {
    const std::uint64_t position = old_shape.nodes_at(h) - 1;  // of the node above the last old leaf
    if (position % 2 == 1) {                                   // its left sibling is a perfect subtree of both trees
      old_top = merge(proof.scheme, *node, old_top);
      new_top = merge(proof.scheme, *node++, new_top);
    } else if (position + 1 < shape.nodes_at(h)) {
      new_top = merge(proof.scheme, new_top, *node++);
    }
  }
  if (root_of(proof.scheme, old_top, proof.old_leaves) != old_root)
    return fails("the nodes of the proof do not lead to the older root");
  if (root_of(proof.scheme, new_top, proof.new_leaves) != new_root)
    return fails("the nodes of the proof do not lead to the newer root");
  return {};
}

Digest cap_root(const Cap& cap) {
  if (const Verdict verdict = check_cap(cap); !verdict) throw base::InputError(verdict.reason);
  std::vector<Digest> scratch((cap.nodes.size() + 1) / 2);
  return root_of(cap.scheme, top_of_block(cap.scheme, cap.nodes, scratch), cap.leaves);
}

}  // namespace tacit::merkle
