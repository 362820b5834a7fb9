#include "graph/passes/function_intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "base/progress.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// |w . |x|| of two large elements whose difference is small, calibrated on one sample.
Network small_difference_of_large_values(const std::string& op) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId large = s.node("Abs", {x}, {1, 2});
  const TensorId difference = s.node("MatMul", {large, s.constant({2, 1}, {1, -1})}, {1, 1});
  s.output(s.node("MatMul", {s.node(op, {difference}, {1, 1}), s.constant({1, 1}, {1})}, {1, 1}));
  Network network = isolate_function_inputs(fold(linearise(recognise(s.graph))));
  calibrate(network, {{Tensor{{1, 2}, {100, -100.5}, false}}}, base::Progress::silent());
  return network;
}

std::vector<ValueId> functions(const Network& network) {
  std::vector<ValueId> result;
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (std::holds_alternative<Function>(network.values[id].operation)) result.push_back(id);
  return result;
}

const Value& input_of(const Network& network, ValueId function) {
  return network.values[std::get<Function>(network.values[function].operation).input];
}

// A series for |x| of degree 30 errs by about 0.28 / 30 of the interval's reach, some 1 for values around 100.
TEST(FunctionIntervals, HaveRoomForWhatTheSeriesBeforeErrBy) {
  const Network network = small_difference_of_large_values("Abs");
  const std::vector<ValueId> ids = functions(network);
  ASSERT_EQ(ids.size(), 2U);
  const Value &first = input_of(network, ids[0]), &input = input_of(network, ids[1]);
  for (std::size_t e = 0; e < 2; ++e) EXPECT_EQ(first.reached.at(e).highest, first.element_ranges.at(e).highest);
  const double carried = (input.reached.at(0).highest - input.element_ranges.at(0).highest) / 4;
  EXPECT_GT(carried, 0.5);
  EXPECT_LT(carried, 8);
  const auto& second = std::get<Function>(network.values[ids[1]].operation);
  EXPECT_LE(second.lowest, -0.5 - 4 * carried);
  EXPECT_GE(second.highest, -0.5 + 4 * carried);
}

TEST(FunctionIntervals, ElementsAreNotStretchedBeyondThatRoom) {
  const Network network = with_stretched_elements(small_difference_of_large_values("Abs"));
  const ValueId id = functions(network)[1];
  const Value& input = input_of(network, id);
  const auto& function = std::get<Function>(network.values[id].operation);
  EXPECT_LE(-input.reached.at(0).lowest, -function.lowest * (1 + 1e-9));
}

// A root of a number that an error may make negative keeps an interval where it is finite.
TEST(FunctionIntervals, DoNotLeaveWhereTheFunctionIsFinite) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId large = s.node("Abs", {x}, {1, 2});
  const TensorId sum = s.node("MatMul", {large, s.constant({2, 1}, {0.01, 0.01})}, {1, 1});
  s.output(s.node("Sqrt", {sum}, {1, 1}));
  Network network = isolate_function_inputs(fold(linearise(recognise(s.graph))));
  calibrate(network, {{Tensor{{1, 2}, {100, 1}, false}}, {Tensor{{1, 2}, {0.1, 1}, false}}}, base::Progress::silent());
  const auto& root = std::get<Function>(network.values[functions(network)[1]].operation);
  EXPECT_GE(root.lowest, 0);
  EXPECT_GT(root.highest, 1.01);
}

/// The expected error of a sum of `count` equal magnitudes, in deviations.
double deviation_of_sum(std::int64_t count) {
  Sketch s;
  const TensorId x = s.input({1, count});
  const std::vector<double> ones(static_cast<std::size_t>(count), 1.0);
  const TensorId sum = s.node("MatMul", {s.node("Abs", {x}, {1, count}), s.constant({count, 1}, ones)}, {1, 1});
  s.output(s.node("MatMul", {s.node("Abs", {sum}, {1, 1}), s.constant({1, 1}, {1})}, {1, 1}));
  Network network = isolate_function_inputs(fold(linearise(recognise(s.graph))));
  std::vector<std::vector<Tensor>> samples;
  for (const double at : {100.0, -100.0})
    samples.push_back({Tensor{{1, count}, std::vector<double>(static_cast<std::size_t>(count), at), false}});
  calibrate(network, samples, base::Progress::silent());
  const Value& input = input_of(network, functions(network).at(1));
  return (input.reached.at(0).highest - input.element_ranges.at(0).highest) / 4;
}

// Errors have either sign, as likely: those of 256 elements add up to 16 times one, not to 256 times.
TEST(FunctionIntervals, ErrorsOfManyElementsCancelInPart) {
  const double one = deviation_of_sum(1), many = deviation_of_sum(256);
  EXPECT_GT(one, 0.1);
  EXPECT_GT(many, 8 * one);
  EXPECT_LT(many, 32 * one);
}

