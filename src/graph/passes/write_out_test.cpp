#include "graph/passes/write_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/operators_for_test.h"
#include "graph/passes/operator_kind.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

Reals random_reals(std::size_t count, double lowest, double highest, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(lowest, highest);
  Reals values(count);
  for (double& x : values) x = number(random);
  return values;
}

/// A model of one node; its outputs have these shapes.
Graph node_with_outputs(const std::string& op, const Shape& input, const std::vector<Shape>& outputs,
                        Attributes attributes, bool integral_first = false, bool text_first = false) {
  Sketch s;
  const TensorId x = s.input(input);
  s.output(s.node(op, {x}, outputs.at(0), std::move(attributes)));
  s.graph.tensors[s.graph.outputs[0]].integral = integral_first;
  s.graph.tensors[s.graph.outputs[0]].text = text_first;
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    s.graph.tensors.push_back({"output" + std::to_string(i), outputs[i], false, -1});
    s.graph.nodes.back().outputs.push_back(static_cast<TensorId>(s.graph.tensors.size() - 1));
    s.output(s.graph.nodes.back().outputs.back());
  }
  return s.graph;
}

/// Writes a model out, and checks on random inputs that it computes the same. The tensors keep their positions.
Graph written_out(const Graph& graph, double lowest = -1, double highest = 1) {
  Graph made = write_out(graph);
  EXPECT_EQ(made.inputs, graph.inputs);
  EXPECT_EQ(made.outputs, graph.outputs);
  for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
    EXPECT_EQ(made.tensors[id].name, graph.tensors[id].name);
    EXPECT_EQ(made.tensors[id].shape, graph.tensors[id].shape);
  }
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Shape& shape = graph.tensors[graph.inputs[0]].shape;
    const std::vector<Tensor> input{
        {shape, random_reals(static_cast<std::size_t>(element_count(shape)), lowest, highest, seed), false}};
    const std::vector<Tensor> expected = reference::run(graph, input), got = reference::run(made, input);
    for (std::size_t o = 0; o < expected.size(); ++o) {
      EXPECT_EQ(got[o].shape, expected[o].shape);
      EXPECT_EQ(got[o].integral, expected[o].integral);
      EXPECT_EQ(got[o].texts.empty(), expected[o].texts.empty());
      if (!expected[o].texts.empty()) {
        for (std::size_t i = 0; i < expected[o].data.size(); ++i)
          EXPECT_EQ(got[o].texts.at(static_cast<std::size_t>(got[o].data[i])),
                    expected[o].texts.at(static_cast<std::size_t>(expected[o].data[i])));
        continue;
      }
      EXPECT_THAT(got[o].data, testing::Pointwise(testing::DoubleNear(1e-12), expected[o].data)) << "output " << o;
    }
  }
  return made;
}

TEST(WriteOut, LeavesOtherOperatorsAsTheyAre) {
  const Graph graph = node_with_outputs("Relu", {1, 3}, {{1, 3}}, {});
  EXPECT_THAT(operators_of(written_out(graph)), ElementsAre("Relu"));
}

TEST(WriteOut, NormsAreSumsOfMagnitudesOrSquares) {
  for (const bool keep : {false, true})
    for (const Integers& axes : {Integers{1}, Integers{-1}, Integers{1, 2}, Integers{}}) {
      SCOPED_TRACE(graph::to_text(axes) + (keep ? " kept" : ""));
      Shape out;
      for (std::int64_t d = 0; d < 3; ++d) {
        const bool reduced = axes.empty() || std::find(axes.begin(), axes.end(), d) != axes.end() ||
                             std::find(axes.begin(), axes.end(), d - 3) != axes.end();
        const Shape in{1, 3, 2};
        if (!reduced) out.push_back(in[static_cast<std::size_t>(d)]);
        if (reduced && keep) out.push_back(1);
      }
      Attributes attributes{{"keepdims", std::int64_t{keep ? 1 : 0}}};
      if (!axes.empty()) attributes["axes"] = axes;
      EXPECT_THAT(operators_of(written_out(node_with_outputs("ReduceL1", {1, 3, 2}, {out}, attributes))),
                  ElementsAre("Abs", "ReduceSum", "Identity"));
      EXPECT_THAT(operators_of(written_out(node_with_outputs("ReduceL2", {1, 3, 2}, {out}, attributes))),
                  ElementsAre("Mul", "ReduceSum", "Sqrt"));
      EXPECT_THAT(operators_of(written_out(node_with_outputs("ReduceLogSum", {1, 3, 2}, {out}, attributes), 0.5, 2)),
                  ElementsAre("ReduceSum", "Log"));
    }
}

