#pragma once

#include <array>
#include <cstdint>

#include "graph/graph.h"
#include "layout/operators/window.h"

namespace tacit::graph {

/// One axis of a node's window: what kernel_shape, strides, pads, auto_pad, dilations and ceil_mode come to for one
/// input extent.
struct NodeAxis : layout::WindowAxis {
  std::int64_t input = 1, output = 1;  ///< extents
};

/// The window of a Conv or pooling node. Rank 1 and 2 are seen as rank 3 with leading axes of extent 1.
struct NodeWindow {
  std::size_t rank = 0;          ///< spatial axes of the model, 1 to 3
  std::array<NodeAxis, 3> axes;  ///< depth, height, width
};

/// Works the window of a Conv, AveragePool or MaxPool node out. `input` is [batch, channels, spatial...] and `kernel`
/// the spatial extents of the kernel. Refuses attributes that do not fit.
NodeWindow window_of(const Node& node, const Shape& input, const Shape& kernel);

}  // namespace tacit::graph
