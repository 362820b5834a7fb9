#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Replaces operators of the encrypted part of a graph. Tensors keep their ids and names, and new ones follow.
/// - Maxima and minima of real numbers become (a + b) / 2 plus or minus |a - b| / 2, pair by pair: Max and Min of
///   several values, MaxPool and GlobalMaxPool along one axis after the other, ReduceMax and ReduceMin. The sums round,
///   so that a result may differ from the operands in the last bits.
/// - Smooth maxima of few elements (ReduceLogSumExp, LogSoftmax, Softmax) become Softplus of differences, pair by pair.
/// - A Softmax of more elements becomes exponentials, times the reciprocal of their sum.
/// - CumSum becomes a product with a triangle of ones.
/// - Normalisations (LayerNormalization and others) become sums of squares, roots and products.
/// - A quotient of encrypted values becomes a product with a reciprocal.
///
/// Throws InputError naming the node if a window has no element.
Graph write_out_maxima(const Graph& graph);

}  // namespace tacit::graph::passes
