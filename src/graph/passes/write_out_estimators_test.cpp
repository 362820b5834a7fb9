#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/refusal_for_test.h"
#include "graph/operators_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/passes/write_out.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

/// A model of one node and one output.
Graph estimator(const std::string& op, const Shape& input, const Shape& output, Attributes attributes) {
  Sketch s;
  const TensorId x = s.input(input);
  s.output(s.node(op, {x}, output, std::move(attributes)));
  return s.graph;
}

/// Names of the constants that are written out, without the node's name. Shapes and axes are integers, others are not.
std::vector<std::string> constants_of(const Graph& graph) {
  const Graph made = write_out(graph);
  const std::string before = graph.nodes.at(0).name;
  std::vector<std::string> names;
  for (const TensorInfo& info : made.tensors) {
    if (info.constant < 0) continue;
    names.push_back(info.name.substr(before.size()));
    const bool whole = names.back() == ".shape" || names.back() == ".axes";
    EXPECT_EQ(info.integral, whole) << info.name;
    EXPECT_EQ(made.constants[static_cast<std::size_t>(info.constant)].integral, whole) << info.name;
  }
  return names;
}

Attributes two_classes(Reals coefficients) {
  return {{"coefficients", std::move(coefficients)}, {"classlabels_ints", Integers{4, 9}}};
}

Attributes machine_of_one_vector(const std::string& kernel) {
  return {{"kernel_type", kernel},         {"kernel_params", Reals{0.5, 0.25, 3}},
          {"n_supports", std::int64_t{1}}, {"support_vectors", Reals{1, 2}},
          {"coefficients", Reals{3}},      {"rho", Reals{0.5}},
          {"one_class", std::int64_t{1}}};
}

TEST(WriteOutEstimators, ConstantsAreRealAndShapesAndAxesAreIntegers) {
  Graph classifier = estimator("ai.onnx.ml.LinearClassifier", {3}, {1}, two_classes({1, 2, 3}));
  const TensorId scores = GraphEditor(classifier).tensor("scores", {1, 2});
  classifier.nodes[0].outputs.push_back(scores);
  EXPECT_THAT(constants_of(classifier), ElementsAre(".shape", ".coefficients", ".intercepts", ".one"));
  EXPECT_THAT(constants_of(estimator("ReduceL2", {1, 3}, {1, 1}, {})), ElementsAre(".axes"));
  EXPECT_THAT(constants_of(estimator("LpPool", {1, 1, 3}, {1, 1, 2}, {{"kernel_shape", Integers{2}}})),
              ElementsAre(".ones"));
  EXPECT_THAT(constants_of(estimator("ai.onnx.ml.SVMRegressor", {2, 2}, {2, 1}, machine_of_one_vector("POLY"))),
              ElementsAre(".products.weights", ".products.constants", ".degree", ".weights", ".constants", ".zero",
                          ".inside", ".outside"));
  EXPECT_THAT(constants_of(estimator("ai.onnx.ml.SVMRegressor", {2, 2}, {2, 1}, machine_of_one_vector("RBF"))),
              ElementsAre(".products.weights", ".products.constants", ".norm.weights", ".norm.constants", ".weights",
                          ".constants", ".zero", ".inside", ".outside"));
}

TEST(WriteOutEstimators, AVectorIsReshapedToTwoDimensions) {
  const Graph made = write_out(estimator("ai.onnx.ml.LinearClassifier", {3}, {1}, two_classes({1, 2, 3})));
  ASSERT_EQ(made.nodes.at(0).op, "Reshape");
  const Tensor& shape = made.constant(made.nodes[0].inputs.at(1));
  EXPECT_EQ(shape.shape, Shape{2});
  EXPECT_EQ(shape.data, (Reals{1, 3}));
}

TEST(WriteOutEstimators, LinearModelsHaveCoefficientsForTheirFeatures) {
  const auto words = [](std::int64_t features, Reals coefficients) {
    const Graph graph =
        estimator("ai.onnx.ml.LinearRegressor", {2, features}, {2, 1}, {{"coefficients", std::move(coefficients)}});
    return base::refusal([&] { write_out(graph); });
  };
  EXPECT_EQ(words(1, {2}), base::kNotRefused) << "one feature, and one number for it";
  EXPECT_THAT(words(3, {}), HasSubstr("0 coefficients do not fit 3 features"));
  EXPECT_THAT(words(0, {1, 2, 3}), HasSubstr("3 coefficients do not fit 0 features"));
  EXPECT_THAT(words(0, {}), HasSubstr("0 coefficients do not fit 0 features"));
}

