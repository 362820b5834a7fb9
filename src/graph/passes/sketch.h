#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/graph.h"

namespace tacit::graph::passes {

/// A graph drawn by hand, for tests.
struct Sketch {
  Graph graph;

  TensorId input(const Shape& shape, const std::string& name = "x") {
    const TensorId id = tensor(name, shape);
    graph.inputs.push_back(id);
    return id;
  }
  TensorId constant(const Shape& shape, std::vector<double> data) {
    const TensorId id = tensor(std::string("k").append(std::to_string(graph.tensors.size())), shape);
    graph.tensors[id].constant = static_cast<std::int64_t>(graph.constants.size());
    graph.constants.push_back({shape, std::move(data), false});
    return id;
  }
  TensorId node(const std::string& op, std::vector<TensorId> inputs, const Shape& shape,
                std::map<std::string, Attribute> attributes = {}) {
    const TensorId id = tensor(std::string(op).append(std::to_string(graph.nodes.size())), shape);
    graph.nodes.push_back({op, graph.tensors[id].name, std::move(inputs), {id}, std::move(attributes)});
    return id;
  }
  void output(TensorId id) { graph.outputs.push_back(id); }

 private:
  TensorId tensor(const std::string& name, const Shape& shape) {
    graph.tensors.push_back({name, shape, false, -1});
    return static_cast<TensorId>(graph.tensors.size() - 1);
  }
};

}  // namespace tacit::graph::passes
