#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Returns a vector of integers, as shapes and axes of nodes are.
inline Tensor integers(const Shape& numbers) {
  return {{static_cast<std::int64_t>(numbers.size())}, {numbers.begin(), numbers.end()}, true};
}

/// Appends nodes to a graph, in order. For passes that replace an operator by others.
class GraphEditor {
 public:
  explicit GraphEditor(Graph& graph) : graph_(graph) {}

  TensorId tensor(const std::string& name, Shape shape) {
    TensorInfo info;
    info.name = name;
    info.shape = std::move(shape);
    graph_.tensors.push_back(std::move(info));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }
  TensorId constant(const std::string& name, Tensor value) {
    const TensorId id = tensor(name, value.shape);
    graph_.tensors[id].integral = value.integral;
    graph_.tensors[id].constant = static_cast<std::int64_t>(graph_.constants.size());
    graph_.constants.push_back(std::move(value));
    return id;
  }
  /// Appends a node that makes an existing tensor.
  void node(const std::string& op, const std::string& name, std::vector<TensorId> inputs, TensorId output,
            std::map<std::string, Attribute> attributes = {}) {
    graph_.nodes.push_back({op, name, std::move(inputs), {output}, std::move(attributes)});
  }
  /// Appends a node that makes a new tensor, which is named after the node.
  TensorId step(const std::string& op, const std::string& name, std::vector<TensorId> inputs, Shape shape,
                std::map<std::string, Attribute> attributes = {}) {
    const TensorId id = tensor(name, std::move(shape));
    node(op, name, std::move(inputs), id, std::move(attributes));
    return id;
  }
  /// Marks a tensor of truth values or integers.
  void integral(TensorId id) { graph_.tensors[id].integral = true; }
  bool is_constant(TensorId id) const { return graph_.tensors[id].constant >= 0; }
  /// Returns the first number of a constant.
  std::int64_t whole_scalar(TensorId id) const { return static_cast<std::int64_t>(graph_.constant(id).data.at(0)); }
  bool is_integral(TensorId id) const { return graph_.tensors[id].integral; }
  const Shape& shape(TensorId id) const { return graph_.tensors[id].shape; }
  /// Returns the appended node that makes a tensor, or null.
  const Node* maker(TensorId id) const {
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node)
      for (const TensorId output : node->outputs)
        if (output == id) return &*node;
    return nullptr;
  }
  const Tensor& constant_of(TensorId id) const { return graph_.constant(id); }
  void copy(Node node) { graph_.nodes.push_back(std::move(node)); }

 private:
  Graph& graph_;
};

}  // namespace tacit::graph::passes
