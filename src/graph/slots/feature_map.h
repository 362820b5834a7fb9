#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// True for a shape [batch, channels, rows, columns] with more than one pixel.
bool is_feature_map(const Shape& shape);

/// A value on a grid (layout::Layout::guarded), and the gaps between its points there.
struct FeatureMap {
  Shape shape;
  layout::Layout::Gaps gaps;
};

/// Returns the feature maps of a network on one grid, by value. Gaps of other values are 1. The gaps follow from these
/// rules:
/// - The gaps of an operator's output are those of its first operand times the operator's strides, or the power of two
///   below. Its windows then read neighbouring points at every place.
/// - Values that functions and products tie together have the same gaps.
/// - Maps without a map before them have the largest gaps at which they are no larger than the largest map.
/// - All gaps are as small as possible together: the smallest gap of rows is 1, and the smallest of columns too.
std::vector<FeatureMap> feature_maps(const Network& network);

}  // namespace tacit::graph::passes
