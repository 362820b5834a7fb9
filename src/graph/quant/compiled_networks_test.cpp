#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/quant/compile.h"
#include "graph/quant/compiled_for_test.h"
#include "graph/quant/element_bounds.h"
#include "graph/reference/run.h"
#include "graph/tree_ensemble.h"
#include "program/integers/clear_program.h"
#include "program/integers/noise.h"

namespace tacit::graph::quant {
namespace {

using passes::Sketch;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Whole = std::vector<std::int64_t>;

TEST(CompileOnIntegers, LinearNetworksNeedNoTables) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  s.output(s.node("MatMul", {x, s.constant({3, 2}, {0.5, -1, 2, 0.25, -0.75, 1})}, {1, 2}));
  expect_near(s.graph, 3e-3);
  CompileOptions options;
  options.input_range = {-1, 1};
  EXPECT_EQ(integers::lookups(compile(s.graph, options).program), 0u);
}

TEST(CompileOnIntegers, TheRangeOfInputsAloneBoundsFunctions) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 3}, {1, -0.5, 0.3, 0.2, 0.7, -1})}, {1, 3});
  const TensorId t = s.node("Tanh", {p}, {1, 3});
  s.output(s.node("MatMul", {t, s.constant({3, 2}, {1, 0, 0.5, -1, 0.5, 2})}, {1, 2}));
  CompileOptions options;
  options.bits = 8;
  options.input_range = {-1, 1};
  const CompiledIntegers model = compile(s.graph, options);
  EXPECT_EQ(integers::lookups(model.program), 3u);
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_THAT(model.warnings[0], HasSubstr("--calibrate"));
  // Sums reach their bounds at the corners of the range.
  for (const double a : {-1.0, -0.3, 0.6, 1.0})
    for (const double b : {-1.0, 0.1, 1.0}) {
      const std::vector<Tensor> sample{Tensor{{1, 2}, {a, b}, false}};
      const std::vector<double> expected = reference::run(s.graph, sample)[0].data, got = answer(model, sample)[0].data;
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(got[i], expected[i], 0.03) << a << " " << b;
    }
  options.input_range.reset();
  EXPECT_THAT([&] { compile(s.graph, options); }, ThrowsMessage<base::InputError>(HasSubstr("give calibration data")));
}

TEST(CompileOnIntegers, BoundsAreThoseOfIntervals) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  s.output(s.node("Relu", {s.node("MatMul", {x, s.constant({3, 2}, {0.5, 1, -1, 1, 0.25, 1})}, {1, 2})}, {1, 2}));
  passes::Network network = passes::linearise(passes::recognise(s.graph));
  bound_elements(network, {-2, 1});
  const auto bounds = [&](const passes::Value& value, std::size_t e) {
    return std::pair(value.element_ranges.at(e).lowest, value.element_ranges.at(e).highest);
  };
  ASSERT_EQ(network.values.size(), 3u);
  EXPECT_EQ(bounds(network.values[1], 0), std::pair(-1 - 1 - 0.5, 0.5 + 2 + 0.25));
  EXPECT_EQ(bounds(network.values[1], 1), std::pair(-6.0, 3.0));
  EXPECT_EQ(bounds(network.values[2], 0), std::pair(0.0, 2.75));
  EXPECT_EQ(network.values[1].range.lowest, -6);
  EXPECT_EQ(network.values[2].range.highest, 3);
  // Leaves of -3.5 to 2 of one tree, and of 0.25 to 0.5 of the other.
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  passes::Network trees;
  trees.add({passes::Private{}, {1, 3}, "x", "Input", {}});
  trees.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  bound_elements(trees, {-2, 1});
  EXPECT_EQ(bounds(trees.values[1], 0), std::pair(-3.25, 2.5));
}

TEST(CompileOnIntegers, TwoInputsAndResidualBranches) {
  const Graph graph = two_inputs_with_a_branch_around();
  expect_near(graph, 0.16);
  CompileOptions fine;
  fine.bits = 8;
  expect_near(graph, 0.04, fine);
}

