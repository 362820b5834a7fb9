#include "graph/passes/function_intervals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/progress.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/element_units.h"
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

// The root of what may be negative by an error keeps an interval where it is finite.
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

/// How far a sum of so many equal magnitudes is expected to go astray, in deviations.
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

}  // namespace
}  // namespace tacit::graph::passes
