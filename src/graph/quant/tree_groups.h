#pragma once

#include <cstddef>
#include <vector>

#include "graph/range.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// An ensemble whose trees are divided into groups, so that every group has a separate unit for its leaves. Target
/// t * groups + g of `ensemble` is the sum of group g for target t, and the sum of the groups is the score.
struct GroupedTrees {
  TreeEnsemble ensemble;
  std::vector<Range> seen;  ///< by target of `ensemble`: a range as wide as the group's part of the scores; or empty
  std::vector<double>
      shares;  ///< by target of `ensemble`: its part of the spread of the scores, whose squares add to 1
  std::size_t groups = 1;
};

/// Divides the trees into groups of equal width: the widths of the leaves of a target, added over the trees of a group,
/// are about the same in all groups. Trees with wide leaves share a group. `seen` are the ranges of the scores over
/// samples, by target, or empty.
GroupedTrees in_groups(const TreeEnsemble& ensemble, const std::vector<Range>& seen, std::size_t groups);

}  // namespace tacit::graph::quant
