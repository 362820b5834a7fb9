#include "graph/quant/threshold_ranges.h"

#include <algorithm>
#include <cmath>

namespace tacit::graph::quant {
namespace {

using passes::Range;

/// How far inside a threshold lies that samples do not reach: as a share of the width, or of the threshold itself where
/// there is no width. Boxes of 8 bits still tell it from the end, and those of fewer bits round to an end beyond it.
constexpr double kInside = 1.0 / 16;

}  // namespace

void include_thresholds(std::vector<Range>& features, const TreeEnsemble& ensemble) {
  std::vector<Range> wanted = features;
  for (const Tree& tree : ensemble.trees)
    for (const TreeNode& node : tree) {
      if (node.leaf || !std::isfinite(node.threshold)) continue;
      Range& range = wanted.at(static_cast<std::size_t>(node.feature));
      range = {std::min(range.lowest, node.threshold), std::max(range.highest, node.threshold)};
    }
  for (const Tree& tree : ensemble.trees)
    for (const TreeNode& node : tree) {
      if (node.leaf || !std::isfinite(node.threshold)) continue;
      const Range& all = wanted[static_cast<std::size_t>(node.feature)];
      const double width = all.highest - all.lowest;
      const double beyond = kInside * (width > 0 ? width : std::max(1.0, std::abs(node.threshold)));
      Range& range = features[static_cast<std::size_t>(node.feature)];
      if (node.threshold <= range.lowest) range.lowest = node.threshold - beyond;
      if (node.threshold >= range.highest) range.highest = node.threshold + beyond;
    }
}

}  // namespace tacit::graph::quant
