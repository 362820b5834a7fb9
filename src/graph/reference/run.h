#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::reference {

/// Evaluates one operator exactly, in double precision, on whole tensors (null where an optional input is absent).
/// Returns at least the outputs that the node names. Throws InputError, naming node and operator, for an operator it
/// does not know and for shapes or attributes that do not fit. Integer tensors stay integers.
std::vector<Tensor> evaluate(const Graph& graph, const Node& node, std::span<const Tensor* const> inputs);
/// True if `evaluate` knows the operator.
bool knows(const std::string& op);

/// Told the tensors that each node made.
using NodeObserver = std::function<void(const Node&, std::span<const Tensor>)>;

/// Runs the whole network on one input (batch of one), in the order of graph.inputs; returns graph.outputs. Single
/// threaded, and safe to call from several threads. Throws InputError for inputs of another number or shape.
std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs, const NodeObserver& observer = {});

}  // namespace tacit::graph::reference
