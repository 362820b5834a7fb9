#include <fmt/format.h>

#include "graph/attribute.h"
#include "graph/passes/written_out.h"

namespace tacit::graph::passes {
namespace {

/// Writes the scores of a linear estimator: x * coefficients^T + intercepts, [batch, rows].
TensorId linear_scores(GraphEditor& editor, const Node& node, TensorId output) {
  const std::vector<double> coefficients = reals_attribute(node, "coefficients");
  std::vector<double> intercepts = reals_attribute(node, "intercepts");
  const TensorId x = as_rows(editor, node);
  const std::int64_t batch = editor.shape(x)[0], features = editor.shape(x)[1];
  const auto total = static_cast<std::int64_t>(coefficients.size());
  if (total == 0 || features < 1 || total % features != 0)
    refuse(node, fmt::format("{} coefficients do not fit {} features", total, features));
  const std::int64_t rows = total / features;
  if (intercepts.empty()) intercepts.assign(static_cast<std::size_t>(rows), 0.0);
  if (static_cast<std::int64_t>(intercepts.size()) != rows)
    refuse(node, fmt::format("{} intercepts do not fit {} rows of coefficients: it reads other features than it was "
                             "trained on; export all steps that make features (skl2onnx leaves out the indicators of "
                             "an imputer)",
                             intercepts.size(), rows));
  const TensorId weights = editor.constant(node.name + ".coefficients", {{rows, features}, coefficients, false});
  const TensorId bias = editor.constant(node.name + ".intercepts", {{rows}, intercepts, false});
  const TensorId scores = output != kNoTensor ? output : editor.tensor(node.name + ".scores", {batch, rows});
  editor.node("Gemm", node.name, {x, weights, bias}, scores, {{"transB", std::int64_t{1}}});
  return scores;
}

/// Writes a probability for each class. One row of coefficients scores the second of two classes.
void write_out_scores(GraphEditor& editor, const Node& node, TensorId scores, TensorId result) {
  const std::string transform = text_attribute(node, "post_transform");
  const Shape shape = editor.shape(scores), both = editor.shape(result);
  const bool one_row = shape[1] == 1 && both[1] == 2;
  if (one_row && transform == "LOGISTIC") {
    const TensorId opposite = editor.step("Neg", node.name + ".opposite", {scores}, shape);
    scores = editor.step("Concat", node.name + ".both", {opposite, scores}, both, {{"axis", std::int64_t{1}}});
  }
  if (transform == "LOGISTIC") {
    editor.node("Sigmoid", node.name, {scores}, result);
  } else if (one_row && transform != "PROBIT") {
    const TensorId one = editor.constant(node.name + ".one", {{1}, {1}, false});
    const TensorId rest = editor.step("Sub", node.name + ".rest", {one, scores}, shape);
    editor.node("Concat", node.name, {rest, scores}, result, {{"axis", std::int64_t{1}}});
  } else if (transform == "NONE") {
    editor.node("Identity", node.name, {scores}, result);
  } else if (transform == "SOFTMAX") {
    editor.node("Softmax", node.name, {scores}, result, {{"axis", std::int64_t{1}}});
  } else {
    editor.node("tacit.PostTransform", node.name, {scores}, result, {{"post_transform", transform}});
  }
}

}  // namespace

TensorId as_rows(GraphEditor& editor, const Node& node) {
  const TensorId x = node.inputs.at(0);
  const Shape shape = editor.shape(x);
  if (shape.size() == 2) return x;
  if (shape.size() != 1)
    refuse(node, fmt::format("its input must be [batch, features], not {}", graph::to_text(shape)));
  const TensorId target = editor.constant(node.name + ".shape", {{2}, {1, static_cast<double>(shape[0])}, true});
  return editor.step("Reshape", node.name + ".rows", {x, target}, {1, shape[0]});
}

void write_out_classifier(GraphEditor& editor, const Node& node) {
  const TensorId scores = linear_scores(editor, node, kNoTensor);
  const auto output = [&](std::size_t i) { return node.outputs.size() > i ? node.outputs[i] : kNoTensor; };
  if (output(0) != kNoTensor) {
    Node votes{"tacit.LinearVotes", node.name, {scores}, {output(0)}, node.attributes};
    votes.attributes.erase("coefficients");
    votes.attributes.erase("intercepts");
    editor.copy(std::move(votes));
  }
  if (output(1) != kNoTensor) write_out_scores(editor, node, scores, output(1));
}

void write_out_regressor(GraphEditor& editor, const Node& node) {
  const std::string transform = text_attribute(node, "post_transform");
  // In ONNX Runtime and in the reference, a single score ignores the transform, except PROBIT.
  const bool stays = transform == "NONE" || (transform != "PROBIT" && integer_attribute(node, "targets") == 1);
  const TensorId scores = linear_scores(editor, node, stays ? node.outputs.at(0) : kNoTensor);
  if (stays) return;
  editor.node("tacit.PostTransform", node.name, {scores}, node.outputs.at(0), {{"post_transform", transform}});
}

}  // namespace tacit::graph::passes
