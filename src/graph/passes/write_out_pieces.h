#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Rewrites comparisons, logic, choices and quotients as functions of one tensor, sums and products, which tables of
/// integers compute. It applies to operators on two tensors, or on a tensor and a constant for each element:
/// - a < b becomes a - b < 0.
/// - Truth values become sums of zeros and ones.
/// - A choice becomes y + c (x - y).
/// - A quotient becomes a product with a reciprocal.
///
/// Operators on one tensor stay, because one table computes them exactly. Equality of real numbers of two tensors stays
/// too, because sums are rounded.
Graph write_out_pieces(const Graph& graph);

}  // namespace tacit::graph::passes
