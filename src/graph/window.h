#pragma once

#include <array>
#include <cstdint>

#include "graph/declaration.h"
#include "layout/operators/window.h"

namespace tacit::graph {

/// The attributes of all windows, and what convolutions have besides.
inline constexpr AttributeDeclaration kWindow[] = {text("auto_pad", "NOTSET", "NOTSET, VALID, SAME_UPPER, SAME_LOWER"),
                                                   extents("dilations"), extents("pads", 0), extents("strides")};
inline constexpr AttributeDeclaration kKernel[] = {integer("group", 1, 1, kLargestExtent), extents("kernel_shape")};
inline constexpr auto kConvolution = joined(kWindow, kKernel);

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

/// An attribute of a window: `count` values, all `fallback` where the node states none.
std::vector<std::int64_t> by_axis(const Node& node, const char* name, std::size_t count, std::int64_t fallback);

/// Works the window of a Conv, AveragePool or MaxPool node out. `input` is [batch, channels, spatial...] and `kernel`
/// the spatial extents of the kernel. Refuses attributes that do not fit.
NodeWindow window_of(const Node& node, const Shape& input, const Shape& kernel);

}  // namespace tacit::graph
