#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes/function_intervals.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// Returns the function of one operator.
Function function_named(const std::string& op) {
  Sketch s;
  const TensorId x = s.input({}), y = s.node(op, {x}, {});
  Function function;
  function.function = ScalarFunction(s.graph, std::span(s.graph.nodes).first(1), x, y);
  return function;
}

void expect_near(const Range& range, double lowest, double highest) {
  EXPECT_NEAR(range.lowest, lowest, 1e-12);
  EXPECT_NEAR(range.highest, highest, 1e-12);
}

TEST(WidenedRanges, HaveATenthOfTheirWidthMoreAndConstantOnesOfTheirValue) {
  expect_near(widened({-1, 3}), -1.4, 3.4);
  expect_near(widened({5, 5}), 4.5, 5.5);
  expect_near(widened({-5, -5}), -5.5, -4.5);
  expect_near(widened({0, 0}), -1e-3, 1e-3);
  expect_near(widened({0.005, 0.005}), 0.004, 0.006);
  expect_near(widened({100, 100 + 1e-7}), 90 - 1e-8, 110 + 1.1e-7);
}

TEST(IntervalOf, IsWiderByUpToAQuarterWhereTheFunctionDoesNotGrowMuch) {
  struct Case {
    std::string op;
    Range shown;
    double lowest, highest;
  };
  for (const auto& [op, shown, lowest, highest] : {
           Case{"Tanh", {-1, 1}, -1.5, 1.5},
           // e^x grows by e^distance: by 1.6 within 0.47.
           Case{"Exp", {0, 1}, -0.25, 1.25},
           Case{"Exp", {0, 4}, -1, 4.4},
           Case{"Exp", {0, 8}, -2, 8.4},
           Case{"Exp", {0, 16}, -4, 16.32},
           Case{"Exp", {0, 64}, -16, 64.32},
           Case{"Exp", {0, 256}, -64, 256},
           // The root is not finite below 0.
           Case{"Sqrt", {0, 1}, 0, 1.25},
           Case{"Sqrt", {0.03, 1.03}, 0.01, 1.28},
           Case{"Reciprocal", {1, 3}, 0.8, 3.5},
           // A share of this width would reach the pole at 0.
           Case{"Reciprocal", {50, 7000}, 31.25, 8737.5},
           Case{"Reciprocal", {-7000, -50}, -8737.5, -31.25},
       }) {
    SCOPED_TRACE(testing::Message() << op << " on " << shown.lowest << ", " << shown.highest);
    expect_near(interval_of(function_named(op), {shown, shown}, 300, 20), lowest, highest);
  }
}

TEST(IntervalOf, ReachesAsFarAsErrorsDo) {
  expect_near(interval_of(function_named("Tanh"), {{-1, 1}, {-1.75, 1.125}}, 10, 1), -1.75, 1.5);
  expect_near(interval_of(function_named("Tanh"), {{-1, 1}, {-1.125, 1.75}}, 10, 1), -1.5, 1.75);
  expect_near(interval_of(function_named("Exp"), {{0, 4}, {-3, 7}}, 10, 1), -3, 4.4);
  expect_near(interval_of(function_named("Sqrt"), {{0, 1}, {-0.5, 1}}, 10, 1), 0, 1.25);
}

TEST(IntervalOf, FunctionsOfDegreeOneGetTwiceTheRangeAmongManyAndATenthOfManySamples) {
  struct Case {
    std::size_t samples, functions;
    double lowest, highest;
  };
  for (const auto& [samples, functions, lowest, highest] :
       {Case{255, 8, -2, 4}, Case{256, 8, -1.4, 3.4}, Case{255, 9, -2, 6}, Case{256, 9, -2, 6}}) {
    SCOPED_TRACE(testing::Message() << samples << " samples, " << functions << " functions");
    expect_near(interval_of(function_named("Relu"), {{-1, 3}, {-1, 3}}, samples, functions), lowest, highest);
  }
  for (const std::size_t samples : {10U, 256U})
    expect_near(interval_of(function_named("Relu"), {{-1, 3}, {-7, 9}}, samples, 1), -7, 9);
  // Tanh is not of degree one.
  expect_near(interval_of(function_named("Tanh"), {{-1, 1}, {-1, 1}}, 256, 9), -1.5, 1.5);
}

TEST(IntervalOf, AConstantHasATenthOfItsValue) {
  for (const std::string op : {"Relu", "Tanh"}) {
    SCOPED_TRACE(op);
    expect_near(interval_of(function_named(op), {{2, 2}, {2, 2}}, 10, 9), 1.8, 2.2);
    expect_near(interval_of(function_named(op), {{2, 2}, {1.5, 2.125}}, 10, 9), 1.5, 2.2);
    expect_near(interval_of(function_named(op), {{-2, -2}, {-2.5, -2}}, 300, 1), -2.5, -1.8);
  }
}

TEST(ReachOf, IsWhatTheElementShowsUnlessErrorsAreKnown) {
  Value value;
  value.element_ranges = {{0, 1}, {2, 3}};
  EXPECT_EQ(reach_of(value, 0), (Range{0, 1}));
  EXPECT_EQ(reach_of(value, 1), (Range{2, 3}));
  value.reached = {{-1, 2}, {1, 4}};
  EXPECT_EQ(reach_of(value, 0), (Range{-1, 2}));
  EXPECT_EQ(reach_of(value, 1), (Range{1, 4}));
}

TEST(IntervalOf, OfSmallFunctionsIsBoundedByTheirGrowthToo) {
  // e^x is 1/e at most; it is 1.6 times as much 0.47 further.
  expect_near(interval_of(function_named("Exp"), {{-5, -1}, {-5, -1}}, 10, 1), -6, -0.6);
  // A function that is 0 does not grow.
  expect_near(interval_of(function_named("Relu"), {{-3, -1}, {-3, -1}}, 10, 1), -3.5, -0.5);
}

TEST(IntervalOf, AWidthOfABillionthOfTheValueIsNone) {
  expect_near(interval_of(function_named("Tanh"), {{100, 100 + 5e-8}, {100, 100 + 5e-8}}, 10, 1), 90 - 5e-9,
              110 + 5.5e-8);
  expect_near(interval_of(function_named("Tanh"), {{0, 0}, {0, 0}}, 10, 1), -1e-3, 1e-3);
}

// The function is 1, except within 0.01 of 4.5, where it is 1.7. The place is the middle of the quarter that is added
// above the range [0, 4].
TEST(IntervalOf, SeesPeaksInTheMiddleOfWhatItAdds) {
  Sketch s;
  const TensorId x = s.input({});
  const TensorId distance = s.node("Abs", {s.node("Sub", {x, s.constant({}, {4.5})}, {})}, {});
  const TensorId slope = s.node("Mul", {distance, s.constant({}, {-70})}, {});
  const TensorId peak = s.node("Relu", {s.node("Add", {slope, s.constant({}, {0.7})}, {})}, {});
  const TensorId y = s.node("Add", {peak, s.constant({}, {1})}, {});
  Function function;
  function.function = ScalarFunction(s.graph, s.graph.nodes, x, y);
  expect_near(interval_of(function, {{0, 4}, {0, 4}}, 10, 1), -1, 4.4);
}

}  // namespace
}  // namespace tacit::graph::passes
