#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// A question about one feature: does it compare so? Answered by a table.
struct Condition {
  std::int64_t feature = 0;
  std::vector<char> holds;  ///< by box of the feature
};

/// A part of a tree that one table decides. Its argument is width * agreed + own, where width = 2^nodes:
/// - `agreed` counts the conditions on the way to the part's root that go that way,
/// - `own` is the sum of 2^i over those of its own nodes i that hold.
/// Where all conditions on the way agree, the table gives the weight of the leaf that `own` leads to, and otherwise 0.
/// So the parts of a tree add up to the weight of the leaf that is reached.
struct TreePart {
  struct Use {
    std::size_t condition = 0;  ///< index into TreeParts::conditions, or into TreeParts::prefixes
    bool wanted = true;         ///< whether the way goes where the condition holds
    bool prefix = false;        ///< the beginning of the way, which is one condition
  };
  std::vector<Use> way;              ///< from the root of the tree
  std::vector<std::size_t> nodes;    ///< conditions of its own nodes
  std::vector<std::size_t> leaf_of;  ///< by the bits of its own nodes: index into `leaves`
  std::vector<const TreeNode*> leaves;
  std::size_t tree = 0;  ///< of the ensemble

  /// Of the argument.
  std::int64_t highest() const { return static_cast<std::int64_t>((way.size() + 1) << nodes.size()) - 1; }
};

/// The beginning of a way that is longer than a table counts: a table of its own says whether all of it agrees.
struct WayPrefix {
  std::vector<TreePart::Use> way;  ///< the first may be another prefix, of the level before
  std::size_t level = 0;
};

/// An ensemble cut into parts whose arguments fit tables of so many bits. Conditions with the same answers are one.
struct TreeParts {
  std::vector<Condition> conditions;
  std::vector<WayPrefix> prefixes{};
  std::vector<TreePart> parts;
};

/// `answers(node)` says in which boxes of its feature the comparison of a node holds. Pointers go into `ensemble`.
TreeParts cut_trees(const TreeEnsemble& ensemble, int bits,
                    const std::function<std::vector<char>(const TreeNode& node)>& answers);

}  // namespace tacit::graph::quant
