#include "graph/passes/element_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

/// Calibrated on (a, b) and (-a, -b).
Network calibrated(const Graph& graph, double a, double b) {
  Network network = fold(linearise(recognise(graph)));
  const Shape& shape = graph.tensors[graph.inputs[0]].shape;
  calibrate(network, {{Tensor{shape, {a, b}, false}}, {Tensor{shape, {-a, -b}, false}}}, base::Progress::silent());
  return network;
}

std::pair<double, double> ends(const Range& range) { return {range.lowest, range.highest}; }

/// left * right, elements that reach (8, 1) and (4, 1), read by a row of weights.
Graph product(const std::vector<double>& weights) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId left = s.node("MatMul", {x, s.constant({2, 2}, {8, 0, 0, 1})}, {1, 2});
  const TensorId right = s.node("MatMul", {x, s.constant({2, 2}, {4, 0, 0, 1})}, {1, 2});
  const TensorId both = s.node("Mul", {left, right}, {1, 2});
  s.output(s.node("MatMul", {both, s.constant({2, 1}, weights)}, {1, 1}));
  return s.graph;
}

TEST(ElementUnits, FactorsOfAProductAreStretchedOneBehindTheOther) {
  const auto stretches = [](const std::vector<double>& weights) {
    const Network network = with_stretched_elements(calibrated(product(weights), 1, -1));
    EXPECT_EQ(network.values.size(), 5U);
    EXPECT_EQ(ends(network.values[1].range), std::pair(-8.0, 8.0));
    EXPECT_EQ(ends(network.values[2].range), std::pair(-4.0, 4.0));
    EXPECT_EQ(ends(network.values[3].range), std::pair(-32.0, 32.0));
    EXPECT_EQ(network.values[3].stretch[1], network.values[1].stretch[1] * network.values[2].stretch[1]);
    EXPECT_NEAR(evaluate(network, {Tensor{{1, 2}, {0.5, 0.5}, false}}).at(network.outputs[0]).at(0),
                8 * weights[0] + 0.25 * weights[1], 1e-12);
    std::vector<double> all;
    for (const ValueId id : {1U, 2U})
      for (const layout::Index e : {0, 1}) all.push_back(network.values[id].stretch[e]);
    return all;
  };
  // Of the second elements, until their weight is that of the first ones: first the left one, up to 8.
  EXPECT_THAT(stretches({1, 4}), ElementsAre(1, 4, 1, 1));
  EXPECT_THAT(stretches({1, 8}), ElementsAre(1, 8, 1, 1));
  EXPECT_THAT(stretches({1, 16}), ElementsAre(1, 8, 1, 2));
  EXPECT_THAT(stretches({1, 32}), ElementsAre(1, 8, 1, 4));
  EXPECT_THAT(stretches({1, -32}), ElementsAre(1, 8, 1, 4)) << "a weight counts by its size";
  EXPECT_THAT(stretches({1, 1}), ElementsAre(1, 1, 1, 1));
}

TEST(ElementUnits, SquaresReachTheSquareOfTheWidest) {
  Sketch s;
  const TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {1000, 0, 0, 0.01})}, {1, 2});
  s.output(s.node("MatMul", {s.node("Mul", {h, h}, {1, 2}), s.constant({2, 1}, {1e-6, 1e4})}, {1, 1}));
  const Network network = with_stretched_elements(calibrated(s.graph, 1, -1));
  ASSERT_EQ(network.values.size(), 4U);
  EXPECT_DOUBLE_EQ(network.values[1].element_ranges.at(1).lowest, -0.01 * 0x1p16);
  EXPECT_DOUBLE_EQ(network.values[1].element_ranges.at(1).highest, 0.01 * 0x1p16);
  EXPECT_EQ(network.values[1].stretch[1], 0x1p16);
  EXPECT_EQ(ends(network.values[2].range), std::pair(0.0, 1e6));
  EXPECT_EQ(network.values[2].stretch[0], 1);
  EXPECT_EQ(network.values[2].stretch[1], 0x1p32);
}

/// Channels of images keep one unit, features have one each.
TEST(ElementUnits, ImagesHaveOneUnit) {
  const auto units = [](const Shape& shape) {
    Sketch s;
    const TensorId rows = s.node("Flatten", {s.input(shape)}, {1, 2});
    s.output(s.node("MatMul", {rows, s.constant({2, 1}, {1, 1})}, {1, 1}));
    const Network network = with_input_units(calibrated(s.graph, 3, 100));
    EXPECT_NEAR(evaluate(network, {Tensor{shape, {2, 5}, false}}).at(network.outputs[0]).at(0), 7, 1e-12);
    return std::get<Private>(network.values[0].operation).units;
  };
  EXPECT_THAT(units({1, 2}), ElementsAre(0.25, 1.0 / 128));
  EXPECT_THAT(units({1, 2, 1, 1}), ElementsAre(1.0 / 128, 1.0 / 128));
  EXPECT_THAT(units({1, 1, 2}), ElementsAre(1.0 / 128, 1.0 / 128));
}

TEST(ElementUnits, RangesOfStretchedFunctionsAreWhatTheyMakeOfTheirEnds) {
  const auto range = [](const std::string& op) {
    Sketch s;
    const TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {8, 0, 0, 1})}, {1, 2});
    std::map<std::string, Attribute> attributes;
    if (op == "LeakyRelu") attributes["alpha"] = 0.5;
    const TensorId f = s.node(op, {h}, {1, 2}, std::move(attributes));
    s.output(s.node("MatMul", {f, s.constant({2, 1}, {1, 1})}, {1, 1}));
    const Network network = with_stretched_elements(calibrated(s.graph, 1, -1));
    EXPECT_EQ(network.values.size(), 4U);
    EXPECT_EQ(network.values[2].stretch[0], 1) << op;
    EXPECT_GT(network.values[2].stretch[1], 1) << op;
    EXPECT_EQ(network.values[1].stretch[1], network.values[2].stretch[1]) << op;
    EXPECT_EQ(ends(network.values[1].range), std::pair(-8.0, 8.0)) << op;
    return ends(network.values[2].range);
  };
  EXPECT_EQ(range("Relu"), std::pair(0.0, 8.0));
  EXPECT_EQ(range("Abs"), std::pair(0.0, 8.0));
  EXPECT_EQ(range("LeakyRelu"), std::pair(-4.0, 8.0));
}

}  // namespace
}  // namespace tacit::graph::passes
