#include "session/owner/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit::session {
namespace {

using V = std::vector<double>;

/// A network of one node whose outputs have the given element counts.
graph::Graph network(const std::string& op, const std::vector<std::int64_t>& outputs) {
  graph::Graph graph;
  graph::Node node{.op = op, .name = "last", .inputs = {}, .outputs = {}, .attributes = {}};
  for (const std::int64_t count : outputs) {
    const auto id = static_cast<graph::TensorId>(graph.tensors.size());
    graph.tensors.push_back({.name = "t", .shape = {1, count}, .integral = false, .constant = -1});
    graph.outputs.push_back(id);
    node.outputs.push_back(id);
  }
  graph.nodes.push_back(node);
  return graph;
}

TEST(Agreement, TheLastOperatorSaysHowToReadTheAnswer) {
  EXPECT_EQ(question_of(network("Gemm", {10})).kind, AnswerKind::argmax);
  EXPECT_EQ(question_of(network("Sigmoid", {1})).kind, AnswerKind::probability);
  EXPECT_EQ(question_of(network("Gemm", {1})).kind, AnswerKind::regression);
}

TEST(Agreement, ScoresAnswerBesideALabelAndItsClassesHaveNames) {
  graph::Graph graph = network("ai.onnx.ml.LinearClassifier", {1, 3});
  graph.nodes[0].attributes["classlabels_ints"] = std::vector<std::int64_t>{7, 8, 9};
  const Question question = question_of(graph);
  EXPECT_EQ(question.output, 1u);
  EXPECT_EQ(question.kind, AnswerKind::argmax);
  EXPECT_EQ(answer(question, V{0.1, 0.7, 0.2}), 8);
}

TEST(Agreement, OperatorsThatOnlyMoveElementsAreSeenThrough) {
  graph::Graph graph = network("Sigmoid", {1});
  graph.tensors.push_back({.name = "flat", .shape = {1}, .integral = false, .constant = -1});
  graph.nodes.push_back({.op = "Reshape", .name = "r", .inputs = {0}, .outputs = {1}, .attributes = {}});
  graph.outputs = {1};
  EXPECT_EQ(question_of(graph).kind, AnswerKind::probability);
}

TEST(Agreement, CountsArgmaxAndProbability) {
  Scoreboard scores(Question{0, AnswerKind::argmax, {}});
  scores.add(V{0.9, 0.1}, V{1, 0}, 0);
  scores.add(V{0.9, 0.1}, V{0.4, 0.6}, 1);
  EXPECT_EQ(scores.agreement(), 0.5);
  EXPECT_EQ(scores.accuracy_encrypted(), 0.5);
  EXPECT_EQ(scores.accuracy_plain(), 1.0);
  EXPECT_DOUBLE_EQ(scores.max_abs_error(), 0.5);

  Scoreboard probability(Question{0, AnswerKind::probability, {}});
  probability.add(V{0.51}, V{0.99}, std::nullopt);
  probability.add(V{0.49}, V{0.51}, std::nullopt);
  EXPECT_EQ(probability.agreement(), 0.5);
  EXPECT_FALSE(probability.accuracy_plain());
}

TEST(Agreement, ARegressionMayBeOffByOnePercentOfItsRange) {
  Scoreboard scores(Question{0, AnswerKind::regression, {}});
  scores.add(V{100.9}, V{100}, 110);
  scores.add(V{201.1}, V{200}, 190);
  EXPECT_TRUE(scores.agrees(0));
  EXPECT_FALSE(scores.agrees(1));
  EXPECT_EQ(scores.agreement(), 0.5);
  EXPECT_DOUBLE_EQ(*scores.accuracy_plain(), 1 - 200.0 / 3200.0);

  Scoreboard one(Question{0, AnswerKind::regression, {}});
  one.add(V{-99.5}, V{-100}, std::nullopt);
  EXPECT_EQ(one.agreement(), 1);
}

TEST(Agreement, ANumberThatIsNotOneNeverAgrees) {
  Scoreboard scores(Question{0, AnswerKind::regression, {}});
  scores.add(V{std::nan("")}, V{1}, std::nullopt);
  scores.add(V{1}, V{1}, std::nullopt);
  EXPECT_EQ(scores.agreement(), 0.5);
  EXPECT_TRUE(std::isnan(scores.max_abs_error()));
}

}  // namespace
}  // namespace tacit::session
