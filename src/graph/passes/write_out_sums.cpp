#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/passes/write_out_softmax.h"
#include "graph/passes/written_out.h"

namespace tacit::graph::passes {
namespace {

/// The most elements of a log-sum-exp between layers. Each halving takes a table or a polynomial.
constexpr std::int64_t kMostTerms = 16;

class Steps : public NodeSteps {
 public:
  using NodeSteps::NodeSteps;

  TensorId reshaped(TensorId x, const Shape& shape) {
    return editor_.shape(x) == shape ? x : step("Reshape", {x, list(shape)}, shape);
  }
  /// Writes log(exp a + exp b) = b + softplus(a - b). The bend of softplus is at most ln 2, however large a and b are.
  TensorId log_sum_of_two(TensorId a, TensorId b) {
    const Shape shape = editor_.shape(a);
    const TensorId difference = step("Sub", {a, b}, shape);
    return step("Add", {b, step("Softplus", {difference}, shape)}, shape);
  }
  /// Writes a log-sum-exp along an axis, which stays with extent 1. An element without a partner waits for the next
  /// round.
  TensorId log_sum(TensorId x, std::size_t axis) {
    while (editor_.shape(x)[axis] > 1) {
      const std::int64_t extent = editor_.shape(x)[axis], pairs = extent / 2;
      Shape first, second;
      for (std::int64_t i = 0; i < pairs; ++i) {
        first.push_back(i);
        second.push_back(pairs + i);
      }
      TensorId sums = log_sum_of_two(taken(x, axis, first), taken(x, axis, second));
      if (extent % 2 != 0) {
        Shape shape = editor_.shape(sums);
        ++shape[axis];
        sums = step("Concat", {sums, taken(x, axis, {extent - 1})}, std::move(shape),
                    {{"axis", static_cast<std::int64_t>(axis)}});
      }
      x = sums;
    }
    return x;
  }
};

std::vector<std::size_t> axes_of(const Node& node, std::size_t rank) {
  std::vector<std::size_t> axes, all;
  if (node.op != "ReduceLogSumExp") return {normal_axis(node, integer_attribute(node, "axis"), rank)};
  for (const std::int64_t axis : integers_attribute(node, "axes")) axes.push_back(normal_axis(node, axis, rank));
  for (std::size_t axis = 0; axes.empty() && axis < rank; ++axis) all.push_back(axis);
  return axes.empty() ? all : axes;
}

}  // namespace

void write_out_log_sum(GraphEditor& editor, const Node& node) {
  const TensorId x = node.inputs.at(0), result = node.outputs.at(0);
  const Shape in = editor.shape(x);
  const std::vector<std::size_t> axes = axes_of(node, in.size());
  std::int64_t terms = 1;
  for (const std::size_t axis : axes) terms *= in[axis];
  Steps steps(editor, node);
  if (node.op == "Softmax" && (terms > kMostTerms || has_constant_mask(editor, x)))
    return write_out_softmax(editor, node, axes.at(0), {});
  if (terms > kMostTerms || terms < 1) return editor.copy(node);  // refused with the others that have no form
  TensorId sum = x;
  for (const std::size_t axis : axes) sum = steps.log_sum(sum, axis);
  if (node.op == "ReduceLogSumExp") {
    editor.node("Reshape", node.name, {sum, editor.constant(node.name + ".shape", integers(editor.shape(result)))},
                result);
  } else if (node.op == "LogSoftmax") {
    editor.node("Sub", node.name, {x, sum}, result);
  } else {
    editor.node("Exp", node.name, {steps.step("Sub", {x, sum}, in)}, result);
  }
}

void write_out_running_sum(GraphEditor& editor, const Node& node) {
  const TensorId x = node.inputs.at(0), result = node.outputs.at(0);
  if (!editor.is_constant(node.inputs.at(1))) return editor.copy(node);
  const Shape in = editor.shape(x);
  const std::size_t axis = normal_axis(node, editor.whole_scalar(node.inputs[1]), in.size());
  const bool exclusive = flag_attribute(node, "exclusive"), reverse = flag_attribute(node, "reverse");
  std::int64_t outer = 1, inner = 1;
  const std::int64_t count = in[axis];
  for (std::size_t k = 0; k < in.size(); ++k) (k < axis ? outer : inner) *= k == axis ? 1 : in[k];
  Tensor triangle{{count, count}, std::vector<double>(static_cast<std::size_t>(count * count), 0.0), false};
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t column = 0; column < count; ++column) {
      const bool adds = reverse ? column > row : column < row;
      if (adds || (column == row && !exclusive)) triangle.data[static_cast<std::size_t>(row * count + column)] = 1;
    }
  Steps steps(editor, node);
  const TensorId ones = editor.constant(node.name + ".ones", std::move(triangle));
  const TensorId lines = steps.reshaped(x, {outer, count, inner});
  const TensorId sums = steps.step("MatMul", {ones, lines}, {outer, count, inner});
  editor.node("Reshape", node.name, {sums, editor.constant(node.name + ".shape", integers(in))}, result);
}

void write_out_quotient(GraphEditor& editor, const Node& node) {
  const TensorId above = node.inputs.at(0), below = node.inputs.at(1);
  const bool one_number = editor.is_constant(above) && element_count(editor.shape(above)) == 1;
  if (editor.is_constant(below) || one_number) return editor.copy(node);  // affine, or a function of one variable
  Steps steps(editor, node);
  const TensorId reciprocal = steps.step("Reciprocal", {below}, editor.shape(below));
  editor.node("Mul", node.name, {above, reciprocal}, node.outputs.at(0));
}

}  // namespace tacit::graph::passes
