#pragma once

#include <map>

#include "graph/graph.h"
#include "graph/passes/scalar_function.h"

namespace tacit::graph::passes {

/// The operator that recognise() puts in place of a function of one variable.
inline constexpr const char* kFunctionOp = "tacit.Function";

/// A graph whose element-wise functions that are not polynomials are single nodes.
struct Recognised {
  Graph graph;                                   ///< tensor ids are those of the original graph
  std::map<TensorId, ScalarFunction> functions;  ///< by the output of a kFunctionOp node
  bool tables = false;                           ///< functions are looked up in tables
};

/// Replaces groups of element-wise operators by single function nodes. Every maximal group that depends on one tensor,
/// and is not a polynomial, becomes one node: a Relu, x * Sigmoid(x), both forms of Gelu, HardSwish, and other
/// functions that a model spells out. Dropout, Identity, casts to a floating-point type and unread nodes disappear.
/// With `tables`, functions may jump: they may include truth values that become numbers, and numbers that are rounded.
Recognised recognise(const Graph& graph, bool tables = false);

}  // namespace tacit::graph::passes
