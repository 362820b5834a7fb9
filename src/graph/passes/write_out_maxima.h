#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Replaces maxima and minima of encrypted real numbers by (a + b) / 2 plus or minus |a - b| / 2, pair by pair: Max and
/// Min of several values, MaxPool and GlobalMaxPool along one axis after the other, ReduceMax and ReduceMin. For the
/// encrypted part of a graph: the sums round, so that a result is not always the bits of an operand. Tensors keep their
/// ids and names; new ones follow. Smooth maxima of few elements (ReduceLogSumExp, LogSoftmax, Softmax) become Softplus
/// of differences, pair by pair. CumSum becomes a product with a triangle of ones. A quotient of encrypted values
/// becomes a product with a reciprocal. Throws InputError naming the node if a window has no element.
Graph write_out_maxima(const Graph& graph);

}  // namespace tacit::graph::passes
