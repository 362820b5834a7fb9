#pragma once

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Inputs are run one at a time, so that a model with a symbolic batch must treat every row of a batch alone.
/// `one` and `several` are the model with its batch bound to 1 and to kSeveralRows. An axis whose extent differs
/// between them holds the batch. Throws InputError naming the first node that computes along such an axis: Softmax on
/// axis 0, a mean over the batch, X Xᵀ. Where operators and shapes do not settle it, both graphs are run on the same
/// random rows and compared; a model that refuses such rows is accepted, unless it `must_run`.
void check_rows_are_apart(const Graph& one, const Graph& several, bool must_run = false);
inline constexpr int kSeveralRows = 3;
/// Refuses to take apart a batch whose number of rows stands in the model's nodes.
[[noreturn]] void refuse_held_batch();

}  // namespace tacit::graph::onnx
