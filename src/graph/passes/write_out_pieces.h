#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Writes comparisons, logic, choices and quotients that depend on two tensors, or on a constant for each element, as
/// functions of one tensor, sums and products, which tables of integers compute: a < b as a - b < 0, truth values as
/// sums of zeros and ones, a choice as y + c (x - y), a quotient as a product with a reciprocal. What depends on one
/// tensor stays, for one table computes it, and exactly. Whether real numbers of two tensors are equal stays, too: sums
/// are rounded.
Graph write_out_pieces(const Graph& graph);

}  // namespace tacit::graph::passes
