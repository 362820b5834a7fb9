#pragma once

#include <span>

#include "graph/graph.h"

namespace tacit::graph {

/// Returns the multiplications, or steps of similar cost, of the reference run of a node. They follow only from the
/// shapes of its inputs (null if absent) and outputs. Outputs that are not known count for nothing if the inputs and
/// attributes determine the work (windows, products of matrices).
double work_of(const Node& node, std::span<const Shape* const> inputs, std::span<const Shape> outputs);

/// Returns the work of all nodes of a graph.
double work_of(const Graph& graph);

}  // namespace tacit::graph
