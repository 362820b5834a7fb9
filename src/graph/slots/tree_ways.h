#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "graph/range.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {

/// A condition of a way: the boxes of one element of the inputs in which the way goes on.
struct WayFactor {
  std::size_t place = 0;    ///< index of the element, as the caller numbers them
  std::vector<char> holds;  ///< by box of the element's grid; some are 1 and some are 0
};

/// The way from the root of a tree to one of its leaves: all its factors hold exactly for the inputs that reach the
/// leaf. Nodes on one element are one factor. There is at least one factor.
struct TreeWay {
  std::size_t tree = 0;  ///< index of the tree in the ensemble
  std::vector<WayFactor> factors;
  std::vector<double> weights;  ///< by target: what the leaf adds to the base scores. Some are not 0.
};

/// An ensemble as a sum: score[t] = base[t] + sum of weights[t] of the ways that are taken. No tree takes two ways. A
/// tree's most frequent leaf is in the base scores, so that the ways to such leaves are left out.
struct TreeWays {
  std::vector<TreeWay> ways;
  std::vector<double> base;  ///< by target

  /// Returns the number of factors of the longest way.
  std::size_t longest() const;
  /// Returns the interval of the score of a target, over all inputs. It is exact if every leaf can be reached.
  Range range(std::size_t target) const;
};

/// The most nodes from the root of a tree to a leaf.
inline constexpr std::size_t kDeepestWay = 256;

/// A node's condition on the grid.
struct NodeOnGrid {
  std::size_t place = 0;
  std::vector<char> goes_yes;  ///< by box
};

/// Returns the ways of an ensemble. `on_grid(node)` states a node's condition, not called for leaves. Ways that no box
/// reaches are left out. Throws InputError with the number if there are more than `most` ways, or if more than
/// kDeepestWay nodes are on one of them.
TreeWays tree_ways(const TreeEnsemble& ensemble, const std::function<NodeOnGrid(const TreeNode&)>& on_grid,
                   std::size_t most);

}  // namespace tacit::graph::passes