TEST(CompileOnIntegers, InputsThatTablesAndSumsRead) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  const TensorId p = s.node("MatMul", {x, s.constant({3, 2}, {0.5, -1, 1, 0.25, -0.75, 1})}, {1, 2});
  const TensorId f =
      s.node("MatMul", {s.node("Sigmoid", {x}, {1, 3}), s.constant({3, 2}, {1, 0, 0, 1, 0.5, 0.5})}, {1, 2});
  s.output(
      s.node("MatMul", {s.node("Relu", {s.node("Add", {p, f}, {1, 2})}, {1, 2}), s.constant({2, 1}, {1, -1})}, {1, 1}));
  CompileOptions options;
  options.client_before = false;
  expect_near(s.graph, 0.25, options);
}

TEST(CompileOnIntegers, SquaresOfInputsStayInTheirTables) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Mul", {x, x}, {1, 2}));
  expect_near(s.graph, 0.08);
}

TEST(CompileOnIntegers, ResultsOfTablesAreOutputs) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {0.5, -1, 1, 0.25})}, {1, 2});
  const TensorId r = s.node("Relu", {p}, {1, 2});
  s.output(s.node("MatMul", {r, s.constant({2, 1}, {1, -1})}, {1, 1}));
  s.output(r);
  expect_near(s.graph, 0.1);
}

TEST(CompileOnIntegers, ProductsOfTwoValues) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  s.output(s.node("Mul", {x, y}, {1, 2}));
  expect_near(s.graph, 0.1);
}

/// The median counts, because an argument near a jump may be in a box on either side.
TEST(CompileOnIntegers, ComparisonsLogicAndChoicesOfTwoValues) {
  for (const std::string body :
       {"c = Less(p, q) r = Cast<to = 1>(c)", "c = GreaterOrEqual(p, k) r = Cast<to = 1>(c)",
        "a = Less(p, zero) b = Less(q, zero) c = And(a, b) r = Cast<to = 1>(c)",
        "a = Less(p, zero) b = Less(q, zero) c = Xor(a, b) r = Cast<to = 1>(c)", "c = Less(p, q) r = Where(c, q, p)",
        "a = Max(p, k) r = Tanh(a)", "e = Exp(q) r = Div(p, e)"}) {
    SCOPED_TRACE(body);
    const Graph graph = onnx::import_bytes(
        onnx::text_model_bytes(
            "m (float[1,3] x) => (float[1,2] y) <float[3,3] w = {1, -0.5, 0.25, 0.5, 1, 0.75, -1, 0.5, 1}, "
            "float[3,3] u = {0.5, 1, -0.5, 1, -1, 0.25, 0.75, 0.5, 1}, float[3] k = {0.5, -0.25, 0.1}, "
            "float zero = {0}, float[3,2] v = {1, -0.5, 0.25, 1, -0.75, 0.5}> "
            "{ p = MatMul(x, w) q = MatMul(x, u) " +
            body + " y = MatMul(r, v) }"),
        "m.onnx");
    CompileOptions options;
    options.calibration = samples(graph, 300, 1);
    const CompiledIntegers compiled = compile(graph, options);
    std::vector<double> errors;
    double largest = 0;
    for (const auto& sample : samples(graph, 60, 2)) {
      const std::vector<double> expected = reference::run(graph, sample)[0].data,
                                got = answer(compiled, sample)[0].data;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        errors.push_back(std::abs(got[i] - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
      }
    }
    std::ranges::sort(errors);
    EXPECT_LT(errors[errors.size() / 2], 0.04 * largest);
    EXPECT_LT(errors[errors.size() * 4 / 5], 0.1 * largest);
  }
}

/// Weights of a millionth, which change nothing, in addition to those of another sum of the same operand.
TEST(CompileOnIntegers, WeightsThatHardlyCountTakeNoBits) {
  const auto norm_of = [](double tiny) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId r = s.node("Relu", {s.node("MatMul", {x, s.constant({2, 2}, {1, -0.5, 0.25, 1})}, {1, 2})}, {1, 2});
    const TensorId t = s.node("Tanh", {s.node("MatMul", {x, s.constant({2, 2}, {-1, 0.5, 0.5, 1})}, {1, 2})}, {1, 2});
    const TensorId little = s.node("MatMul", {r, s.constant({2, 2}, {tiny, -tiny, tiny, tiny / 2})}, {1, 2});
    const TensorId a = s.node("Tanh", {s.node("Add", {little, t}, {1, 2})}, {1, 2});
    const TensorId b = s.node("Tanh", {s.node("MatMul", {r, s.constant({2, 2}, {1, -1, 0.5, 1})}, {1, 2})}, {1, 2});
    s.output(s.node("MatMul", {s.node("Add", {a, b}, {1, 2}), s.constant({2, 1}, {1, -1})}, {1, 1}));
    CompileOptions options;
    options.calibration = samples(s.graph, 300, 1);
    expect_near(s.graph, 0.25);
    double most = 0;
    for (const auto& norms : integers::noise_norms(compile(s.graph, options).program))
      most = std::max(most, norms.bootstraps);
    return most;
  };
  for (const double tiny : {1e-3, 1e-6, 1e-9}) EXPECT_LT(norm_of(tiny), 256) << tiny;
}

