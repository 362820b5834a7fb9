#pragma once

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Checks that a model with a symbolic batch treats every row alone, because inputs are run one at a time. `one` and
/// `several` are the model with its batch bound to 1 and to kSeveralRows. An axis whose extent differs between them
/// holds the batch. Throws InputError naming the first node that computes along such an axis: Softmax on axis 0, a mean
/// over the batch, X Xᵀ. If operators and shapes do not decide, both graphs are run on the same random rows and
/// compared. A model that refuses such rows is accepted, unless `must_run` is true.
void check_rows_are_apart(const Graph& one, const Graph& several, bool must_run = false);
inline constexpr int kSeveralRows = 3;
/// Throws InputError for a batch that cannot be taken apart, because the model's nodes hold its number of rows.
[[noreturn]] void refuse_held_batch();

}  // namespace tacit::graph::onnx
