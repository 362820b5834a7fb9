#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "graph/quant/compiled_for_test.h"
#include "graph/quant/random_trees_for_test.h"

/// Random ensembles on integers against the reference run. The error of every target is compared with its range.
namespace tacit::graph::quant {
namespace {

constexpr double kMostError = 0.01;  // of the range of the target over the rows

void expect_own_ranges(const Graph& graph, const Drawing& drawing, unsigned seed, int bits) {
  Draw draw(drawing, seed + 1000);
  CompileOptions options;
  options.bits = bits;
  options.calibration = draw.rows(300);
  const CompiledIntegers model = compile(graph, options);
  std::vector<std::vector<double>> expected, got;
  for (const auto& row : draw.rows(100)) {
    expected.push_back(reference::run(graph, row).at(0).data);
    got.push_back(answer(model, row).at(0).data);
  }
  for (std::size_t target = 0; target < expected[0].size(); ++target) {
    Range range;
    for (const auto& row : expected) range.include(row[target]);
    for (std::size_t row = 0; row < expected.size(); ++row)
      ASSERT_NEAR(got[row][target], expected[row][target], kMostError * range.width() + 1e-9 * range.bound())
          << "seed " << seed << ", row " << row << ", target " << target;
  }
}

TEST(RandomTrees, SumsOfManyTreesAreSumsOfGroups) {
  const Drawing drawing{.trees = 300, .depth = 3, .targets = 2};
  const Graph graph = regressor(Draw(drawing, 11).attributes(), kFeatures, drawing.targets);
  expect_own_ranges(graph, drawing, 11, 6);
  Draw draw(drawing, 12);
  CompileOptions options;
  options.bits = 6;
  options.calibration = draw.rows(100);
  const CompiledIntegers model = compile(graph, options);
  const std::uint32_t addends = model.client.outputs.at(0).addends;
  EXPECT_GT(addends, 1u);
  EXPECT_EQ(model.client.outputs[0].integers(), 2 * static_cast<layout::Index>(addends));
  EXPECT_EQ(model.warnings, std::vector<std::string>{});
}

TEST(RandomTrees, EveryTargetIsRightByItsOwnRange) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Drawing drawing{.trees = 2 + static_cast<int>(seed) * 4, .targets = 1 + seed % 3};
    expect_own_ranges(regressor(Draw(drawing, seed).attributes(), kFeatures, drawing.targets), drawing, seed, 6);
  }
}

TEST(RandomTrees, RowsOnThresholdsGoWhereTheyGo) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Drawing drawing{.trees = 6, .any_mode = true};
    expect_own_ranges(regressor(Draw(drawing, seed).attributes(), kFeatures, 1), drawing, seed, 6);
  }
}

TEST(RandomTrees, MissingValuesGoWhereTheyGo) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Drawing drawing{.trees = 6, .missing = true, .any_mode = seed % 2 == 1};
    expect_own_ranges(regressor(Draw(drawing, seed).attributes(), kFeatures, 1), drawing, seed, 6);
  }
}

/// A scaler costs no bits, whether or not it reverses the order. A choice of columns costs no bits either.
TEST(RandomTrees, ScalersInFrontCostNothing) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Drawing drawing{.trees = 6, .any_mode = true};
    Draw draw(drawing, seed);
    passes::Sketch s;
    const TensorId x = s.input({1, kFeatures});
    std::vector<double> scales, offsets;
    for (std::int64_t f = 0; f < kFeatures; ++f) {
      scales.push_back(std::ldexp(f == 1 ? -1.0 : 1.0, draw.whole(5) - 2));
      offsets.push_back((draw.whole(16) - 8) / 8.0);
    }
    const TensorId scaled = s.node("ai.onnx.ml.Scaler", {x}, {1, kFeatures}, {{"scale", scales}, {"offset", offsets}});
    s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {scaled}, {1, 1}, draw.attributes()));
    expect_own_ranges(s.graph, drawing, seed, 6);
  }
}