/// For arguments in their margin, an exponential is a million times larger than over the samples.
TEST(CompileOnIntegers, WhatFunctionsGrowToBesideTheirSamplesTakesNoBits) {
  for (const char* op : {"Exp", "Cosh"}) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {12, -7, 9, 14})}, {1, 2});
    s.output(s.node("MatMul", {s.node(op, {p}, {1, 2}), s.constant({2, 1}, {1, -1})}, {1, 1}));
    CompileOptions options;
    options.bits = 8;
    options.calibration = samples(s.graph, 300, 1);
    const CompiledIntegers model = compile(s.graph, options);
    double largest = 0, worst = 0;
    for (const auto& sample : samples(s.graph, 60, 2)) {
      const double expected = reference::run(s.graph, sample)[0].data[0];
      largest = std::max(largest, std::abs(expected));
      worst = std::max(worst, std::abs(answer(model, sample)[0].data[0] - expected));
    }
    EXPECT_LT(worst, 0.15 * largest) << op;
  }
}

/// Results of tables that differ little from a large number. Only the difference has bits.
TEST(CompileOnIntegers, TablesHoldDistancesFromWhatIsFarFromZero) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, -0.5, 0.25, 1})}, {1, 2});
  const TensorId far = s.node("Relu", {s.node("Add", {p, s.constant({1, 2}, {1e5, 2e5})}, {1, 2})}, {1, 2});
  const TensorId y = s.node("MatMul", {far, s.constant({2, 1}, {1, 0.7})}, {1, 1});
  s.output(s.node("Sub", {y, s.constant({1, 1}, {2.4e5})}, {1, 1}));
  expect_near(s.graph, 0.15);
}

// -- trees ------------------------------------------------------------------------------------------------------------

TEST(CompileOnIntegers, TreesCompareAsTheyDoInTheClear) {
  auto attributes = two_trees();
  for (const double beyond : {-0.5, -5.0}) {  // a threshold that no sample reaches
    attributes["nodes_values"] = std::vector<double>{0.25, beyond, 0, 0, 0, 0.1, 0, 0};
    const Graph graph = regressor(attributes, 3, 1);
    const TreeEnsemble ensemble = tree_ensemble(graph.nodes[0]);
    for (const int bits : {2, 4, 6, 8}) {
      CompileOptions options;
      options.bits = bits;
      options.calibration = samples(graph, 100, 1);
      const CompiledIntegers model = compile(graph, options);
      EXPECT_THAT(model.warnings, ::testing::IsEmpty());
      EXPECT_EQ(model.client.inputs.at(0).borders.of(0).size(), (std::size_t{1} << bits) - 1);
      std::vector<std::vector<Tensor>> rows = samples(graph, 200, 2);
      for (const double x : {0.25, 0.1, -0.5, -5.0, -6.0, 1e9}) rows.push_back({Tensor{{1, 3}, {x, x, x}, false}});
      for (const auto& row : rows)
        ASSERT_NEAR(answer(model, row)[0].data[0], ensemble.scores(row[0].data)[0], 1e-9) << bits;
    }
  }
}

/// The client's steps state that it learns borders of the grid, three for every feature here.
TEST(CompileOnIntegers, StatesWhatBordersDisclose) {
  const Graph graph = regressor(two_trees(), 3, 1);
  CompileOptions options;
  options.bits = 2;
  options.calibration = samples(graph, 100, 1);
  const std::vector<ClientNode> nodes = compile(graph, options).parts.nodes;
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].op, "thresholds among decoys");
  EXPECT_TRUE(nodes[0].before);
  EXPECT_EQ(nodes[0].learned, 9);
}

