#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/passes/written_out.h"

namespace tacit::graph::passes {
namespace {

/// The most elements of a log-sum-exp between layers. Each halving takes a table or a polynomial.
constexpr std::int64_t kMostTerms = 16;

/// Writes the steps of a node, named by their number.
class Steps {
 public:
  Steps(GraphEditor& editor, const Node& node) : editor_(editor), name_(node.name) {}

  TensorId step(const char* op, std::vector<TensorId> inputs, Shape shape,
                std::map<std::string, Attribute> attributes = {}) {
    return editor_.step(op, next_name(), std::move(inputs), std::move(shape), std::move(attributes));
  }
  TensorId reshaped(TensorId x, const Shape& shape) {
    if (editor_.shape(x) == shape) return x;
    return step("Reshape", {x, editor_.constant(next_name(), integers(shape))}, shape);
  }
  /// Returns the elements of x at these indices of an axis.
  TensorId taken(TensorId x, std::size_t axis, const Shape& indices) {
    Shape shape = editor_.shape(x);
    shape[axis] = static_cast<std::int64_t>(indices.size());
    const TensorId list = editor_.constant(next_name(), integers(indices));
    return step("Gather", {x, list}, std::move(shape), {{"axis", static_cast<std::int64_t>(axis)}});
  }
  TensorId constant(Tensor tensor) { return editor_.constant(next_name(), std::move(tensor)); }
  TensorId list(const Shape& numbers) { return constant(integers(numbers)); }
  TensorId expanded(TensorId x, const Shape& shape) { return step("Expand", {x, list(shape)}, shape); }
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

 private:
  std::string next_name() { return fmt::format("{}.{}", name_, count_++); }

  GraphEditor& editor_;
  std::string name_;
  int count_ = 0;
};

Shape with_extent_one(Shape shape, std::size_t axis) {
  shape[axis] = 1;
  return shape;
}

std::vector<std::size_t> axes_of(const Node& node, std::size_t rank) {
  std::vector<std::size_t> axes, all;
  if (node.op != "ReduceLogSumExp") return {normal_axis(node, integer_attribute(node, "axis"), rank)};
  for (const std::int64_t axis : integers_attribute(node, "axes")) axes.push_back(normal_axis(node, axis, rank));
  for (std::size_t axis = 0; axes.empty() && axis < rank; ++axis) all.push_back(axis);
  return axes.empty() ? all : axes;
}

/// A Softmax of scores to which masks were added. Very negative numbers of a mask hide elements.
struct MaskedScores {
  TensorId scores;              ///< with the numbers of the masks that hide nothing
  std::vector<Tensor> shown{};  ///< 0 for hidden elements, 1 for the others
};

/// Takes masks out of scores. Exporters add -1e4, the lowest number of a type, or minus infinity to hidden elements.
MaskedScores without_masks(GraphEditor& editor, Steps& steps, TensorId scores) {
  constexpr double kHides = -1e4;
  const Node* const sum = editor.maker(scores);
  if (sum == nullptr || sum->op != "Add") return {scores};
  const std::size_t at = editor.is_constant(sum->inputs[1]) ? 1 : 0;
  if (!editor.is_constant(sum->inputs[at])) return {scores};
  const Shape shape = editor.shape(scores);
  Tensor rest = editor.constant_of(sum->inputs[at]), shown = rest;
  for (std::size_t e = 0; e < rest.data.size(); ++e) {
    shown.data[e] = rest.data[e] > kHides ? 1 : 0;
    if (shown.data[e] == 0) rest.data[e] = 0;
  }
  const bool hides = std::ranges::count(shown.data, 0.0) > 0;
  const bool adds = std::ranges::any_of(rest.data, [](double x) { return x != 0; });
  MaskedScores result = without_masks(editor, steps, sum->inputs[1 - at]);
  if (!hides && result.shown.empty()) return {scores};
  if (adds || editor.shape(result.scores) != shape)
    result.scores = steps.step("Add", {result.scores, steps.constant(std::move(rest))}, shape);
  if (hides) result.shown.push_back(std::move(shown));
  return result;
}

/// Writes a Softmax as exponentials times the reciprocal of their sum. The sum is spread to all elements before its
/// reciprocal is taken, because spread and sum are one linear operator. The largest element is not subtracted: the
/// samples show how large the exponentials are. Hidden exponentials are multiplied by 0.
void write_exponentials(GraphEditor& editor, const Node& node, Steps& steps, std::size_t axis, MaskedScores masked) {
  const Shape shape = editor.shape(node.inputs[0]);
  TensorId powers = steps.step("Exp", {masked.scores}, shape);
  for (Tensor& shown : masked.shown) powers = steps.step("Mul", {powers, steps.constant(std::move(shown))}, shape);
  const TensorId sum = steps.expanded(steps.step("ReduceSum", {powers, steps.list({static_cast<std::int64_t>(axis)})},
                                                 with_extent_one(shape, axis), {{"keepdims", std::int64_t{1}}}),
                                      shape);
  editor.node("Mul", node.name, {powers, steps.step("Reciprocal", {sum}, shape)}, node.outputs.at(0));
}

}  // namespace

void write_out_log_sum(GraphEditor& editor, const Node& node) {
  const TensorId x = node.inputs.at(0), result = node.outputs.at(0);
  const Shape in = editor.shape(x);
  const std::vector<std::size_t> axes = axes_of(node, in.size());
  std::int64_t terms = 1;
  for (const std::size_t axis : axes) terms *= in[axis];
  Steps steps(editor, node);
  if (node.op == "Softmax") {
    MaskedScores masked = without_masks(editor, steps, x);
    if (terms > kMostTerms || !masked.shown.empty())
      return write_exponentials(editor, node, steps, axes.at(0), std::move(masked));
  }
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