TEST(WriteOutEstimators, ClassifiersMakeWhatIsAskedFor) {
  Graph graph = estimator("ai.onnx.ml.LinearClassifier", {1, 3}, {1}, two_classes({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(operators_of(write_out(graph)), ElementsAre("Gemm", "tacit.LinearVotes"));
  const TensorId scores = GraphEditor(graph).tensor("scores", {1, 2});
  graph.nodes[0].outputs = {kNoTensor, scores};
  EXPECT_THAT(operators_of(write_out(graph)), ElementsAre("Gemm", "Identity"));
  graph.nodes[0].outputs = {graph.outputs[0], scores};
  EXPECT_THAT(operators_of(write_out(graph)), ElementsAre("Gemm", "tacit.LinearVotes", "Identity"));
}

/// The last of the 5 windows begins at position 4 and reads position 6, two after the last.
TEST(WriteOutEstimators, NormsOfDilatedWindowsArePaddedBehind) {
  const Graph made =
      write_out(estimator("LpPool", {1, 1, 5}, {1, 1, 5},
                          {{"kernel_shape", Integers{2}}, {"dilations", Integers{2}}, {"pads", Integers{0, 2}}}));
  ASSERT_THAT(operators_of(made), ElementsAre("Mul", "Conv", "Sqrt"));
  EXPECT_EQ(std::get<Integers>(made.nodes[1].attributes.at("pads")), (Integers{0, 2}));
}

TEST(WriteOutEstimators, ScoresOfTreesHaveARowForEachOfTheBatch) {
  const Graph made = write_out(estimator("ai.onnx.ml.TreeEnsembleRegressor", {2, 3}, {2, 1},
                                         {{"nodes_treeids", Integers{0}},
                                          {"nodes_nodeids", Integers{0}},
                                          {"nodes_featureids", Integers{0}},
                                          {"nodes_values", Reals{0}},
                                          {"nodes_modes", std::vector<std::string>{"LEAF"}},
                                          {"nodes_truenodeids", Integers{0}},
                                          {"nodes_falsenodeids", Integers{0}},
                                          {"target_treeids", Integers{0}},
                                          {"target_nodeids", Integers{0}},
                                          {"target_ids", Integers{0}},
                                          {"target_weights", Reals{1}},
                                          {"n_targets", std::int64_t{1}},
                                          {"post_transform", std::string("LOGISTIC")}}));
  ASSERT_THAT(operators_of(made), ElementsAre("tacit.TreeScores", "tacit.PostTransform"));
  EXPECT_EQ(made.tensors[made.nodes[0].outputs[0]].shape, (Shape{2, 1}));
}

/// Nodes without a reader are dropped only together with the casts of a quantised model.
TEST(WriteOutEstimators, NodesThatNobodyReadsStay) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  s.node("Relu", {x}, {1, 3});
  s.output(s.node("Exp", {x}, {1, 3}));
  EXPECT_THAT(operators_of(write_out(s.graph)), ElementsAre("Relu", "Exp"));
}

/// 2^24 elements are allowed, and 64 more for each coefficient: 4950 pairs times 3392 vectors with 206 of them. The
/// check of the bound comes before the check that finds too few coefficients.
TEST(WriteOutEstimators, MatricesOfMachinesMayBeAsLargeAsTheBound) {
  Integers counts(100, 33);
  counts[0] = 125;
  const auto machine = [&](std::size_t coefficients) {
    return estimator("ai.onnx.ml.SVMClassifier", {1, 1}, {1},
                     {{"vectors_per_class", counts}, {"coefficients", Reals(coefficients, 1.0)}});
  };
  EXPECT_THROW(write_out(machine(206)), std::out_of_range);
  EXPECT_THAT(base::refusal([&] { write_out(machine(205)); }),
              HasSubstr("by a matrix of 16790400 elements, and 16790336 is the most"));
}

}  // namespace
}  // namespace tacit::graph::passes
