#include "graph/quant/feature_ranges.h"

#include <gtest/gtest.h>

#include "graph/quant/compiled_for_test.h"

namespace tacit::graph::quant {
namespace {

/// Two features that trees read, with ranges that are wider than those of the samples.
passes::Network trees() {
  passes::Network network;
  passes::Value features{passes::Private{}, {1, 2}, "x", "", {}};
  features.element_ranges = {{-1000, 1000}, {-1000, 1000}};
  const passes::ValueId x = network.add(std::move(features));
  network.outputs = {network.add({passes::Trees{x, std::make_shared<const TreeEnsemble>()}, {1, 1}, "t", "", {}})};
  return network;
}

/// The numbers from 0 on, in another order, and their negatives.
std::vector<std::vector<Tensor>> feature_samples(int count) {
  std::vector<std::vector<Tensor>> made;
  for (int i = 0; i < count; ++i) {
    const double number = (7 * i) % count;
    made.push_back({Tensor{{1, 2}, {number, -number}, false}});
  }
  return made;
}

TEST(FeatureRanges, LeaveOutAHundredthOfTheSamplesOnEitherSide) {
  passes::Network network = trees();
  narrow_tree_features(network, feature_samples(200));
  EXPECT_EQ(network.values[0].element_ranges[0].lowest, 2);
  EXPECT_EQ(network.values[0].element_ranges[0].highest, 197);
  EXPECT_EQ(network.values[0].element_ranges[1].lowest, -197);
  EXPECT_EQ(network.values[0].element_ranges[1].highest, -2);
}

TEST(FeatureRanges, StayWhereSamplesAreFewOrNoTreeReadsThem) {
  passes::Network network = trees();
  narrow_tree_features(network, feature_samples(99));
  EXPECT_EQ(network.values[0].element_ranges[0].lowest, -1000);
  EXPECT_EQ(network.values[0].element_ranges[1].highest, 1000);
  network.values[1].operation = passes::Product{0, 0};
  narrow_tree_features(network, feature_samples(200));
  EXPECT_EQ(network.values[0].element_ranges[0].highest, 1000);
}

/// An input that only trees read has borders at their thresholds. A table of the same input needs its numbers. The
/// trees then get a copy of the input. A table of the results of trees needs no copy.
TEST(FeatureRanges, TreesReadBordersAndOthersACopy) {
  using passes::Sketch;
  for (const bool table_of_input : {false, true}) {
    Sketch s;
    const TensorId x = s.input({1, 3});
    const TensorId scores = s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, 1}, two_trees());
    TensorId sum = kNoTensor;
    if (table_of_input) {
      const TensorId f =
          s.node("MatMul", {s.node("Sigmoid", {x}, {1, 3}), s.constant({3, 1}, {1, -0.5, 0.25})}, {1, 1});
      sum = s.node("Add", {scores, f}, {1, 1});
    } else {
      sum = s.node("MatMul", {s.node("Sigmoid", {scores}, {1, 1}), s.constant({1, 1}, {2})}, {1, 1});
    }
    s.output(s.node("MatMul", {s.node("Tanh", {sum}, {1, 1}), s.constant({1, 2}, {1, -1})}, {1, 2}));
    CompileOptions options;
    options.client_before = false;
    options.calibration = quant::samples(s.graph, 300, 1);
    const CompiledIntegers model = compile(s.graph, options);
    ASSERT_EQ(model.client.inputs.size(), table_of_input ? 2u : 1u);
    EXPECT_TRUE(model.client.inputs.back().borders.present());
    if (table_of_input) {
      EXPECT_FALSE(model.client.inputs[0].saturates);
      EXPECT_FALSE(model.client.inputs[0].borders.present());
    }
    expect_near(s.graph, 0.3, options);
  }
}

/// A hundred samples are the fewest of which one is left out, and from two hundred on it is two.
TEST(FeatureRanges, LeaveOutWholeSamples) {
  for (const auto& [count, left_out] : {std::pair{99, -1}, {100, 1}, {199, 1}, {200, 2}}) {
    passes::Network network = trees();
    narrow_tree_features(network, feature_samples(count));
    const bool stays = left_out < 0;
    EXPECT_EQ(network.values[0].element_ranges[0].lowest, stays ? -1000 : left_out) << count;
    EXPECT_EQ(network.values[0].element_ranges[0].highest, stays ? 1000 : count - 1 - left_out) << count;
    EXPECT_EQ(network.values[0].element_ranges[1].lowest, stays ? -1000 : left_out + 1 - count) << count;
  }
}

}  // namespace
}  // namespace tacit::graph::quant
