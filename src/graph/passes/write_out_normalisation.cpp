#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/passes/written_out.h"

namespace tacit::graph::passes {
namespace {

// The number that MeanVarianceNormalization adds to a deviation. Beside it, its square is added to a variance.
constexpr double kSmallestVariance = 1e-18;

/// Writes a normalisation of a tensor along some of its axes.
class NormalisationWriter : public NodeSteps {
 public:
  NormalisationWriter(GraphEditor& editor, const Node& node, TensorId x, Shape axes)
      : NodeSteps(editor, node), axes_(std::move(axes)), x_(x) {}

  const Shape& shape() const { return editor_.shape(x_); }

  /// Subtracts the means. The linear operators of the subtraction become one, which costs one level.
  void centre() { x_ = step("Sub", {x_, mean_of(x_)}, shape()); }

  /// Multiplies by 1 / sqrt(mean of squares + epsilon). The mean is spread to all elements before the root is taken,
  /// because the spread and the mean are one linear operator.
  TensorId normalised(double epsilon) {
    const TensorId squares = step("Mul", {x_, x_}, shape());
    return divided_by_root(step("Add", {mean_of(squares), number(epsilon)}, shape()));
  }
  /// Multiplies by 1 / sqrt(sum of squares).
  TensorId by_length() {
    const TensorId squares = step("Mul", {x_, x_}, shape());
    return divided_by_root(sum_of(squares));
  }
  /// Multiplies by 1 / (sum of magnitudes).
  TensorId by_sum_of_magnitudes() {
    const TensorId sum = sum_of(step("Abs", {x_}, shape()));
    return step("Mul", {x_, step("Reciprocal", {sum}, shape())}, shape());
  }

 private:
  TensorId mean_of(TensorId of) {
    std::int64_t count = 1;
    for (const std::int64_t axis : axes_) count *= shape()[static_cast<std::size_t>(axis)];
    return step("Mul", {sum_of(of), number(1 / static_cast<double>(count))}, shape());
  }
  /// Returns the sum over the axes, at every element.
  TensorId sum_of(TensorId of) { return expanded(sums(of, axes_), shape()); }
  TensorId divided_by_root(TensorId square) {
    const TensorId root = step("Sqrt", {square}, shape());
    return step("Mul", {x_, step("Reciprocal", {root}, shape())}, shape());
  }

  Shape axes_;
  TensorId x_;
};

Shape axes_from(std::size_t first, std::size_t rank) {
  Shape axes(rank - first);
  std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(first));
  return axes;
}

bool is_given(const Node& node, std::size_t input) {
  return node.inputs.size() > input && node.inputs[input] != kNoTensor;
}

bool has_constant_factors(const GraphEditor& editor, const Node& node) {
  for (std::size_t input = 1; input < node.inputs.size(); ++input)
    if (is_given(node, input) && !editor.is_constant(node.inputs[input])) return false;
  return true;
}

/// Makes the output of a node: x times its scale, plus its bias. A shape says how both broadcast.
void write_factors(GraphEditor& editor, const Node& node, NormalisationWriter& steps, TensorId x, const Shape& shape) {
  const auto as = [&](std::size_t input) {
    if (shape.empty()) return node.inputs[input];
    Tensor tensor = editor.constant_of(node.inputs[input]);
    tensor.shape = shape;
    return steps.constant(std::move(tensor));
  };
  const TensorId result = node.outputs.at(0);
  if (!is_given(node, 2)) return editor.node("Mul", node.name, {x, as(1)}, result);
  const TensorId scaled = steps.step("Mul", {x, as(1)}, editor.shape(result));
  editor.node("Add", node.name, {scaled, as(2)}, result);
}

}  // namespace

void write_out_layer_normalisation(GraphEditor& editor, const Node& node) {
  const bool reads_moments = node.outputs.size() > 1 && (node.outputs[1] != kNoTensor ||
                                                         (node.outputs.size() > 2 && node.outputs[2] != kNoTensor));
  if (!has_constant_factors(editor, node) || reads_moments) return editor.copy(node);
  const std::size_t rank = editor.shape(node.inputs[0]).size();
  const std::size_t axis = normal_axis(node, integer_attribute(node, "axis"), rank);
  NormalisationWriter steps(editor, node, node.inputs[0], axes_from(axis, rank));
  if (node.op == "LayerNormalization") steps.centre();
  write_factors(editor, node, steps, steps.normalised(real_attribute(node, "epsilon")), {});
}

void write_out_group_normalisation(GraphEditor& editor, const Node& node) {
  const Shape shape = editor.shape(node.inputs[0]);
  if (!has_constant_factors(editor, node) || shape.size() < 2) return editor.copy(node);
  const std::int64_t groups = node.op == "GroupNormalization" ? integer_attribute(node, "num_groups") : shape[1];
  if (groups < 1 || shape[1] % groups != 0) return editor.copy(node);  // refused as an operator of the client
  const Shape grouped{shape[0], groups, element_count(shape) / (shape[0] * groups)};
  const TensorId view =
      editor.step("Reshape", node.name + ".groups",
                  {node.inputs[0], editor.constant(node.name + ".grouped", integers(grouped))}, grouped);
  NormalisationWriter steps(editor, node, view, {2});
  steps.centre();
  const TensorId made = steps.normalised(real_attribute(node, "epsilon"));
  Shape by_channel(shape.size() - 1, 1);
  by_channel[0] = shape[1];
  write_factors(editor, node, steps, steps.step("Reshape", {made, steps.list(shape)}, shape), by_channel);
}

void write_out_moments(GraphEditor& editor, const Node& node) {
  const std::size_t rank = editor.shape(node.inputs[0]).size();
  Shape axes;
  for (const std::int64_t axis : integers_attribute(node, "axes", {0, 2, 3}))
    axes.push_back(static_cast<std::int64_t>(normal_axis(node, axis, rank)));
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  NormalisationWriter steps(editor, node, node.inputs[0], axes);
  steps.centre();
  editor.node("Identity", node.name, {steps.normalised(kSmallestVariance)}, node.outputs.at(0));
}

void write_out_length_normalisation(GraphEditor& editor, const Node& node) {
  const std::size_t rank = editor.shape(node.inputs[0]).size();
  const std::size_t axis = normal_axis(node, integer_attribute(node, "axis"), rank);
  NormalisationWriter steps(editor, node, node.inputs[0], {static_cast<std::int64_t>(axis)});
  const TensorId made = integer_attribute(node, "p") == 1 ? steps.by_sum_of_magnitudes() : steps.by_length();
  editor.node("Identity", node.name, {made}, node.outputs.at(0));
}

}  // namespace tacit::graph::passes
