#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "graph/declaration.h"
#include "layout/operators/window.h"

namespace tacit::graph {

/// The attributes of all windows, and further attributes of convolutions.
inline constexpr AttributeDeclaration kWindow[] = {text("auto_pad", "NOTSET", "NOTSET, VALID, SAME_UPPER, SAME_LOWER"),
                                                   extents("dilations"), extents("pads", 0), extents("strides")};
inline constexpr AttributeDeclaration kKernel[] = {integer("group", 1, 1, kLargestExtent), extents("kernel_shape")};
inline constexpr auto kConvolution = joined(kWindow, kKernel);

/// One axis of a node's window for one input extent, worked out from kernel_shape, strides, pads, auto_pad, dilations
/// and ceil_mode.
struct NodeAxis : layout::WindowAxis {
  std::int64_t input = 1, output = 1;  ///< extents
};

/// The window of a Conv or pooling node. Windows of rank 1 and 2 are stored as rank 3 with leading axes of extent 1.
struct NodeWindow {
  std::size_t rank = 0;          ///< spatial axes of the model, 1 to 3
  std::array<NodeAxis, 3> axes;  ///< depth, height, width
  std::span<const NodeAxis> spatial() const { return std::span(axes).last(rank); }
};

/// The taps [first, last) of one axis that are inside an extent, for a position on the other side of the window.
struct Taps {
  std::int64_t start, first, last;  ///< tap k is at start + k * dilation
  bool empty() const { return first == last; }
};

inline Taps taps(const NodeAxis& axis, std::int64_t position, std::int64_t extent) {
  const std::int64_t start = position * axis.stride - axis.pad_begin;
  const std::int64_t first = start >= 0 ? 0 : std::min(axis.kernel, (-start + axis.dilation - 1) / axis.dilation);
  const std::int64_t room = extent - 1 - start;
  const std::int64_t last = room < 0 ? first : std::min(axis.kernel, room / axis.dilation + 1);
  return {start, first, std::max(first, last)};
}

/// Returns an attribute of a window: `count` values, all `fallback` if the node states none.
std::vector<std::int64_t> by_axis(const Node& node, const char* name, std::size_t count, std::int64_t fallback);

/// Returns the window of a Conv, AveragePool or MaxPool node. `input` is [batch, channels, spatial...], and `kernel` is
/// the spatial extents of the kernel. Refuses attributes that do not fit.
NodeWindow window_of(const Node& node, const Shape& input, const Shape& kernel);

/// Returns the window of a ConvTranspose node. Input position i and tap k add to output position i * stride + k *
/// dilation - pad_begin. The node is the transpose of a convolution. The window is that of the convolution, from its
/// output. `input` is [batch, channels, spatial...], and `kernel` is the spatial extents of the kernel. Refuses
/// attributes that do not fit.
NodeWindow transposed_window_of(const Node& node, const Shape& input, const Shape& kernel);

}  // namespace tacit::graph