/// Stumps that compare one feature with five thresholds. A grid of two bits cannot have all of them as borders.
TEST(CompileOnIntegers, SaysHowManyThresholdsHaveNoBorder) {
  auto attributes = two_trees();
  Whole trees, ids, features, yes, no, leaf_trees, leaf_ids;
  std::vector<double> values, weights;
  std::vector<std::string> modes;
  for (std::int64_t tree = 0; tree < 5; ++tree)
    for (std::int64_t id = 0; id < 3; ++id) {
      trees.push_back(tree);
      ids.push_back(id);
      features.push_back(0);
      yes.push_back(1);
      no.push_back(2);
      values.push_back(0.3 * static_cast<double>(tree) - 0.6);
      modes.emplace_back(id == 0 ? "BRANCH_LEQ" : "LEAF");
      if (id == 0) continue;
      leaf_trees.push_back(tree);
      leaf_ids.push_back(id);
      weights.push_back(static_cast<double>(id));
    }
  attributes["nodes_treeids"] = trees;
  attributes["nodes_nodeids"] = ids;
  attributes["nodes_featureids"] = features;
  attributes["nodes_truenodeids"] = yes;
  attributes["nodes_falsenodeids"] = no;
  attributes["nodes_values"] = values;
  attributes["nodes_modes"] = modes;
  attributes["target_treeids"] = leaf_trees;
  attributes["target_nodeids"] = leaf_ids;
  attributes["target_ids"] = Whole(10, 0);
  attributes["target_weights"] = weights;
  const Graph graph = regressor(attributes, 1, 1);
  CompileOptions options;
  options.calibration = samples(graph, 50, 1);
  options.bits = 3;
  EXPECT_THAT(compile(graph, options).warnings, ::testing::IsEmpty());
  options.bits = 2;
  const std::vector<std::string> warnings = compile(graph, options).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("2 of 5 thresholds have no border of their own"), HasSubstr("a feature has"),
                                 HasSubstr("--bits")));
}

TEST(CompileOnIntegers, FeaturesEqualThresholdsInTheirBox) {
  auto attributes = two_trees();
  attributes["nodes_modes"] =
      std::vector<std::string>{"BRANCH_EQ", "BRANCH_NEQ", "LEAF", "LEAF", "LEAF", "BRANCH_EQ", "LEAF", "LEAF"};
  attributes["nodes_values"] = std::vector<double>{3, 5, 0, 0, 0, 2, 0, 0};
  const Graph graph = regressor(attributes, 3, 1);
  CompileOptions options;
  for (double v = 0; v < 8; ++v) options.calibration.push_back({Tensor{{1, 3}, {v, v, v}, false}});
  const CompiledIntegers model = compile(graph, options);
  for (double a = 0; a < 8; ++a)
    for (double b = 0; b < 8; ++b) {
      const std::vector<double> x{a, b, a};
      EXPECT_NEAR(answer(model, {Tensor{{1, 3}, x, false}})[0].data[0], tree_ensemble(graph.nodes[0]).scores(x)[0],
                  0.02)
          << a << b;
    }
}

