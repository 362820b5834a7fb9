#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Replaces operators that are made of simpler ones by those:
/// - linear estimators by Gemm and an operator that turns their scores into labels,
/// - support vector machines by their kernels,
/// - norms by sums of squares and a root,
/// - pooling by norms of orders 1 and 2 by a convolution and a root.
/// The tensors of `graph` keep their ids and names; new ones follow. Throws InputError naming the node for attributes
/// that have no such form.
Graph write_out(const Graph& graph);

}  // namespace tacit::graph::passes
