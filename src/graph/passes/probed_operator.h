#pragma once

#include "graph/graph.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// Finds the matrix of a linear node with one private operand by running the reference. A Resize is run axis by axis,
/// because its matrix is the product of one matrix per axis. An Einsum is run on every unit vector. Throws InputError
/// naming the node if that would take too long (an Einsum of more than 4096 private elements) or if the node is not
/// linear.
layout::LinearOperatorPtr probed_operator(const Graph& graph, const Node& node);

}  // namespace tacit::graph::passes
