#include "graph/prune.h"

#include <algorithm>
#include <utility>

namespace tacit::graph {

Graph prune(Graph graph) {
  std::vector<bool> needed(graph.tensors.size(), false);
  for (const TensorId id : graph.outputs) needed[id] = true;
  std::vector<bool> runs(graph.nodes.size(), false);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    runs[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](TensorId id) { return id != kNoTensor && needed[id]; });
    if (!runs[i]) continue;
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor) needed[id] = true;
    }
  }
  // An output that nobody reads keeps its tensor, so that every output of a node that runs has one.
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!runs[i]) continue;
    for (const TensorId id : graph.nodes[i].outputs) {
      if (id != kNoTensor) needed[id] = true;
    }
  }
  for (const TensorId id : graph.inputs) needed[id] = true;

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
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!runs[i]) continue;
    rename(graph.nodes[i].inputs);
    rename(graph.nodes[i].outputs);
    result.nodes.push_back(std::move(graph.nodes[i]));
  }
  result.inputs = std::move(graph.inputs);
  result.outputs = std::move(graph.outputs);
  rename(result.inputs);
  rename(result.outputs);
  return result;
}

}  // namespace tacit::graph
