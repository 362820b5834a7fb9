#pragma once

#include <map>

#include "graph/graph.h"
#include "graph/passes/scalar_function.h"

namespace tacit::graph::passes {

/// The operator that recognise() puts in place of a function of one variable.
inline constexpr const char* kFunctionOp = "tacit.Function";

/// A graph whose element-wise non-polynomial functions are single nodes.
struct Recognised {
  Graph graph;                                   ///< tensor ids are those of the original graph
  std::map<TensorId, ScalarFunction> functions;  ///< by the output of a kFunctionOp node
  bool tables = false;                           ///< functions are looked up
};

/// Replaces every maximal group of element-wise operators that depends on one tensor, and is not a polynomial, by one
/// function node: a Relu, x * Sigmoid(x), both forms of Gelu, HardSwish and whatever a model spells out. Dropout,
/// Identity and casts to a floating-point type vanish. Nodes that nothing reads disappear. Where tables look functions
/// up
/// (`tables`), functions may jump, too: truth values that become numbers, and numbers that are rounded.
Recognised recognise(const Graph& graph, bool tables = false);

}  // namespace tacit::graph::passes
