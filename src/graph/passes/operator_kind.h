#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// The way in which an operator could be computed on ciphertexts.
enum class OperatorKind {
  movement,  ///< moves elements, or keeps them; costs nothing
  affine,    ///< element-wise arithmetic with constants, or a sum of private tensors
  linear,    ///< mixes elements with constant weights
  product,   ///< products of private values
  function,  ///< function of each element alone; a polynomial on its calibrated range replaces it
  trees,     ///< decision trees, which tables of integers compute and slots do not
  none,      ///< no encrypted form
};

/// Classifies a node of a graph by its operator, its attributes and its private inputs. Some operators are a function
/// of one variable only as a group (x / (1 + |x|)). Each of them counts as a function. Steps are functions if the
/// server can look up tables.
OperatorKind kind_of(const Graph& graph, const Node& node, bool tables = false);

/// Throws InputError with the node, its operator, the reason why it has no encrypted form, and the form that its
/// declaration supports. The reason is `reason`, or the operator's own. With `tables`, the form is the one on integers.
[[noreturn]] void refuse_operator(const Node& node, const std::string& reason = "", bool tables = false);

/// Returns the positions of a node's inputs that are not constants.
std::vector<std::size_t> private_inputs(const Graph& graph, const Node& node);

/// True for MatMul and Gemm of two private matrices: a contraction.
bool multiplies_private_matrices(const Graph& graph, const Node& node);
/// True for functions that jump from one value to another and are not part of a continuous one. These are
/// ThresholdedRelu with a threshold other than 0, and Shrink with a bias other than its threshold.
bool jumps(const Node& node);
/// True for a Cast to a floating-point type.
bool casts_to_real(const Node& node);
/// True for a Cast to booleans: 0 becomes false, everything else true.
bool casts_to_boolean(const Node& node);

}  // namespace tacit::graph::passes
