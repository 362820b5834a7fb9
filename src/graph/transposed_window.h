#pragma once

#include "graph/graph.h"
#include "graph/window.h"

namespace tacit::graph {

/// The window of a ConvTranspose node: input position i and tap k add to output position i * stride + k * dilation -
/// pad_begin. It is the window of the convolution whose transpose the node is, seen from that one's output. `input` is
/// [batch, channels, spatial...] and `kernel` the spatial extents of the kernel. Refuses attributes that do not fit.
NodeWindow transposed_window_of(const Node& node, const Shape& input, const Shape& kernel);

}  // namespace tacit::graph
