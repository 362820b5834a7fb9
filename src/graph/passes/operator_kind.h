#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// How an operator could be computed on ciphertexts.
enum class OperatorKind {
  movement,  ///< moves elements, or keeps them; costs nothing
  affine,    ///< element-wise arithmetic with constants, or a sum of private tensors
  linear,    ///< mixes elements with constant weights
  product,   ///< products of private values
  function,  ///< of each element alone: a polynomial on its calibrated range stands for it
  trees,     ///< decision trees, which tables of integers compute and slots do not
  none,      ///< no encrypted form
};

/// Judges a node of a graph by its operator, its attributes and which of its inputs are private. Groups that only
/// together are a function of one variable (x / (1 + |x|)) are judged operator by operator, as functions. Steps are
/// functions where the server can look up tables.
OperatorKind kind_of(const Graph& graph, const Node& node, bool tables = false);

/// Throws InputError: the node, its operator, why it has no encrypted form (`reason`, or the operator's own) and the
/// form that its declaration says is supported, on integers where tables look functions up.
[[noreturn]] void refuse_operator(const Node& node, const std::string& reason = "", bool tables = false);

/// The inputs of a node that are not constants, by position.
std::vector<std::size_t> private_inputs(const Graph& graph, const Node& node);

/// True for functions that jump from one value to another and are no part of any that does not: ThresholdedRelu with a
/// threshold other than 0, Shrink with a bias other than its threshold.
bool jumps(const Node& node);
/// True for a Cast to a floating-point type.
bool casts_to_real(const Node& node);
/// True for a Cast to booleans: 0 becomes false, everything else true.
bool casts_to_boolean(const Node& node);

}  // namespace tacit::graph::passes
