#include "session/owner/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

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

/// One number that the operator `made` makes, and further operators behind it.
graph::Graph chain(const std::string& made, const std::vector<std::string>& behind) {
  graph::Graph graph = network(made, {1});
  for (const std::string& op : behind) {
    const auto id = static_cast<graph::TensorId>(graph.tensors.size());
    graph.tensors.push_back({.name = op, .shape = {1, 1}, .integral = false, .constant = -1});
    graph.nodes.push_back({.op = op, .name = op, .inputs = {id - 1}, .outputs = {id}, .attributes = {}});
    graph.outputs = {id};
  }
  return graph;
}

TEST(Agreement, OneNumberOutOfASigmoidIsAProbability) {
  for (const char* op : {"Sigmoid", "HardSigmoid", "ai.onnx.ml.LinearClassifier"}) {
    EXPECT_EQ(question_of(chain(op, {})).kind, AnswerKind::probability) << op;
    EXPECT_EQ(question_of(chain(op, {"Cast", "Transpose", "Dropout", "ai.onnx.ml.Normalizer", "Flatten"})).kind,
              AnswerKind::probability)
        << op;
    EXPECT_EQ(question_of(chain(op, {"Relu"})).kind, AnswerKind::regression) << op;
  }
  for (const char* op : {"Tanh", "Softmax", "Relu"})
    EXPECT_EQ(question_of(chain(op, {})).kind, AnswerKind::regression) << op;
  graph::Graph input;  // of what no node computes
  input.tensors.push_back({.name = "x", .shape = {1, 1}});
  input.inputs = input.outputs = {0};
  EXPECT_EQ(question_of(input).kind, AnswerKind::regression);
}

TEST(Agreement, TheLargestOutputAnswersAndOfEqualOnesTheFirst) {
  EXPECT_EQ(question_of(network("Split", {2, 5, 3})).output, 1u);
  EXPECT_EQ(question_of(network("Split", {5, 2, 5})).output, 0u);
}

TEST(Agreement, WholeNumbersAndTextsAreLabels) {
  graph::Graph graph = network("ArgMax", {1});
  graph.tensors[0].integral = true;
  EXPECT_EQ(question_of(graph).kind, AnswerKind::label);
  graph = network("ai.onnx.ml.LabelEncoder", {3});
  graph.tensors[0].text = true;
  EXPECT_EQ(question_of(graph).kind, AnswerKind::label);
}

TEST(Agreement, NamesOfClassesCountWhereThereAreAsManyAsScores) {
  for (const char* name : {"classlabels_ints", "classlabels_int64s"}) {
    graph::Graph graph = network("ai.onnx.ml.TreeEnsembleClassifier", {1, 3});
    graph.nodes[0].attributes[name] = std::vector<std::int64_t>{7, 8, 9};
    EXPECT_EQ(question_of(graph).labels, (V{7, 8, 9})) << name;
    graph.nodes[0].attributes[name] = std::vector<std::int64_t>{7, 8};
    EXPECT_EQ(question_of(graph).labels, V{}) << name;
  }
  graph::Graph one = network("ai.onnx.ml.LinearClassifier", {1});
  one.nodes[0].attributes["classlabels_ints"] = std::vector<std::int64_t>{7};
  EXPECT_EQ(question_of(one).labels, V{}) << "a probability answers by 0 or 1";
}

TEST(Agreement, AnswersByTheKindOfTheQuestion) {
  const auto of = [](AnswerKind kind, const V& values, const V& labels = {}) {
    return answer({0, kind, labels}, values);
  };
  EXPECT_EQ(of(AnswerKind::argmax, {1, 5, 5, 2}), 1) << "of equal scores the first";
  EXPECT_EQ(of(AnswerKind::argmax, {1, 5, 5, 2}, {40, 41, 42, 43}), 41);
  EXPECT_EQ(of(AnswerKind::argmax, {1, 2}, {40}), 1) << "a class without a name is its place";
  EXPECT_EQ(of(AnswerKind::probability, {0.5}), 0);
  EXPECT_EQ(of(AnswerKind::probability, {0.501}), 1);
  EXPECT_EQ(of(AnswerKind::label, {3, 9}), 3);
  EXPECT_EQ(of(AnswerKind::regression, {-2.5, 9}), -2.5);
  const double infinite = std::numeric_limits<double>::infinity();
  for (const AnswerKind kind :
       {AnswerKind::argmax, AnswerKind::probability, AnswerKind::label, AnswerKind::regression}) {
    EXPECT_TRUE(std::isnan(of(kind, {1, infinite})));
    EXPECT_TRUE(std::isnan(of(kind, {1, -infinite})));
    EXPECT_THROW(of(kind, {}), base::InternalError);
  }
  EXPECT_EQ(answer_kind_name(AnswerKind::argmax), "argmax");
  EXPECT_EQ(answer_kind_name(AnswerKind::label), "label");
  EXPECT_EQ(answer_kind_name(AnswerKind::probability), "probability");
  EXPECT_EQ(answer_kind_name(AnswerKind::regression), "regression");
}