TEST(WriteOut, PoolingByNormsIsAConvolutionOfEveryChannelWithOnes) {
  struct Pool {
    Shape in, out;
    Attributes attributes;
  };
  const std::vector<Pool> pools{
      {{1, 2, 4}, {1, 2, 2}, {{"kernel_shape", Integers{2}}, {"strides", Integers{2}}}},
      {{1, 2, 5}, {1, 2, 3}, {{"kernel_shape", Integers{2}}, {"strides", Integers{2}}, {"ceil_mode", std::int64_t{1}}}},
      {{1, 2, 5}, {1, 2, 3}, {{"kernel_shape", Integers{2}}, {"dilations", Integers{2}}}},
      {{2, 3, 5, 4}, {2, 3, 5, 4}, {{"kernel_shape", Integers{3, 2}}, {"auto_pad", std::string("SAME_UPPER")}}},
      {{1, 1, 4, 5}, {1, 1, 4, 3}, {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 0, 1, 0}}}},
      {{1, 1, 3, 3, 3}, {1, 1, 2, 2, 2}, {{"kernel_shape", Integers{2, 2, 2}}}}};
  for (const Pool& pool : pools)
    for (const std::int64_t order : {1, 2}) {
      SCOPED_TRACE(graph::to_text(pool.in) + ", order " + std::to_string(order));
      Attributes attributes = pool.attributes;
      attributes["p"] = order;
      const Graph made = written_out(node_with_outputs("LpPool", pool.in, {pool.out}, attributes));
      EXPECT_THAT(operators_of(made),
                  order == 2 ? ElementsAre("Mul", "Conv", "Sqrt") : ElementsAre("Abs", "Conv", "Identity"));
    }
  EXPECT_THAT(operators_of(written_out(node_with_outputs("GlobalLpPool", {1, 2, 3, 2}, {{1, 2, 1, 1}}, {}))),
              ElementsAre("Mul", "ReduceSum", "Sqrt"));
  const Attributes cubic{{"p", std::int64_t{3}}};
  EXPECT_THAT(operators_of(written_out(node_with_outputs("GlobalLpPool", {1, 2, 3, 2}, {{1, 2, 1, 1}}, cubic))),
              ElementsAre("GlobalLpPool"))
      << "the client may run it";
}

Attributes linear_model(std::int64_t rows, std::int64_t features, const std::string& transform) {
  return {{"coefficients", random_reals(static_cast<std::size_t>(rows * features), -1, 1, 9)},
          {"intercepts", random_reals(static_cast<std::size_t>(rows), -1, 1, 10)},
          {"post_transform", transform}};
}

