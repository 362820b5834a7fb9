#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// A sliding window over the spatial dimensions of [batch, channels, spatial ...]: one number per spatial dimension.
struct Window {
  std::vector<std::int64_t> kernel, strides, dilations, begin_pads, end_pads;
};

/// Reads kernel_shape, strides, dilations, pads and auto_pad of a convolution or pooling node. `kernel` is used where
/// the node has no kernel_shape. Throws InputError naming the node if their lengths do not fit the input's rank.
Window window_of(const Node& node, const Shape& input, std::vector<std::int64_t> kernel);

}  // namespace tacit::graph::passes
