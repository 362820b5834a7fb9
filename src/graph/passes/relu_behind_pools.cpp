#include "graph/passes/relu_behind_pools.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "graph/links.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {

Graph relu_behind_pools(Graph graph) {
  const Links links(graph);
  const auto read_once = [&](TensorId id) {
    return links.readers[id].size() == 1 && std::ranges::find(graph.outputs, id) == graph.outputs.end();
  };
  std::map<TensorId, Node> relu_of;  // by result, if one node reads it
  std::vector<Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  GraphEditor editor(graph);
  for (Node& node : nodes) {
    if (node.op == "Relu" && read_once(node.outputs.at(0))) relu_of.emplace(node.outputs[0], node);
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