/// Returns the function of one operator, of a value of a network.
Function operator_function(const std::string& op, ValueId input) {
  Sketch s;
  const TensorId x = s.input({}), y = s.node(op, {x}, {});
  Function function;
  function.input = input;
  function.function = ScalarFunction(s.graph, std::span(s.graph.nodes).first(1), x, y);
  return function;
}

/// A chain of functions. The first one reads the input of `elements` elements. It is calibrated on samples that are the
/// same in every element.
Network calibrated_chain(const std::vector<std::string>& ops, std::int64_t elements,
                         const std::vector<double>& samples) {
  const Shape shape{1, elements};
  Network network;
  network.add({Private{}, shape, "x", "Input", {}});
  for (const std::string& op : ops) {
    const auto input = static_cast<ValueId>(network.values.size() - 1);
    network.add({operator_function(op, input), shape, op, op, {}});
  }
  network.outputs = {static_cast<ValueId>(network.values.size() - 1)};
  std::vector<std::vector<Tensor>> inputs;
  for (const double at : samples)
    inputs.push_back({Tensor{shape, std::vector<double>(static_cast<std::size_t>(elements), at), false}});
  calibrate(network, inputs, base::Progress::silent());
  return network;
}

void expect_interval(const Network& network, ValueId id, double lowest, double highest) {
  const auto& function = std::get<Function>(network.values.at(id).operation);
  EXPECT_NEAR(function.lowest, lowest, 1e-12) << id;
  EXPECT_NEAR(function.highest, highest, 1e-12) << id;
}

TEST(FunctionIntervals, AFunctionAloneHasOne) { expect_interval(calibrated_chain({"Tanh"}, 1, {-1, 1}), 1, -1.5, 1.5); }

/// The signs of errors: bits of draws, the lowest first, of which one stands for -1.
std::vector<double> signs_of_errors(std::size_t count) {
  std::mt19937_64 random(1);
  std::uint64_t bits = 0;
  std::vector<double> signs;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 64 == 0) bits = random();
    signs.push_back((bits >> (i % 64)) % 2 == 0 ? 1 : -1);
  }
  return signs;
}

// A series for a jump is off by half of the jump. A fiftieth of the largest value is taken: 0.06 for 3. So the second
// function reads 2.06 or 1.94 in place of 2, and makes 3 or 2 of it.
TEST(FunctionIntervals, ReachFourDeviationsOfEveryElementByErrorsOfEitherSign) {
  constexpr std::size_t kElements = 5;
  const Network network = calibrated_chain({"Ceil", "Ceil", "Relu"}, kElements, {2});
  expect_interval(network, 1, 1.8, 2.2);
  expect_interval(network, 2, 1.76, 2.24);
  const std::vector<double> signs = signs_of_errors(2 * kElements * kLanes);
  double widest = 0;
  for (std::size_t e = 0; e < kElements; ++e) {
    SCOPED_TRACE(e);
    EXPECT_EQ(network.values[0].reached.at(e), (Range{2, 2})) << "no series lies before";
    EXPECT_NEAR(network.values[1].reached.at(e).lowest, 1.76, 1e-12);
    EXPECT_NEAR(network.values[1].reached.at(e).highest, 2.24, 1e-12);
    double squares = 0;
    for (std::size_t i = e * kLanes; i < (e + 1) * kLanes; ++i) {
      const double off = (signs[i] > 0 ? 1 : 0) + 0.06 * signs[kElements * kLanes + i];
      squares += off * off;
    }
    const double reach = 4 * std::sqrt(squares / kLanes);
    EXPECT_NEAR(network.values[2].reached.at(e).lowest, 2 - reach, 1e-12);
    EXPECT_NEAR(network.values[2].reached.at(e).highest, 2 + reach, 1e-12);
    widest = std::max(widest, reach);
  }
  EXPECT_LT(network.values[2].reached[0].highest, 2 + widest) << "another element's errors are the widest";
  expect_interval(network, 3, 2 - widest, 2 + widest);
}

TEST(FunctionIntervals, HaveRoomForTheErrorOfASeriesOfDegree30) {
  const Network network = calibrated_chain({"Abs", "Relu"}, 1, {-1, 3});
  expect_interval(network, 1, -2, 4);
  Function series = operator_function("Abs", 0);
  series.lowest = -2;
  series.highest = 4;
  fit_function(series, 30, "Abs");
  ASSERT_EQ(series.coefficients.size(), 31U);
  const double error = error_share(series) * 4;
  EXPECT_GT(error, 0.005);
  EXPECT_LT(error, 0.08);
  EXPECT_NEAR(network.values[1].reached.at(0).lowest, 1 - 4 * error, 1e-12);
  EXPECT_NEAR(network.values[1].reached.at(0).highest, 3 + 4 * error, 1e-12);
}

}  // namespace
}  // namespace tacit::graph::passes