/// A tree of one question whose leaves share 1 among five targets. The last target gets the rest of the four others,
/// which is more than any leaf adds to one of these.
TEST(CompileOnIntegers, ScoresOfTheLastTargetAreWhatTheOthersLeave) {
  auto attributes = two_trees();
  attributes["nodes_treeids"] = Whole{0, 0, 0};
  attributes["nodes_nodeids"] = Whole{0, 1, 2};
  attributes["nodes_featureids"] = Whole{0, 0, 0};
  attributes["nodes_values"] = std::vector<double>{0.1, 0, 0};
  attributes["nodes_modes"] = std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"};
  attributes["nodes_truenodeids"] = Whole{1, 0, 0};
  attributes["nodes_falsenodeids"] = Whole{2, 0, 0};
  attributes["target_treeids"] = Whole(10, 0);
  attributes["target_nodeids"] = Whole{1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
  attributes["target_ids"] = Whole{0, 1, 2, 3, 4, 0, 1, 2, 3, 4};
  attributes["target_weights"] = std::vector<double>{0.25, 0.25, 0.25, 0.25, 0, 0.2, 0.1, 0.2, 0.25, 0.25};
  attributes["n_targets"] = std::int64_t{5};
  const Graph graph = regressor(attributes, 1, 5);
  CompileOptions options;
  options.calibration = samples(graph, 50, 1);
  const CompiledIntegers model = compile(graph, options);
  for (const double x : {-0.9, 0.9}) {
    const std::vector<double> row{x}, expected = tree_ensemble(graph.nodes[0]).scores(row);
    const Tensor got = answer(model, {Tensor{{1, 1}, row, false}})[0];
    for (std::size_t t = 0; t < 5; ++t) EXPECT_NEAR(got.data.at(t), expected[t], 3e-3) << x << " " << t;
  }
}

TEST(CompileOnIntegers, SumsAndTablesReadScores) {
  for (const bool table : {false, true}) {
    Sketch s;
    const TensorId x = s.input({1, 3});
    TensorId scores = s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, 1}, two_trees());
    const TensorId linear = s.node("MatMul", {x, s.constant({3, 1}, {0.5, -1, 0.25})}, {1, 1});
    if (table) scores = s.node("Sigmoid", {scores}, {1, 1});
    const TensorId sum = s.node("Add", {scores, linear}, {1, 1});
    s.output(s.node("MatMul", {s.node("Relu", {sum}, {1, 1}), s.constant({1, 2}, {1, -1})}, {1, 2}));
    CompileOptions options;
    options.calibration = samples(s.graph, 300, 1);
    const CompiledIntegers model = compile(s.graph, options);
    EXPECT_FALSE(model.client.inputs.at(0).saturates);  // a sum needs more than comparisons
    std::size_t far = 0;
    for (const auto& sample : samples(s.graph, 60, 2))
      far += std::abs(answer(model, sample)[0].data[0] - reference::run(s.graph, sample)[0].data[0]) > 0.3 ? 1 : 0;
    EXPECT_LE(far, 6u) << table;  // features near a threshold
  }
}

TEST(CompileOnIntegers, RefusesWhatItCannotDo) {
  auto constant = two_trees();
  for (const char* name : {"nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids",
                           "nodes_falsenodeids", "target_treeids", "target_nodeids", "target_ids"})
    constant[name] = Whole{0};
  constant["nodes_values"] = std::vector<double>{0};
  constant["nodes_modes"] = std::vector<std::string>{"LEAF"};
  constant["target_weights"] = std::vector<double>{1};
  const auto refusal = [](const Graph& graph, const CompileOptions& options, const char* what, const char* way) {
    EXPECT_THAT([&] { compile(graph, options); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr(what), HasSubstr(way))));
  };
  CompileOptions options;
  const Graph leaf = regressor(constant, 2, 1), trees = regressor(two_trees(), 3, 1);
  options.calibration = samples(leaf, 3, 1);
  refusal(leaf, options, "single leaves", "replace it by that constant");
  options.calibration.clear();
  EXPECT_EQ(compile(trees, options).client.inputs.size(), 1u) << "thresholds are known without samples";
  options.calibration.assign(5, samples(trees, 1, 1)[0]);
  refusal(trees, options, "node 'x': all 5 calibration samples are the same", "--input-range");
  options.calibration.resize(1);
  refusal(trees, options, "node 'x': there is one calibration sample, so that it does not show", "--input-range");
  options.calibration.clear();
  options.bits = 9;
  refusal(trees, options, "tables of 9 bits", "2 to 8");
  options.bits = 6;
  options.calibration = samples(trees, 3, 1);
  options.parameters = params::named_tfhe_literal("T2");
  refusal(trees, options, "parameter set 'T2'", "compile the model again");
  Sketch s;
  const TensorId x = s.input({1, (1 << 22) + 1});
  s.output(s.node("Add", {x, s.constant({1}, {0.5})}, {1, (1 << 22) + 1}));
  CompileOptions large;
  large.input_range = {-1, 1};
  large.client_before = false;
  refusal(s.graph, large, "a tensor has 4194305 ciphertexts", "--scheme ckks");
}

}  // namespace
}  // namespace tacit::graph::quant
