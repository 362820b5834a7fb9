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
  // The factors of the second elements grow until their weight is that of the first ones: first the left one, up to 8.
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

std::vector<double> diagonal(double first, double second) { return {first, 0, 0, second}; }

/// (x times the left numbers) * (x times the right ones), read by a row of weights.
Graph product_of(const std::vector<double>& left, const std::vector<double>& right,
                 const std::vector<double>& weights) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId a = s.node("MatMul", {x, s.constant({2, 2}, diagonal(left[0], left[1]))}, {1, 2});
  const TensorId b = s.node("MatMul", {x, s.constant({2, 2}, diagonal(right[0], right[1]))}, {1, 2});
  s.output(s.node("MatMul", {s.node("Mul", {a, b}, {1, 2}), s.constant({2, 1}, weights)}, {1, 1}));
  return s.graph;
}

TEST(ElementUnits, ElementsAreToldApartInTensorsOfUpTo1024) {
  EXPECT_EQ(stretched_together({1, 2, 512}).back(), 1023U);
  EXPECT_EQ(stretched_together({1, 5, 205}).back(), 4U);
  EXPECT_EQ(stretched_together({1, 1025}).back(), 1024U) << "no spatial dimensions";
}

TEST(ElementUnits, ElementsThatHardlyVaryGetNoMoreThan16Bits) {
  Sketch s;
  s.output(s.node("MatMul", {s.input({1, 2}), s.constant({2, 1}, {1, 1})}, {1, 1}));
  const Network network = with_input_units(calibrated(s.graph, 1, 1e-9));
  EXPECT_THAT(std::get<Private>(network.values[0].operation).units, ElementsAre(1, 0x1p16));
}

TEST(ElementUnits, EveryInputHasItsUnits) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  s.output(s.node("Add", {x, y}, {1, 2}));
  Network network = fold(linearise(recognise(s.graph)));
  const Tensor first{{1, 2}, {3, 100}, false}, second{{1, 2}, {1, -7}, false};
  calibrate(network, {{first, second}, {first, second}}, base::Progress::silent());
  network = with_input_units(network);
  EXPECT_THAT(std::get<Private>(network.values[0].operation).units, ElementsAre(0.25, 1.0 / 128));
  EXPECT_THAT(std::get<Private>(network.values[1].operation).units, ElementsAre(1, 1.0 / 8));
  const std::vector<double> sums = evaluate(network, {first, second}).at(network.outputs[0]);
  EXPECT_THAT(sums, ElementsAre(testing::DoubleNear(4, 1e-12), testing::DoubleNear(93, 1e-12)));
}

/// The second element is the widest here.
TEST(ElementUnits, TheFirstElementOfAProductIsStretchedLikeAllOthers) {
  const auto stretches = [](const std::vector<double>& weights) {
    const Network network = with_stretched_elements(calibrated(product_of({1, 8}, {1, 4}, weights), 1, -1));
    EXPECT_EQ(network.values[3].stretch[0], network.values[1].stretch[0] * network.values[2].stretch[0]);
    EXPECT_NEAR(evaluate(network, {Tensor{{1, 2}, {0.5, 0.5}, false}}).at(network.outputs[0]).at(0),
                0.25 * weights[0] + 8 * weights[1], 1e-12);
    std::vector<double> all;
    for (const ValueId id : {1U, 2U})
      for (const layout::Index e : {0, 1}) all.push_back(network.values[id].stretch[e]);
    return all;
  };
  EXPECT_THAT(stretches({4, 1}), ElementsAre(4, 1, 1, 1));
  EXPECT_THAT(stretches({32, 1}), ElementsAre(8, 1, 4, 1));
}

TEST(ElementUnits, FactorsOfAProductThatReachNoMoreThanOneAreStretchedToo) {
  const Network network = with_stretched_elements(calibrated(product_of({1, 0.125}, {1, 0.25}, {1, 8}), 1, -1));
  EXPECT_EQ(network.values[1].stretch[0], 1);
  EXPECT_EQ(network.values[1].stretch[1], 8);
  EXPECT_EQ(network.values[2].stretch[1], 1);
}

TEST(ElementUnits, RangesOfFactorsOfOneSignReachToZero) {
  Network network = fold(linearise(recognise(product_of({8, 1}, {-4, -1}, {1, 1}))));
  const auto sample = [](double both) { return std::vector<Tensor>{Tensor{{1, 2}, {both, both}, false}}; };
  calibrate(network, {sample(2), sample(3)}, base::Progress::silent());
  network = with_stretched_elements(network);
  EXPECT_EQ(ends(network.values[1].range), std::pair(0.0, 24.0));
  EXPECT_EQ(ends(network.values[2].range), std::pair(-12.0, 0.0));
}

/// Private inputs have units of the client, and no factors of the server's.
TEST(ElementUnits, FactorsOfAProductAreNotStretchedBesideAnInput) {
  for (const bool input_first : {true, false}) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId h = s.node("MatMul", {x, s.constant({2, 2}, diagonal(8, 1))}, {1, 2});
    const TensorId both = input_first ? s.node("Mul", {x, h}, {1, 2}) : s.node("Mul", {h, x}, {1, 2});
    s.output(s.node("MatMul", {both, s.constant({2, 1}, {1, 4})}, {1, 1}));
    const Network network = with_stretched_elements(calibrated(s.graph, 1, -1));
    for (const Value& value : network.values) EXPECT_TRUE(value.stretch.all_equal(1)) << value.node;
    EXPECT_NEAR(evaluate(network, {Tensor{{1, 2}, {0.5, 0.5}, false}}).at(network.outputs[0]).at(0), 3, 1e-12);
  }
}