TEST(Agreement, AnInputWithoutAnAnswerDoesNotAgree) {
  Scoreboard scores(Question{0, AnswerKind::argmax, {}});
  EXPECT_EQ(scores.agreement(), 0);
  EXPECT_FALSE(scores.accuracy_plain());
  scores.add(V{1, 0}, V{2, 0}, 0);
  scores.miss(7);
  scores.add(V{0, 1.5}, V{0, 1}, 0);
  scores.miss(9);
  EXPECT_EQ(scores.images(), 4);
  EXPECT_EQ(scores.answered(), 2u);
  EXPECT_EQ(scores.misses(), 2);
  EXPECT_EQ(scores.missed(), (std::vector<std::int64_t>{7, 9}));
  EXPECT_EQ(scores.agreement(), 0.5);
  EXPECT_EQ(scores.accuracy_encrypted(), 0.5) << "of the inputs that have an answer";
  EXPECT_EQ(scores.max_abs_error(), 1) << "2 against 1";
  EXPECT_EQ(scores.encrypted_answer(1), 1);
  EXPECT_EQ(scores.plain_answer(0), 0);
  EXPECT_THROW(scores.add(V{1}, V{1, 0}, 0), base::InternalError);
}

TEST(Agreement, ARegressionsLabelsMustVary) {
  Scoreboard scores(Question{0, AnswerKind::regression, {}});
  scores.add(V{1}, V{1}, 3);
  scores.add(V{2}, V{2}, 3);
  EXPECT_FALSE(scores.accuracy_encrypted());
  scores.add(V{5}, V{5}, 6);
  // Residuals 2, 1 and 1; labels 3, 3 and 6 around 4.
  EXPECT_DOUBLE_EQ(*scores.accuracy_encrypted(), 1 - 6.0 / 6.0);
  scores.add(V{1}, V{1}, std::nullopt);
  EXPECT_FALSE(scores.accuracy_encrypted()) << "labels for all or for none";
}

TEST(Agreement, EveryOutputMayBeTheLargestAndEveryElementTheFarthest) {
  EXPECT_EQ(question_of(network("Split", {2, 3, 5})).output, 2u);
  Scoreboard scores(Question{0, AnswerKind::argmax, {}});
  scores.add(V{1, 0, 0.25, 0}, V{1, 0, 0, 0}, std::nullopt);
  EXPECT_EQ(scores.max_abs_error(), 0.25);
  scores.add(V{1, 0, 0, 0.5}, V{1, 0, 0, 0}, std::nullopt);
  EXPECT_EQ(scores.max_abs_error(), 0.5);
  scores.add(V{1, 0.125, 0, 0}, V{1, 0, 0, 0}, std::nullopt);
  EXPECT_EQ(scores.max_abs_error(), 0.5);
}

TEST(Agreement, ARegressionOfZeroAgreesWithZeroAlone) {
  Scoreboard scores(Question{0, AnswerKind::regression, {}});
  scores.add(V{0}, V{0}, std::nullopt);
  EXPECT_TRUE(scores.agrees(0));
  scores.add(V{1e-9}, V{0}, std::nullopt);
  EXPECT_FALSE(scores.agrees(1));
}

TEST(Agreement, LabelsFarFromZeroCostNoDigits) {
  Scoreboard scores(Question{0, AnswerKind::regression, {}});
  for (const double label : {0, 1, 2, 3, 4, 5, 8}) scores.add(V{1e12 + label + 0.5}, V{1}, 1e12 + label);
  // Residuals of a half; squares of 119 less 23 * 23 / 7 around the mean.
  EXPECT_NEAR(scores.accuracy_encrypted().value(), 1 - 7 * 0.25 / (304.0 / 7), 1e-7);
}

}  // namespace
}  // namespace tacit::session