TEST(WriteOut, LinearClassifiersAreAMatrixAndWhatTurnsItsScoresIntoLabels) {
  for (const std::string transform : {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"})
    for (const std::int64_t rows : {1, 2, 3})
      for (const std::int64_t batch : {1, 4}) {
        SCOPED_TRACE(transform + " of " + std::to_string(rows) + " rows");
        const std::int64_t classes = std::max<std::int64_t>(rows, 2);
        Attributes attributes = linear_model(rows, 3, transform);
        attributes["classlabels_ints"] = classes == 2 ? Integers{4, 9} : Integers{4, 9, 2};
        const Graph made = written_out(node_with_outputs("ai.onnx.ml.LinearClassifier", {batch, 3},
                                                         {{batch}, {batch, classes}}, attributes, true));
        ASSERT_GE(made.nodes.size(), 2u);
        EXPECT_EQ(made.nodes[0].op, "Gemm");
        // Only the matrix holds numbers of the model.
        for (std::size_t n = 1; n < made.nodes.size(); ++n) {
          EXPECT_FALSE(made.nodes[n].attributes.contains("coefficients"));
          EXPECT_FALSE(made.nodes[n].attributes.contains("intercepts"));
        }
      }
  Attributes texts = linear_model(3, 3, "SOFTMAX");
  texts["classlabels_strings"] = Texts{"red", "green", "blue"};
  written_out(node_with_outputs("ai.onnx.ml.LinearClassifier", {4, 3}, {{4}, {4, 3}}, texts, false, true));
}

TEST(WriteOut, AClassifierOfAVectorIsOneOfARow) {
  Attributes attributes = linear_model(3, 3, "NONE");
  attributes["classlabels_ints"] = Integers{0, 1, 2};
  EXPECT_EQ(
      written_out(node_with_outputs("ai.onnx.ml.LinearClassifier", {3}, {{1}, {1, 3}}, attributes, true)).nodes[0].op,
      "Reshape");
  EXPECT_THAT(
      [&] {
        write_out(node_with_outputs("ai.onnx.ml.LinearClassifier", {1, 1, 3}, {{1}, {1, 3}}, attributes, true));
      },
      testing::ThrowsMessage<base::InputError>(HasSubstr("its input must be [batch, features], not [1, 1, 3]")));
  attributes["coefficients"] = Reals{1, 2, 3, 4};
  EXPECT_THAT(
      [&] {
        write_out(node_with_outputs("ai.onnx.ml.LinearClassifier", {1, 3}, {{1}, {1, 3}}, attributes, true));
      },
      testing::ThrowsMessage<base::InputError>(HasSubstr("4 coefficients do not fit 3 features")));
  attributes["coefficients"] = Reals(6, 1);
  EXPECT_THAT(
      [&] {
        write_out(node_with_outputs("ai.onnx.ml.LinearClassifier", {1, 3}, {{1}, {1, 3}}, attributes, true));
      },
      testing::ThrowsMessage<base::InputError>(HasSubstr("3 intercepts do not fit 2 rows")));
}

TEST(WriteOut, LinearRegressorsAreAMatrix) {
  for (const std::int64_t targets : {1, 3})
    for (const std::string transform : {"NONE", "SOFTMAX", "LOGISTIC"}) {
      SCOPED_TRACE(transform + " of " + std::to_string(targets));
      Attributes attributes = linear_model(targets, 3, transform);
      attributes["targets"] = targets;
      const Graph made =
          written_out(node_with_outputs("ai.onnx.ml.LinearRegressor", {2, 3}, {{2, targets}}, attributes));
      EXPECT_EQ(made.nodes[0].op, "Gemm");
      EXPECT_EQ(made.nodes.size(), transform == "NONE" || targets == 1 ? 1u : 2u);
    }
  Attributes probit = linear_model(1, 2, "PROBIT");
  probit["coefficients"] = Reals{0.125, 0.125};
  probit["intercepts"] = Reals{0.5};
  written_out(node_with_outputs("ai.onnx.ml.LinearRegressor", {2, 2}, {{2, 1}}, probit));
}

Attributes machine(const std::string& kernel) {
  return {{"kernel_type", kernel}, {"kernel_params", Reals{0.5, 0.25, 3}}};
}

TEST(WriteOut, SupportVectorRegressorsAreTheirKernels) {
  for (const std::string kernel : {"LINEAR", "POLY", "RBF", "SIGMOID"})
    for (const bool one_class : {false, true}) {
      SCOPED_TRACE(kernel);
      Attributes attributes = machine(kernel);
      attributes["n_supports"] = std::int64_t{5};
      attributes["support_vectors"] = random_reals(15, -1, 1, 3);
      attributes["coefficients"] = random_reals(5, -1, 1, 4);
      attributes["rho"] = Reals{0.125};
      attributes["one_class"] = std::int64_t{one_class ? 1 : 0};
      const Graph made = written_out(node_with_outputs("ai.onnx.ml.SVMRegressor", {2, 3}, {{2, 1}}, attributes));
      for (const Node& node : made.nodes)
        EXPECT_NE(kind_of(made, node) == OperatorKind::none, node.op != "Greater" && node.op != "Where") << node.op;
    }
  // Without vectors the coefficients weigh the features.
  const Attributes features{{"coefficients", Reals{1, 2, 3}}, {"rho", Reals{0.5}}};
  EXPECT_THAT(operators_of(written_out(node_with_outputs("ai.onnx.ml.SVMRegressor", {2, 3}, {{2, 1}}, features))),
              ElementsAre("Gemm"));
}

TEST(WriteOut, SupportVectorClassifiersDecideBetweenPairs) {
  for (const std::string kernel : {"LINEAR", "POLY", "RBF", "SIGMOID"})
    for (const std::size_t classes : {2, 3, 4})
      for (const bool probabilities : {false, true}) {
        SCOPED_TRACE(kernel + " of " + std::to_string(classes) + (probabilities ? " with probabilities" : ""));
        const std::size_t vectors = 2 * classes + 1, pairs = classes * (classes - 1) / 2;
        Attributes attributes = machine(kernel);
        Integers counts(classes, 2), labels;
        counts[0] = 3;
        for (std::size_t i = 0; i < classes; ++i) labels.push_back(static_cast<std::int64_t>(10 * i));
        attributes["classlabels_ints"] = labels;
        attributes["vectors_per_class"] = counts;
        attributes["support_vectors"] = random_reals(3 * vectors, -1, 1, 5);
        attributes["coefficients"] = random_reals((classes - 1) * vectors, -1, 1, 6);
        attributes["rho"] = random_reals(pairs, -1, 1, 7);
        if (probabilities) {
          attributes["prob_a"] = random_reals(pairs, -2, -1, 8);
          attributes["prob_b"] = random_reals(pairs, -1, 1, 9);
        }
        const auto columns = static_cast<std::int64_t>(probabilities || classes == 2 ? classes : pairs);
        const Graph made =
            written_out(node_with_outputs("ai.onnx.ml.SVMClassifier", {3, 3}, {{3}, {3, columns}}, attributes, true));
        EXPECT_EQ(made.nodes.back().op, "tacit.SupportVectorVotes");
      }
  Attributes linear{
      {"classlabels_strings", Texts{"a", "b", "c"}}, {"coefficients", random_reals(9, -1, 1, 6)}, {"rho", Reals{0.25}}};
  EXPECT_THAT(operators_of(written_out(
                  node_with_outputs("ai.onnx.ml.SVMClassifier", {3, 3}, {{3}, {3, 3}}, linear, false, true))),
              ElementsAre("Gemm", "tacit.SupportVectorVotes"));
}

// 400 classes make 79,800 pairs. Their matrix is sparse, but would be written out with its zeros.
TEST(WriteOut, MachinesWhoseMatrixIsTooLargeAreRefused) {
  const std::size_t classes = 400, vectors = 600, pairs = 79800;
  Attributes attributes = machine("LINEAR");
  Integers labels(classes), counts(classes, 1);
  std::iota(labels.begin(), labels.end(), 0);
  counts[7] = 201;
  attributes["classlabels_ints"] = labels;
  attributes["vectors_per_class"] = counts;
  attributes["support_vectors"] = Reals(vectors, 1.0);
  attributes["coefficients"] = Reals((classes - 1) * vectors, 1.0);
  attributes["rho"] = Reals(pairs, 0.0);
  const Graph graph = node_with_outputs("ai.onnx.ml.SVMClassifier", {1, 1}, {{1}, {1, 79800}}, attributes, true);
  EXPECT_THAT(base::refusal([&] { write_out(graph); }),
              HasSubstr("its 79800 pairs of classes weigh 600 support vectors by a matrix of 47880000 elements, and "
                        "32098816 is the most"));
}

TEST(WriteOut, WhatIsWrittenOutHasTensorsOfItsOwnNames) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  s.output(
      s.node("ReduceL2", {s.node("ReduceL2", {x}, {1, 1}, {{"axes", Integers{1}}})}, {1, 1}, {{"axes", Integers{1}}}));
  const Graph made = write_out(s.graph);
  std::set<std::string> names;
  for (const TensorInfo& tensor : made.tensors) names.insert(tensor.name);
  EXPECT_EQ(names.size(), made.tensors.size());
}

TEST(WriteOut, ScoresOfZeroGetNoShareWhereTheClassifierSaysSo) {
  Attributes attributes = linear_model(3, 2, "SOFTMAX_ZERO");
  attributes["coefficients"] = Reals{0, 0, 1, -2, 0.5, 1};
  attributes["intercepts"] = Reals{0, 0.5, -0.25};
  attributes["classlabels_ints"] = Integers{4, 9, 2};
  const Graph graph = node_with_outputs("ai.onnx.ml.LinearClassifier", {1, 2}, {{1}, {1, 3}}, attributes, true);
  EXPECT_EQ(reference::run(graph, std::vector{Tensor{{1, 2}, {1, 1}, false}}).at(1).data.at(0), 0);
  written_out(graph);
}

/// The ones of a window count like an activation, of which 2^22 elements are the most.
TEST(WriteOut, WindowsOfNormsAreBounded) {
  const auto pool = [](std::int64_t columns) {
    return node_with_outputs("LpPool", {1, 1, 2048, columns}, {{1, 1, 1, 1}},
                             {{"kernel_shape", Integers{2048, columns}}});
  };
  EXPECT_THAT(operators_of(write_out(pool(2048))), ElementsAre("Mul", "Conv", "Sqrt"));
  EXPECT_THAT([&] { write_out(pool(2049)); },
              testing::ThrowsMessage<base::InputError>(HasSubstr("its windows of shape [2048, 2049] on 1 channels are "
                                                                 "too large; 4194304 elements are the most")));
}

/// One question about the third feature.
Attributes tree_of_three_features() {
  return {{"nodes_treeids", Integers{0, 0, 0}},
          {"nodes_nodeids", Integers{0, 1, 2}},
          {"nodes_featureids", Integers{2, 0, 0}},
          {"nodes_values", Reals{0.25, 0, 0}},
          {"nodes_modes", Texts{"BRANCH_LEQ", "LEAF", "LEAF"}},
          {"nodes_truenodeids", Integers{1, 0, 0}},
          {"nodes_falsenodeids", Integers{2, 0, 0}},
          {"target_treeids", Integers{0, 0}},
          {"target_nodeids", Integers{1, 2}},
          {"target_ids", Integers{0, 0}},
          {"target_weights", Reals{1, -2}},
          {"n_targets", std::int64_t{1}}};
}

TEST(WriteOut, TreesAreScoresOfTheFeaturesThatTheInputHas) {
  const auto made = [](const Shape& input) {
    return write_out(node_with_outputs("ai.onnx.ml.TreeEnsembleRegressor", input, {{1, 1}}, tree_of_three_features()));
  };
  EXPECT_THAT(operators_of(made({1, 3})), ElementsAre("tacit.TreeScores"));
  EXPECT_THAT(operators_of(made({1, 4})), ElementsAre("tacit.TreeScores"));
  EXPECT_THAT(operators_of(made({3})), ElementsAre("Reshape", "tacit.TreeScores"));
  EXPECT_THAT(
      [&] {
        made({1, 2});
      },
      testing::ThrowsMessage<base::InputError>(HasSubstr("its nodes read feature 2, and the input has 2")));
  Attributes transformed = tree_of_three_features();
  transformed["post_transform"] = std::string("LOGISTIC");
  EXPECT_THAT(
      operators_of(write_out(node_with_outputs("ai.onnx.ml.TreeEnsembleRegressor", {1, 3}, {{1, 1}}, transformed))),
      ElementsAre("tacit.TreeScores", "tacit.PostTransform"));
}

TEST(WriteOut, LinearModelsWithoutInterceptsAddNothing) {
  Attributes attributes = linear_model(2, 3, "NONE");
  attributes.erase("intercepts");
  attributes["targets"] = std::int64_t{2};
  EXPECT_THAT(operators_of(written_out(node_with_outputs("ai.onnx.ml.LinearRegressor", {2, 3}, {{2, 2}}, attributes))),
              ElementsAre("Gemm"));
}

TEST(WriteOut, SupportVectorsHaveAsManyFeaturesAsTheInput) {
  for (const std::size_t numbers : {14, 16}) {
    Attributes attributes = machine("LINEAR");
    attributes["n_supports"] = std::int64_t{5};
    attributes["support_vectors"] = Reals(numbers, 1.0);
    attributes["coefficients"] = Reals(5, 1.0);
    attributes["rho"] = Reals{0};
    EXPECT_THAT(
        [&] {
          write_out(node_with_outputs("ai.onnx.ml.SVMRegressor", {2, 3}, {{2, 1}}, attributes));
        },
        testing::ThrowsMessage<base::InputError>(HasSubstr("its support vectors do not fit its features")));
  }
}

}  // namespace
}  // namespace tacit::graph::passes
