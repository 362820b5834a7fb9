#include "graph/passes/write_out_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/declaration.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/operator_kind.h"
#include "graph/prune.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kToFloat = 1;
constexpr double kHalf = 0.5;

class PieceWriter {
 public:
  explicit PieceWriter(const Graph& graph) : result_(graph), editor_(result_) {
    result_.nodes.clear();
    for (TensorId id = 0; id < graph.tensors.size(); ++id) origin_.push_back(id);
    for (const Node& node : graph.nodes) write(node);
    drop_unread(result_);
  }
  Graph take() { return std::move(result_); }

 private:
  const TensorInfo& info(TensorId id) const { return result_.tensors[id]; }
  bool is_scalar(TensorId id) const { return editor_.is_constant(id) && result_.constant(id).size() == 1; }

  /// True if every element of the result is a function of one element of one tensor, `origin`.
  bool of_one_tensor(const Node& node, TensorId& origin) const {
    const Operator* op = find_operator(node.op);
    const bool element_wise =
        op != nullptr && (op->is == Class::function || op->is == Class::step || op->is == Class::extreme ||
                          op->is == Class::piece || op->is == Class::cast || op->is == Class::arithmetic ||
                          node.op == "Pow" || node.op == "Identity" || node.op == "Dropout");
    if (!element_wise || op->has(kByChannel)) return false;
    bool found = false;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor || is_scalar(id)) continue;
      if (editor_.is_constant(id) || info(id).shape != info(node.outputs[0]).shape) return false;
      if (found && origin_[id] != origin) return false;
      origin = origin_[id];
      found = true;
    }
    return found;
  }

  void write(const Node& node) {
    if (node.outputs.empty() || node.outputs[0] == kNoTensor) return editor_.copy(node);
    if (TensorId origin = 0; of_one_tensor(node, origin)) {
      origin_[node.outputs[0]] = origin;
      return editor_.copy(node);
    }
    const bool texts = std::ranges::any_of(node.inputs, [&](TensorId id) { return id != kNoTensor && info(id).text; });
    if (texts || private_inputs(result_, node).empty()) return editor_.copy(node);
    if (node.op == "Less" || node.op == "LessOrEqual" || node.op == "Greater" || node.op == "GreaterOrEqual" ||
        node.op == "Equal") {
      write_comparison(node);
    } else if (node.op == "And" || node.op == "Or" || node.op == "Xor") {
      write_logic(node);
    } else if (node.op == "Where" && !info(node.outputs[0]).integral) {
      write_choice(node);
    } else if (node.op == "Div" && !info(node.outputs[0]).integral && !editor_.is_constant(node.inputs[1])) {
      write_quotient(node);
    } else {
      editor_.copy(node);
    }
  }

  std::string next_name(const Node& node) { return fmt::format("{}.{}", node.name, count_++); }
  TensorId scalar(const Node& node, double value) { return editor_.constant(next_name(node), {{}, {value}, false}); }
  TensorId step(const Node& node, const char* op, std::vector<TensorId> inputs, const Shape& shape) {
    const TensorId id = editor_.step(op, next_name(node), std::move(inputs), shape);
    origin_.resize(result_.tensors.size());
    origin_[id] = id;
    return id;
  }
  /// Returns truth values (as zeros and ones) or integers as reals, which is the end of a table.
  TensorId real(const Node& node, TensorId id) {
    if (!info(id).integral) return id;
    if (editor_.is_constant(id)) {
      const Tensor& constant = result_.constant(id);
      return editor_.constant(next_name(node), {constant.shape, constant.data, false});
    }
    const Shape shape = info(id).shape;
    const TensorId cast = editor_.step("Cast", next_name(node), {id}, shape, {{"to", kToFloat}});
    origin_.resize(result_.tensors.size());
    origin_[cast] = origin_[id];
    return cast;
  }

  void write_comparison(const Node& node) {
    const TensorId result = node.outputs[0];
    const Shape shape = info(result).shape;
    const bool whole = info(node.inputs[0]).integral && info(node.inputs[1]).integral;
    if (node.op == "Equal" && !whole) return editor_.copy(node);
    TensorId difference = step(node, "Sub", {real(node, node.inputs[0]), real(node, node.inputs[1])}, shape);
    // The bound is between two integers, where rounding cannot cross it.
    double bound = 0;
    if (whole) bound = node.op == "Less" || node.op == "GreaterOrEqual" ? -kHalf : kHalf;
    if (node.op == "Equal") difference = step(node, "Abs", {difference}, shape);
    editor_.node(node.op == "Equal" ? "Less" : node.op, node.name, {difference, scalar(node, bound)}, result);
  }

  void write_logic(const Node& node) {
    const TensorId result = node.outputs[0];
    const Shape shape = info(result).shape;
    TensorId sum = step(node, "Add", {real(node, node.inputs[0]), real(node, node.inputs[1])}, shape);
    if (node.op == "Xor") {
      sum = step(node, "Abs", {step(node, "Sub", {sum, scalar(node, 1)}, shape)}, shape);
      return editor_.node("Less", node.name, {sum, scalar(node, kHalf)}, result);
    }
    editor_.node("Greater", node.name, {sum, scalar(node, node.op == "And" ? 1 + kHalf : kHalf)}, result);
  }

  void write_choice(const Node& node) {
    const TensorId result = node.outputs[0], chosen = node.inputs[1], other = node.inputs[2];
    if (editor_.is_constant(node.inputs[0])) return editor_.copy(node);
    const Shape shape = info(result).shape;
    TensorId difference = 0;
    if (editor_.is_constant(chosen) && editor_.is_constant(other)) {
      const Tensor* const operands[] = {&result_.constant(chosen), &result_.constant(other)};
      difference = editor_.constant(next_name(node),
                                    reference::evaluate(Graph{}, {"Sub", node.name, {0, 1}, {2}, {}}, operands).at(0));
    } else {
      difference = step(node, "Sub", {chosen, other}, shape);
    }
    const TensorId taken = step(node, "Mul", {real(node, node.inputs[0]), difference}, shape);
    editor_.node("Add", node.name, {other, taken}, result);
  }

  void write_quotient(const Node& node) {
    const TensorId reciprocal = step(node, "Reciprocal", {node.inputs[1]}, info(node.inputs[1]).shape);
    origin_[reciprocal] = origin_[node.inputs[1]];
    editor_.node("Mul", node.name, {node.inputs[0], reciprocal}, node.outputs[0]);
  }

  Graph result_;
  GraphEditor editor_;
  std::vector<TensorId>
      origin_;  ///< by tensor: the tensor whose elements its elements are functions of; itself if there are several
  int count_ = 0;
};

}  // namespace

Graph write_out_pieces(const Graph& graph) { return PieceWriter(graph).take(); }

}  // namespace tacit::graph::passes
