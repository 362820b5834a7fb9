#include "graph/prune.h"

#include <algorithm>
#include <utility>

namespace tacit::graph {

void drop_unread(Graph& graph) {
  std::vector<bool> needed(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) needed[id] = true;
  std::vector<Node> kept;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    Node& node = graph.nodes[n];
    if (std::ranges::none_of(node.outputs, [&](TensorId id) { return id != kNoTensor && needed[id]; })) continue;
    for (const TensorId id : node.inputs)
      if (id != kNoTensor) needed[id] = true;
    kept.push_back(std::move(node));
  }
  std::ranges::reverse(kept);
  graph.nodes = std::move(kept);
}

Graph prune(Graph graph) {
  drop_unread(graph);
  std::vector<bool> needed(graph.tensors.size(), false);
  const auto need = [&](const std::vector<TensorId>& ids) {
    for (const TensorId id : ids)
      if (id != kNoTensor) needed[id] = true;
  };
  // An output that nobody reads keeps its tensor, so that every output of a node that runs has one.
  for (const Node& node : graph.nodes) {
    need(node.inputs);
    need(node.outputs);
  }
  need(graph.inputs);
  need(graph.outputs);

  Graph result;
  result.name = std::move(graph.name);
  result.notes = std::move(graph.notes);
  std::vector<TensorId> renamed(graph.tensors.size(), kNoTensor);
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
    if (!needed[id]) continue;
    renamed[id] = static_cast<TensorId>(result.tensors.size());
    TensorInfo info = std::move(graph.tensors[id]);
    if (info.constant >= 0) {
      result.constants.push_back(std::move(graph.constants[static_cast<std::size_t>(info.constant)]));
      info.constant = static_cast<std::int64_t>(result.constants.size()) - 1;
    }
    result.tensors.push_back(std::move(info));
  }
  const auto rename = [&](std::vector<TensorId>& ids) {
    for (TensorId& id : ids) id = id == kNoTensor ? kNoTensor : renamed[id];
  };
  result.nodes = std::move(graph.nodes);
  for (Node& node : result.nodes) {
    rename(node.inputs);
    rename(node.outputs);
  }
  result.inputs = std::move(graph.inputs);
  result.outputs = std::move(graph.outputs);
  rename(result.inputs);
  rename(result.outputs);
  return result;
}

}  // namespace tacit::graph
