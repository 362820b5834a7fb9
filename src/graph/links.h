#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

/// The nodes of a graph that make and read each of its tensors, by their positions.
struct Links {
  explicit Links(const Graph& graph) : makers(graph.tensors.size()), readers(graph.tensors.size()) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const TensorId id : graph.nodes[n].outputs)
        if (id != kNoTensor) makers[id] = n;
      for (const TensorId id : graph.nodes[n].inputs)
        if (id != kNoTensor) readers[id].push_back(n);
    }
  }

  std::vector<std::optional<std::size_t>> makers;  ///< none for an input or a constant
  std::vector<std::vector<std::size_t>> readers;   ///< rising; a node that reads a tensor twice is listed twice
};

}  // namespace tacit::graph
