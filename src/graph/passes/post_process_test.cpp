#include "graph/passes/post_process.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

std::vector<std::string> step_names(const PlannedOutput& output) {
  std::vector<std::string> names;
  for (const program::PostStep& step : output.steps) names.push_back(step.op);
  return names;
}

TEST(PostProcess, SoftmaxAndArgMaxMoveToTheClient) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  const TensorId logits = s.node("Neg", {x}, {1, 3});
  const TensorId probabilities = s.node("Softmax", {logits}, {1, 3}, {{"axis", std::int64_t{-1}}});
  s.output(probabilities);
  s.output(s.node("ArgMax", {probabilities}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}}));
  const SplitGraph split = split_post_processing(recognise(s.graph));
  ASSERT_EQ(split.outputs.size(), 2u);
  EXPECT_EQ(step_names(split.outputs[0]), std::vector<std::string>{"softmax"});
  EXPECT_EQ(split.outputs[0].steps[0].axis, 1);
  EXPECT_EQ(step_names(split.outputs[1]), (std::vector<std::string>{"softmax", "argmax"}));
  EXPECT_EQ(split.outputs[1].final_shape, Shape{1});
  EXPECT_EQ(split.encrypted.graph.outputs, std::vector<TensorId>{logits});
  EXPECT_EQ(split.encrypted.graph.nodes.size(), 1u);
}

TEST(PostProcess, OnlyTheLastSigmoidMoves) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  const TensorId hidden = s.node("Sigmoid", {x}, {1, 3});
  const TensorId logit = s.node("MatMul", {hidden, s.constant({3, 3}, std::vector<double>(9, 1.0))}, {1, 3});
  s.output(s.node("Sigmoid", {logit}, {1, 3}));
  const SplitGraph split = split_post_processing(recognise(s.graph));
  EXPECT_EQ(step_names(split.outputs[0]), std::vector<std::string>{"sigmoid"});
  ASSERT_EQ(split.encrypted.graph.nodes.size(), 2u);
  EXPECT_EQ(split.encrypted.graph.nodes[0].op, kFunctionOp);
}

Sketch classifier(std::vector<double> coefficients, std::vector<double> intercepts, std::vector<std::int64_t> labels,
                  const std::string& transform) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId label = s.node("ai.onnx.ml.LinearClassifier", {x}, {1},
                                {{"coefficients", std::move(coefficients)},
                                 {"intercepts", std::move(intercepts)},
                                 {"classlabels_ints", std::move(labels)},
                                 {"post_transform", transform}});
  s.graph.tensors.push_back({"scores", {1, 2}, false, -1});
  const auto scores = static_cast<TensorId>(s.graph.tensors.size() - 1);
  s.graph.nodes.back().outputs.push_back(scores);
  s.output(label);
  s.output(scores);
  return s;
}

TEST(PostProcess, ALinearClassifierKeepsItsAffinePart) {
  const Sketch s = classifier({1, 2, 3, 4}, {0.5, -0.5}, {7, 9}, "SOFTMAX");
  const SplitGraph split = split_post_processing(recognise(s.graph));
  EXPECT_EQ(step_names(split.outputs[0]), (std::vector<std::string>{"argmax", "labels"}));
  EXPECT_EQ(split.outputs[0].steps[1].values, (std::vector<double>{7, 9}));
  EXPECT_EQ(step_names(split.outputs[1]), std::vector<std::string>{"softmax"});
  EXPECT_EQ(split.outputs[0].source, split.outputs[1].source);
  ASSERT_EQ(split.encrypted.graph.nodes.size(), 1u);
  EXPECT_EQ(split.encrypted.graph.nodes[0].op, "Gemm");
}

TEST(PostProcess, ALinearClassifierKeepsItsBatchAndRefusesAVector) {
  Sketch s = classifier({1, 2, 3, 4}, {0.5, -0.5}, {0, 1}, "NONE");
  s.graph.tensors[s.graph.inputs[0]].shape = {3, 2};
  const Graph graph = split_post_processing(recognise(s.graph)).encrypted.graph;
  EXPECT_EQ(graph.tensors[graph.outputs[0]].shape, (Shape{3, 2}));
  s.graph.tensors[s.graph.inputs[0]].shape = {2};
  EXPECT_THROW(split_post_processing(recognise(s.graph)), base::InputError);
}

TEST(PostProcess, OneRowOfCoefficientsMakesTwoScores) {
  const Sketch s = classifier({1, 2}, {0.5}, {0, 1}, "LOGISTIC");
  const SplitGraph split = split_post_processing(recognise(s.graph));
  const Graph& g = split.encrypted.graph;
  EXPECT_EQ(g.constant(g.nodes[0].inputs[1]).data, (std::vector<double>{-1, -2, 1, 2}));
  EXPECT_EQ(g.constant(g.nodes[0].inputs[2]).data, (std::vector<double>{-0.5, 0.5}));
  EXPECT_THROW(split_post_processing(recognise(classifier({1, 2}, {0.5}, {0, 1}, "PROBIT").graph)), base::InputError);
}

}  // namespace
}  // namespace tacit::graph::passes
