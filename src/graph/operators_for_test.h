#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

/// The operators of a graph's nodes, in their order.
inline std::vector<std::string> operators_of(const Graph& graph) {
  std::vector<std::string> operators;
  for (const Node& node : graph.nodes) operators.push_back(node.op);
  return operators;
}

}  // namespace tacit::graph
