#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/limits.h"

namespace tacit::graph::reference {

/// Evaluates one operator exactly, in double precision, on whole tensors (null if an optional input is absent). Returns
/// at least the outputs that the node names. Integer tensors stay integers, and wrap around in the type that the graph
/// states for them. Throws InputError, naming node and operator, for:
/// - an operator that is not known;
/// - inputs and attributes that are not as declared;
/// - shapes that do not fit;
/// - results of more elements than `most_elements`.
std::vector<Tensor> evaluate(const Graph& graph, const Node& node, std::span<const Tensor* const> inputs,
                             std::int64_t most_elements = kMostElements);
/// Converts a node's result to the format of its tensor: rounds reals, and refuses integers that are outside their
/// type.
void as_stated(const Node& node, const TensorInfo& info, Tensor& result);

/// Receives the tensors that each node made.
using NodeObserver = std::function<void(const Node&, std::span<const Tensor>)>;

/// Runs the whole network on one input (batch of one), in the order of graph.inputs. Returns graph.outputs. Single
/// threaded, and safe to call from several threads. Throws InputError for inputs of another number or shape, and for
/// fractions if the model takes integers.
std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs, const NodeObserver& observer = {});

}  // namespace tacit::graph::reference
