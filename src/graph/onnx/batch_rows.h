#pragma once

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Inputs are run one at a time, so that a model with a symbolic batch must treat every row of a batch alone.
/// `one` and `several` are the model with its batch bound to 1 and to kSeveralRows. An axis whose extent differs
/// between them holds the batch. Throws InputError naming the first node that computes along such an axis: Softmax on
/// axis 0, a mean over the batch, X Xᵀ. Where operators and shapes do not settle it, both graphs are run on the same
/// random rows and compared; a model that refuses such rows is accepted.
void check_rows_are_apart(const Graph& one, const Graph& several);
inline constexpr int kSeveralRows = 3;

}  // namespace tacit::graph::onnx
