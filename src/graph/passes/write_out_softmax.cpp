#include "graph/passes/write_out_softmax.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "graph/attribute.h"

namespace tacit::graph::passes {
namespace {

/// Scores without the masks that were added to them.
struct MaskedScores {
  TensorId scores;                 ///< with the numbers of the masks that hide nothing
  std::vector<Tensor> shown{};     ///< 0 for hidden elements, 1 for the others
  std::vector<TensorId> secret{};  ///< encrypted masks: `hides` for hidden elements, 0 for the others
};

class SoftmaxWriter : NodeSteps {
 public:
  SoftmaxWriter(GraphEditor& editor, const Node& node, std::size_t axis, const SoftmaxForm& form)
      : NodeSteps(editor, node), node_(node), shape_(editor.shape(node.inputs.at(0))), axis_(axis), form_(form) {}

  void write() {
    MaskedScores masked = without_masks(node_.inputs[0]);
    TensorId powers = made("Exp", {reduced(masked.scores)});
    for (Tensor& shown : masked.shown) powers = made("Mul", {powers, constant(std::move(shown))});
    for (const TensorId mask : masked.secret) powers = made("Mul", {powers, shown_by(mask)});
    for (int k = 0; k < form_.halvings; ++k) {
      const TensorId shares = made("Mul", {powers, reciprocal_of_sum(powers)});
      powers = made("Mul", {shares, shares});
    }
    editor_.node("Mul", node_.name, {powers, reciprocal_of_sum(powers)}, node_.outputs.at(0));
  }

 private:
  TensorId made(const char* op, std::vector<TensorId> inputs) { return step(op, std::move(inputs), shape_); }

  TensorId reciprocal_of_sum(TensorId powers) {
    return made("Reciprocal", {expanded(sums(powers, {static_cast<std::int64_t>(axis_)}), shape_)});
  }

  /// Subtracts the offsets, and halves.
  TensorId reduced(TensorId scores) {
    if (!form_.offsets.empty()) {
      Shape groups = shape_;
      groups[groups.size() - 1] = groups[groups.size() - 2] = 1;
      scores = made("Sub", {scores, constant({std::move(groups), form_.offsets, false})});
    }
    if (form_.halvings == 0) return scores;
    return made("Mul", {scores, number(std::exp2(-form_.halvings))});
  }

  /// Returns 1 for the elements that an encrypted mask shows, and 0 for the others.
  TensorId shown_by(TensorId mask) {
    const Shape shape = editor_.shape(mask);
    const TensorId hidden = step("Mul", {mask, number(-1 / form_.hides)}, shape);
    const TensorId shown = step("Add", {hidden, number(1)}, shape);
    return shape == shape_ ? shown : expanded(shown, shape_);
  }

  MaskedScores without_masks(TensorId scores) {
    const Node* const sum = editor_.maker(scores);
    if (sum == nullptr || sum->op != "Add") return {scores};
    const bool first = editor_.is_constant(sum->inputs[0]), second = editor_.is_constant(sum->inputs[1]);
    if (!first && !second) {
      if (form_.mask < 0) return {scores};
      MaskedScores result{sum->inputs[static_cast<std::size_t>(1 - form_.mask)]};
      result.secret.push_back(sum->inputs[static_cast<std::size_t>(form_.mask)]);
      return result;
    }
    const std::size_t at = second ? 1 : 0;
    const Shape shape = editor_.shape(scores);
    Tensor rest = editor_.constant_of(sum->inputs[at]), shown = rest;
    for (std::size_t e = 0; e < rest.data.size(); ++e) {
      shown.data[e] = rest.data[e] > kHides ? 1 : 0;
      if (shown.data[e] == 0) rest.data[e] = 0;
    }
    const bool hides = std::ranges::count(shown.data, 0.0) > 0;
    const bool adds = std::ranges::any_of(rest.data, [](double x) { return x != 0; });
    MaskedScores result = without_masks(sum->inputs[1 - at]);
    if (!hides && result.shown.empty() && result.secret.empty()) return {scores};
    if (adds || editor_.shape(result.scores) != shape)
      result.scores = step("Add", {result.scores, constant(std::move(rest))}, shape);
    if (hides) result.shown.push_back(std::move(shown));
    return result;
  }

  const Node& node_;
  const Shape shape_;
  const std::size_t axis_;
  const SoftmaxForm& form_;
};

}  // namespace

bool is_along_last_axis(const Graph& graph, const Node& softmax) {
  const auto rank = static_cast<std::int64_t>(graph.tensors[softmax.inputs.at(0)].shape.size());
  const std::int64_t axis = integer_attribute(softmax, "axis");
  return rank >= 2 && (axis == -1 || axis == rank - 1);
}

bool has_constant_mask(const GraphEditor& editor, TensorId scores) {
  const Node* const sum = editor.maker(scores);
  if (sum == nullptr || sum->op != "Add") return false;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}})
    if (editor.is_constant(sum->inputs[at]))
      return std::ranges::any_of(editor.constant_of(sum->inputs[at]).data, [](double x) { return x <= kHides; }) ||
             has_constant_mask(editor, sum->inputs[1 - at]);
  return false;
}

void write_out_softmax(GraphEditor& editor, const Node& node, std::size_t axis, const SoftmaxForm& form) {
  SoftmaxWriter(editor, node, axis, form).write();
}

}  // namespace tacit::graph::passes
