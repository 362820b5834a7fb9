#pragma once

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Inputs are run one at a time, so that a model with a symbolic batch must treat every row of a batch alone. `one` and
/// `several` are the model with its batch bound to 1 and to a larger extent: an axis whose extent differs between them
/// holds the batch. Throws InputError naming the first node that computes along such an axis: Softmax on axis 0, a mean
/// over the batch, X Xᵀ.
void check_rows_are_apart(const Graph& one, const Graph& several);

}  // namespace tacit::graph::onnx
