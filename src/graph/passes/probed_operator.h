#pragma once

#include "graph/graph.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// The matrix of a linear node with one private operand, found by running the reference: a Resize axis by axis, for it
/// is the product of one matrix an axis; an Einsum on every unit vector. Throws InputError naming the node where that
/// would take too long (an Einsum of more than 4096 private elements) or the node is not linear.
layout::LinearOperatorPtr probed_operator(const Graph& graph, const Node& node);

}  // namespace tacit::graph::passes
