#pragma once

#include <span>

#include "graph/graph.h"

namespace tacit::graph {

/// Multiplications, or steps of like cost, by which the reference run evaluates a node, from the shapes of its inputs
/// (null where one is absent) and outputs alone. Outputs that are not known yet count for nothing where the inputs and
/// attributes tell the work (windows, products of matrices).
double work_of(const Node& node, std::span<const Shape* const> inputs, std::span<const Shape> outputs);

/// Of all nodes of a graph.
double work_of(const Graph& graph);

}  // namespace tacit::graph
