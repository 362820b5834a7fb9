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

/// Appends the nodes that replace one node. Each has the name of that node and a number.
class NodeSteps {
 public:
  NodeSteps(GraphEditor& editor, const Node& node) : editor_(editor), name_(node.name) {}

  TensorId step(const char* op, std::vector<TensorId> inputs, Shape shape,
                std::map<std::string, Attribute> attributes = {}) {
    return editor_.step(op, next_name(), std::move(inputs), std::move(shape), std::move(attributes));
  }
  TensorId constant(Tensor tensor) { return editor_.constant(next_name(), std::move(tensor)); }
  TensorId number(double value) { return constant({{}, {value}, false}); }
  TensorId list(const Shape& numbers) { return constant(integers(numbers)); }
  /// The shape is a copy, because a shape of the graph moves when a tensor is added.
  TensorId expanded(TensorId x, Shape shape) {
    const TensorId extents = list(shape);
    return step("Expand", {x, extents}, std::move(shape));
  }
  /// Returns the elements of x at these indices of an axis.
  TensorId taken(TensorId x, std::size_t axis, const Shape& indices) {
    Shape shape = editor_.shape(x);
    shape[axis] = static_cast<std::int64_t>(indices.size());
    const TensorId indexed = list(indices);
    return step("Gather", {x, indexed}, std::move(shape), {{"axis", static_cast<std::int64_t>(axis)}});
  }
  /// Returns the sums along axes, which stay with extent 1.
  TensorId sums(TensorId x, const Shape& axes) {
    Shape kept = editor_.shape(x);
    for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
    const TensorId along = list(axes);
    return step("ReduceSum", {x, along}, std::move(kept), {{"keepdims", std::int64_t{1}}});
  }

 protected:
  GraphEditor& editor_;

 private:
  std::string next_name() { return name_ + "." + std::to_string(count_++); }

  std::string name_;
  int count_ = 0;
};

}  // namespace tacit::graph::passes
