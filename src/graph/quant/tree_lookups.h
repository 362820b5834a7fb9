#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// A comparison of one feature, which a table answers.
struct Condition {
  std::int64_t feature = 0;
  std::vector<char> holds;  ///< by box of the feature
};

/// A part of a tree that one table decides. Its argument is width * agreed + own, where width = 2^nodes:
/// - `agreed` is the number of conditions on the way to the part's root whose answers agree with the way,
/// - `own` is the sum of 2^i over the part's nodes i whose conditions hold.
///
/// If all conditions on the way agree, the table gives the weight of the leaf that `own` leads to, and otherwise 0. So
/// the parts of a tree add up to the weight of the leaf that is reached.
struct TreePart {
  struct Use {
    std::size_t condition = 0;  ///< index into TreeParts::conditions, or into TreeParts::prefixes
    bool wanted = true;         ///< true if the way is the side on which the condition holds
    bool prefix = false;        ///< true for the beginning of the way, which is one condition
  };
  std::vector<Use> way;              ///< from the root of the tree
  std::vector<std::size_t> nodes;    ///< conditions of the part's nodes
  std::vector<std::size_t> leaf_of;  ///< by the bits of `own`: index into `leaves`
  std::vector<const TreeNode*> leaves;
  std::size_t tree = 0;  ///< index of the tree in the ensemble

  /// The largest argument.
  std::int64_t highest() const { return static_cast<std::int64_t>((way.size() + 1) << nodes.size()) - 1; }
};

/// The beginning of a way that is too long for the counts of a table. A separate table decides whether all of it
/// agrees.
struct WayPrefix {
  std::vector<TreePart::Use> way;  ///< the first may be another prefix, of the previous level
  std::size_t level = 0;
};

/// An ensemble cut into parts whose arguments fit tables of `bits` bits. Conditions with the same answers are joined.
struct TreeParts {
  std::vector<Condition> conditions;
  std::vector<WayPrefix> prefixes{};
  std::vector<TreePart> parts;
};

/// Cuts an ensemble. `answers(node)` returns the boxes of the node's feature in which its comparison holds. Pointers in
/// the result go into `ensemble`.
TreeParts cut_trees(const TreeEnsemble& ensemble, int bits,
                    const std::function<std::vector<char>(const TreeNode& node)>& answers);

}  // namespace tacit::graph::quant