/// A function of two numbers times (8, 1), on this interval and with these ranges of its input. A row of weights reads
/// it if `is_read` is true.
Network on_interval(const std::string& op, const Range& interval, const std::vector<Range>& elements,
                    bool is_read = true) {
  Sketch s;
  std::vector<TensorId> operands{s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, diagonal(8, 1))}, {1, 2})};
  if (op == "Clip") operands.push_back(s.constant({}, {-4}));
  const TensorId f = s.node(op, operands, {1, 2});
  s.output(is_read ? s.node("MatMul", {f, s.constant({2, 1}, {1, 1})}, {1, 1}) : f);
  Network network = calibrated(s.graph, 1, -1);
  network.values.at(1).element_ranges = elements;
  network.values[1].reached.clear();
  auto& function = std::get<Function>(network.values.at(2).operation);
  function.lowest = interval.lowest;
  function.highest = interval.highest;
  return network;
}

/// The factor of the second element; the first one reaches the interval's end with its margin.
double second_factor(const Network& network) {
  const Network stretched = with_stretched_elements(network);
  EXPECT_EQ(stretched.values[1].stretch[0], 1);
  EXPECT_EQ(stretched.values[2].stretch[1], stretched.values[1].stretch[1]);
  return stretched.values[1].stretch[1];
}

TEST(ElementUnits, FunctionsAreStretchedOnIntervalsAroundZero) {
  EXPECT_EQ(second_factor(on_interval("Relu", {-16, 16}, {{-8, 8}, {-0.25, 0.25}})), 32);
  EXPECT_EQ(second_factor(on_interval("Relu", {-0.5, 0.5}, {{-0.25, 0.25}, {-0.03125, 0.03125}})), 8);
  EXPECT_EQ(second_factor(on_interval("Relu", {-16, 4}, {{-8, 1}, {-1, 1}})), 2) << "the nearer end counts";
  EXPECT_EQ(second_factor(on_interval("Abs", {0, 16}, {{0, 8}, {0, 1}})), 1);
  EXPECT_EQ(second_factor(on_interval("Abs", {-16, 0}, {{-8, 0}, {-1, 0}})), 1);
  EXPECT_EQ(second_factor(on_interval("Relu", {-16, 16}, {{-8, 8}, {-1, 1}}, false)), 1) << "an output";
}

TEST(ElementUnits, FunctionsAreStretchedWhereTheyHaveDegreeOneToBothEnds) {
  // max(x, -4) on [-8, 2]: the factors would be those of Relu.
  const std::vector<Range> elements{{-4, 1}, {-0.5, 0.125}};
  EXPECT_EQ(second_factor(on_interval("Clip", {-8, 2}, elements)), 1);
  EXPECT_EQ(second_factor(on_interval("Relu", {-8, 2}, elements)), 8);
  EXPECT_EQ(second_factor(on_interval("Clip", {-2, 2}, {{-1, 1}, {-0.125, 0.125}})), 8);
}

TEST(ElementUnits, WhatErrorsReachIsStretchedWithTheFirstElement) {
  Network network = on_interval("Relu", {-16, 16}, {{-1, 1}, {-8, 8}});
  network.values[1].reached = {{-2, 4}, {-8, 8}};
  network = with_stretched_elements(network);
  EXPECT_EQ(network.values[1].stretch[0], 4) << "4 of 16 may be reached";
  EXPECT_EQ(ends(network.values[1].element_ranges.at(0)), std::pair(-4.0, 4.0));
  EXPECT_EQ(ends(network.values[1].reached.at(0)), std::pair(-8.0, 16.0));
  EXPECT_EQ(ends(network.values[1].reached.at(1)), std::pair(-8.0, 8.0));
}

TEST(ElementUnits, RangesOfFunctionsAreTheLargerOfBothEnds) {
  const Network network = with_stretched_elements(on_interval("Abs", {-16, 16}, {{-8, 4}, {-1, 0.25}}));
  EXPECT_EQ(ends(network.values[1].range), std::pair(-8.0, 4.0));
  EXPECT_EQ(ends(network.values[2].range), std::pair(0.0, 8.0));
}

TEST(ElementUnits, FunctionsOfInputsOrWithoutRangesKeepTheirElements) {
  Sketch s;
  const TensorId f = s.node("Relu", {s.input({1, 2})}, {1, 2});
  s.output(s.node("MatMul", {f, s.constant({2, 1}, {1, 1})}, {1, 1}));
  const Network of_input = with_stretched_elements(calibrated(s.graph, 8, 1));
  const Network unknown = with_stretched_elements(on_interval("Relu", {-16, 16}, {}));
  for (const Network* network : {&of_input, &unknown})
    for (const Value& value : network->values) EXPECT_TRUE(value.stretch.all_equal(1)) << value.node;
}

}  // namespace
}  // namespace tacit::graph::passes
