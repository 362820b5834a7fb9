#pragma once

#include "graph/graph.h"
#include "layout/linear_operator.h"
#include "layout/repeated_reals.h"

namespace tacit::graph::passes {

/// The affine map of one node with one private operand.
struct LinearNode {
  layout::LinearOperatorPtr op;
  layout::RepeatedReals bias{0};  ///< by output element
};

/// Returns the elements of a constant times `factor`, for every element of a shape that the constant broadcasts to.
layout::RepeatedReals broadcast_values(const Tensor& constant, const Shape& shape, double factor);

/// Returns the map from a node's private operand to its first output. The shapes are those of the graph's tensors, and
/// the batch dimension may have any extent. Throws InputError naming the node if the form is not supported.
LinearNode linear_operator(const Graph& graph, const Node& node);

}  // namespace tacit::graph::passes
