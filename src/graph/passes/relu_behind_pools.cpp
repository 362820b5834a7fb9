#include "graph/passes/relu_behind_pools.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {
namespace {

/// By tensor, how many nodes and outputs of the graph read it.
std::vector<int> readers(const Graph& graph) {
  std::vector<int> count(graph.tensors.size(), 0);
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.inputs)
      if (id != kNoTensor) ++count[id];
  for (const TensorId id : graph.outputs) ++count[id];
  return count;
}

}  // namespace

Graph relu_behind_pools(Graph graph) {
  const std::vector<int> read = readers(graph);
  std::map<TensorId, Node> relu_of;  // by result, where one node reads it
  std::vector<Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  GraphEditor editor(graph);
  for (Node& node : nodes) {
    if (node.op == "Relu" && read[node.outputs.at(0)] == 1) relu_of.emplace(node.outputs[0], node);
    const bool pools = (node.op == "MaxPool" || node.op == "GlobalMaxPool") && node.outputs.size() == 1;
    const auto relu = pools ? relu_of.find(node.inputs.at(0)) : relu_of.end();
    if (relu == relu_of.end()) {
      editor.copy(std::move(node));
      continue;
    }
    std::erase_if(graph.nodes, [&](const Node& made) { return made.outputs == relu->second.outputs; });
    const TensorId result = node.outputs[0];
    const TensorId largest = editor.tensor(node.name + ".before_relu", Shape(editor.shape(result)));
    node.inputs[0] = relu->second.inputs.at(0);
    node.outputs[0] = largest;
    editor.copy(std::move(node));
    editor.node("Relu", relu->second.name, {largest}, result);
  }
  return graph;
}

}  // namespace tacit::graph::passes