/// 63 thresholds fit the grid of 6 bits, where 4 trees tell 4 features apart with up to 60 of them.
TEST(RandomTrees, ThresholdsDoNotMergeWhereTheGridHoldsThem) {
  const Drawing drawing{.trees = 12, .depth = 5, .thresholds = 60};
  const Graph graph = regressor(Draw(drawing, 3).attributes(), kFeatures, 1);
  CompileOptions options;
  options.calibration = Draw(drawing, 4).rows(300);
  EXPECT_TRUE(compile(graph, options).warnings.empty());
  expect_own_ranges(graph, drawing, 3, 6);
}

/// A table of four bits counts fifteen comparisons on the way to a leaf, and this way has twenty-five.
TEST(RandomTrees, MayBeDeeperThanATableCounts) {
  constexpr int kDepth = 25;
  Attributes chain = regressor(two_trees(), kFeatures, 1).nodes[0].attributes;
  std::vector<std::int64_t> trees, ids, features, yes, no, leaves;
  std::vector<double> values, weights;
  std::vector<std::string> modes;
  std::mt19937 random(1);
  for (std::int64_t at = 0; at < kDepth; ++at)
    for (const bool leaf : {false, true}) {
      const bool turned = random() % 2 == 0;
      ids.push_back(2 * at + leaf);
      trees.push_back(0);
      features.push_back(leaf ? 0 : static_cast<std::int64_t>(random() % kFeatures));
      values.push_back(leaf ? 0 : 0.25 * static_cast<double>(random() % 8) - (turned ? 2 : 0));
      modes.emplace_back(leaf ? "LEAF" : turned ? "BRANCH_LEQ" : "BRANCH_GT");
      // Most rows go on.
      yes.push_back(leaf ? 0 : 2 * at + 1);
      no.push_back(leaf ? 0 : 2 * at + 2);
      if (!leaf) continue;
      leaves.push_back(2 * at + 1);
      weights.push_back(static_cast<double>(random() % 1000));
    }
  ids.push_back(2 * kDepth);
  trees.push_back(0);
  features.push_back(0);
  values.push_back(0);
  modes.emplace_back("LEAF");
  yes.push_back(0);
  no.push_back(0);
  leaves.push_back(2 * kDepth);
  weights.push_back(-500);
  chain["target_treeids"] = std::vector<std::int64_t>(leaves.size(), 0);
  chain["target_ids"] = std::vector<std::int64_t>(leaves.size(), 0);
  chain["target_nodeids"] = leaves;
  chain["target_weights"] = weights;
  chain["nodes_treeids"] = trees;
  chain["nodes_nodeids"] = ids;
  chain["nodes_featureids"] = features;
  chain["nodes_values"] = values;
  chain["nodes_modes"] = modes;
  chain["nodes_truenodeids"] = yes;
  chain["nodes_falsenodeids"] = no;
  expect_own_ranges(regressor(chain, kFeatures, 1), Drawing{}, 5, 4);
}

/// A factor and a constant after trees are those of their leaves: no sum multiplies their noise.
TEST(RandomTrees, SumsAfterThemBecomeLeaves) {
  const Drawing drawing{.trees = 40, .targets = 2};
  Draw draw(drawing, 7);
  passes::Sketch s;
  const TensorId x = s.input({1, kFeatures});
  const TensorId scores = s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, 2}, draw.attributes());
  const TensorId scaled = s.node("Mul", {scores, s.constant({2}, {1.0063831, -3})}, {1, 2});
  s.output(s.node("Add", {scaled, s.constant({2}, {-0.0948, 20})}, {1, 2}));
  expect_own_ranges(s.graph, drawing, 7, 6);
  CompileOptions options;
  options.calibration = draw.rows(100);
  const CompiledIntegers model = compile(s.graph, options);
  EXPECT_TRUE(integers::is_exact(model.program));
}

}  // namespace
}  // namespace tacit::graph::quant
