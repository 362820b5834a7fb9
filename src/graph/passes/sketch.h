#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/graph.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {

/// A graph drawn by hand, for tests.
struct Sketch {
  Graph graph;

  TensorId input(const Shape& shape, const std::string& name = "x") {
    graph.inputs.push_back(GraphEditor(graph).tensor(name, shape));
    return graph.inputs.back();
  }
  TensorId constant(const Shape& shape, std::vector<double> data) {
    const std::string name = std::string("k").append(std::to_string(graph.tensors.size()));
    return GraphEditor(graph).constant(name, {shape, std::move(data), false});
  }
  TensorId node(const std::string& op, std::vector<TensorId> inputs, const Shape& shape,
                std::map<std::string, Attribute> attributes = {}) {
    const std::string name = std::string(op).append(std::to_string(graph.nodes.size()));
    return GraphEditor(graph).step(op, name, std::move(inputs), shape, std::move(attributes));
  }
  void output(TensorId id) { graph.outputs.push_back(id); }
};

/// Returns a graph of one node with one output.
inline Graph one_node(const std::string& op, const std::vector<Shape>& inputs, const Shape& output,
                      std::map<std::string, Attribute> attributes = {}) {
  Sketch s;
  std::vector<TensorId> all;
  for (const Shape& shape : inputs) all.push_back(s.input(shape));
  s.output(s.node(op, all, output, std::move(attributes)));
  return s.graph;
}

}  // namespace tacit::graph::passes
