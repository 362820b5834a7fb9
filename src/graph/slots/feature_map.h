#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// [batch, channels, rows, columns] with more than one pixel.
bool is_feature_map(const Shape& shape);

/// A value on a grid (layout::Layout::guarded), and how far its points lie apart there.
struct FeatureMap {
  Shape shape;
  layout::Layout::Gaps gaps;
};

/// The feature maps of a network on one grid, by value; gaps of other values are 1. The gaps of what an operator makes
/// are those of its first operand times the operator's strides, or the power of two below: its windows then read
/// neighbouring points at every place. What functions and products tie together has the same. Maps that no other
/// map leads to have the largest gaps that keep them as large as the largest map. All gaps are as small as they can
/// be together: the smallest of all maps is 1, of rows as of columns.
std::vector<FeatureMap> feature_maps(const Network& network);

}  // namespace tacit::graph::passes
