#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "session/owner/slots/range_monitor.h"

namespace tacit::session {
namespace {

using layout::Layout;
using testing::ElementsAre;

/// Two numbers a sample, the function `relu` of them, and a result. The function's polynomial is the number itself, so
/// that every value is what comes in.
class RangeIntervals : public testing::Test {
 protected:
  explicit RangeIntervals(std::int64_t batch = 1) {
    graph::CompiledModel& model = compilation_.model;
    const Layout layout = Layout::row_major({batch, 2}, 8);
    const double scale = 0x1p40;
    model.program.name = std::string("intervals");
    model.program.slots = 8;
    model.program.instructions.push_back({slots::Input{"x"}, layout, "x", "", 1, 3, scale});
    model.program.instructions.push_back(
        {slots::Polynomial{0, {0, 1, 0, 0}, params::PolynomialSchedule::choose(3)}, layout, "relu", "", 1, 1, scale});
    model.program.instructions.push_back({slots::Output{1, "y"}, layout, "y", "", 1, 1, scale});
    model.parameters.q_bits = {50, 40, 40, 40};
    model.parts.before.tensors.push_back({"x", {1, 2}});
    model.parts.before.inputs = model.parts.before.outputs = {0};
    model.client.batch = batch;
    program::ClientInput input;
    input.name = std::string("x");
    input.layout = layout;
    model.client.inputs.push_back(input);
    program::ClientOutput output;
    output.name = std::string("y");
    output.layout = layout;
    model.client.outputs.push_back(output);
  }
  program::ClientInput& input() { return compilation_.model.client.inputs.at(0); }
  program::ClientOutput& output() { return compilation_.model.client.outputs.at(0); }

  /// What left its interval where these numbers come in: a pair a sample.
  std::vector<RangeExcess> excesses(const std::vector<double>& numbers, std::int64_t first = 0) {
    std::vector<std::vector<graph::Tensor>> samples;
    for (std::size_t i = 0; i < numbers.size(); i += 2)
      samples.push_back({graph::Tensor{{1, 2}, {numbers[i], numbers[i + 1]}, false}});
    const slots::ClearProgram reading(compilation_.model.program);
    RangeMonitor monitor(compilation_, reading);
    found_ = monitor.check(first, samples);
    return monitor.excesses();
  }
  /// The first of one kind.
  std::optional<RangeExcess> first_of(const std::string& op, const std::vector<double>& numbers) {
    for (const std::vector<RangeExcess> all = excesses(numbers); const RangeExcess& excess : all)
      if (excess.op == op) return excess;
    return std::nullopt;
  }

  Compilation compilation_{};
  std::vector<std::optional<RangeExcess>> found_;  ///< by the last of them, by sample
};

void expect_excess(const RangeExcess& excess, const std::string& op, const std::string& node, double lowest,
                   double highest, double worst) {
  EXPECT_EQ(excess.op, op);
  EXPECT_EQ(excess.node, node);
  EXPECT_EQ(excess.lowest, lowest) << op;
  EXPECT_EQ(excess.highest, highest) << op;
  EXPECT_EQ(excess.worst, worst) << op;
}

/// [-1, 1] is the function's interval, moved: 1.5 is a quarter of its width beyond.
TEST_F(RangeIntervals, OfAFunctionAreInItsOwnUnits) {
  graph::Approximation approximation;
  approximation.node = std::string("relu");
  approximation.op = std::string("Relu");
  approximation.lowest = -3;
  approximation.highest = 5;
  graph::Approximation other = approximation;
  other.node = std::string("relu2");
  other.lowest = -30;
  compilation_.model.approximations = {other, approximation, other};
  EXPECT_THAT(excesses({-1, 1}), ElementsAre());
  const std::vector<RangeExcess> above = excesses({0.5, 1.5}, 7), below = excesses({-2, 1.25});
  ASSERT_EQ(above.size(), 1u);
  expect_excess(above[0], "Relu", "relu", -3, 5, 7);
  EXPECT_EQ(above[0].input, 7);
  EXPECT_EQ(above[0].inputs, 1);
  ASSERT_EQ(below.size(), 1u);
  expect_excess(below[0], "Relu", "relu", -3, 5, -7);
  EXPECT_EQ(found_.at(0).value().worst, -7);
  compilation_.model.approximations = {other};
  const std::vector<RangeExcess> unknown = excesses({0.5, -1.5});
  ASSERT_EQ(unknown.size(), 1u);
  expect_excess(unknown[0], "polynomial", "relu", -1, 1, -1.5);
}

TEST_F(RangeIntervals, OfInputsFunctionsAndResultsAreListedInTheirOrder) {
  input().lowest = output().lowest = -1;
  input().highest = 1.25;
  output().highest = 1.125;
  const std::vector<RangeExcess> all = excesses({1.5, 0}, 4);
  ASSERT_EQ(all.size(), 3u);
  expect_excess(all[0], "input", "x", -1, 1.25, 1.5);
  expect_excess(all[1], "polynomial", "relu", -1, 1, 1.5);
  expect_excess(all[2], "output", "y", -1, 1.125, 1.5);
  EXPECT_EQ(found_.at(0).value().op, "input") << "the first that it left";
  ASSERT_EQ(excesses({1.1875, 0}).size(), 2u);
  EXPECT_EQ(found_.at(0).value().op, "polynomial");
  EXPECT_THAT(excesses({1, -1}), ElementsAre());
  EXPECT_FALSE(found_.at(0));
}

TEST_F(RangeIntervals, AreThoseOfSamplesOfTheGivenRangeOrOfTheParameters) {
  input().lowest = -1;
  input().highest = 1;
  struct Case {
    bool calibrated, bounded;
    IntervalSource of_input, of_function;
  };
  const std::vector<Case> cases{{true, false, IntervalSource::calibration, IntervalSource::calibration},
                                {true, true, IntervalSource::input_range, IntervalSource::calibration},
                                {false, true, IntervalSource::input_range, IntervalSource::input_range},
                                {false, false, IntervalSource::calibration, IntervalSource::parameters}};
  for (const Case& c : cases) {
    compilation_.calibrated = c.calibrated;
    compilation_.input_bounded = c.bounded;
    const std::vector<RangeExcess> all = excesses({1.5, 0});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].source, c.of_input) << c.calibrated << c.bounded;
    EXPECT_EQ(all[1].source, c.of_function) << c.calibrated << c.bounded;
  }
}

/// By a billionth of their width.
TEST_F(RangeIntervals, MayBeLeftByRounding) {
  input().lowest = -0x1p30;
  input().highest = 0;
  EXPECT_FALSE(first_of("input", {1, -5})) << "2^30 billionths are 1.07";
  const std::optional<RangeExcess> beyond = first_of("input", {1.125, -5});
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->worst, 1.125);
  const std::optional<RangeExcess> none = first_of("input", {std::nan(""), 7});
  ASSERT_TRUE(none);
  EXPECT_TRUE(std::isnan(none->worst)) << "farther than every number";
}

/// The input is at level 3: half of a quarter of 2^170 at scale 2^40.
TEST_F(RangeIntervals, OfTheModulusLeaveABitBesideTheSign) {
  for (const auto& [level, largest] : {std::pair{3, 0x1p128}, {1, 0x1p48}, {0, 0x1p8}}) {
    compilation_.model.program.instructions[0].level = level;
    for (const double sign : {1.0, -1.0}) {
      EXPECT_FALSE(first_of("input", {0, sign * largest})) << level;
      const std::optional<RangeExcess> beyond = first_of("input", {0, sign * largest * 1.25});
      ASSERT_TRUE(beyond) << level;
      expect_excess(*beyond, "input", "x", -largest, largest, sign * largest * 1.25);
      EXPECT_EQ(beyond->source, IntervalSource::parameters);
    }
  }
}

class RangeIntervalsOfTwo : public RangeIntervals {
 protected:
  RangeIntervalsOfTwo() : RangeIntervals(2) {}
};

TEST_F(RangeIntervalsOfTwo, AreLeftBySamplesOfTheirOwn) {
  const std::vector<RangeExcess> second = excesses({0, 1, 1.5, -1.25}, 20);
  ASSERT_EQ(second.size(), 1u);
  expect_excess(second[0], "polynomial", "relu", -1, 1, 1.5);
  EXPECT_EQ(second[0].input, 21);
  ASSERT_EQ(found_.size(), 2u);
  EXPECT_FALSE(found_[0]);
  EXPECT_TRUE(found_[1]);
  const std::vector<RangeExcess> both = excesses({1.25, 1, 1.5, -1.25}, 20);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].worst, 1.5);
  EXPECT_EQ(both[0].input, 21);
  EXPECT_EQ(both[0].inputs, 2);
  const std::vector<RangeExcess> alone = excesses({1.25, 0}, 20);
  ASSERT_EQ(alone.size(), 1u) << "the second place repeats it";
  EXPECT_EQ(alone[0].inputs, 1);
  EXPECT_EQ(found_.size(), 1u);
}

TEST_F(RangeIntervals, AreLeftByTheFirstOfNumbersEquallyFarBeyond) {
  for (const double sign : {1.0, -1.0}) {
    const std::optional<RangeExcess> beyond = first_of("polynomial", {sign * 1.5, sign * -1.5});
    ASSERT_TRUE(beyond);
    EXPECT_EQ(beyond->worst, sign * 1.5);
    EXPECT_EQ(found_.at(0).value().inputs, 1);
  }
  compilation_.model.program.instructions[0].level = 0;
  for (const double sign : {1.0, -1.0}) {
    const std::optional<RangeExcess> beyond = first_of("input", {sign * 0x1p9, sign * -0x1p9});
    ASSERT_TRUE(beyond);
    EXPECT_EQ(beyond->worst, sign * 0x1p9) << "of what the modulus carries";
  }
  EXPECT_TRUE(first_of("input", {0x1p9, 0})) << "in the first slot alone";
}

TEST_F(RangeIntervals, OfASmallModulusHoldOneQuarter) {
  compilation_.model.program.instructions[0].level = 0;
  compilation_.model.program.instructions[0].scale = 0x1p50;
  EXPECT_FALSE(first_of("input", {0.125, -0.25}));
  EXPECT_TRUE(first_of("input", {0.125, -0.375}));
}

/// A second input that goes to a second result as it is.
TEST_F(RangeIntervals, OfEveryInputAndResultAreWatched) {
  graph::CompiledModel& model = compilation_.model;
  slots::Instruction made = model.program.instructions[0];
  made.operation = slots::Input{"x2"};
  made.node = std::string("x2");
  model.program.instructions.push_back(made);
  made = model.program.instructions[2];
  made.operation = slots::Output{3, "y2"};
  made.node = std::string("y2");
  made.level = 3;
  model.program.instructions.push_back(made);
  model.parts.before.tensors.push_back({"x2", {1, 2}});
  model.parts.before.inputs = model.parts.before.outputs = {0, 1};
  input().lowest = output().lowest = -2;
  input().highest = output().highest = 1;
  model.client.inputs.push_back(input());
  model.client.inputs[1].name = std::string("x2");
  model.client.outputs.push_back(output());
  model.client.outputs[1].name = std::string("y2");
  model.client.outputs[1].program_output = 1;
  const slots::ClearProgram reading(model.program);
  RangeMonitor monitor(compilation_, reading);
  const std::vector<graph::Tensor> sample{graph::Tensor{{1, 2}, {0, 3}, false}, graph::Tensor{{1, 2}, {4, 0}, false}};
  const auto found = monitor.check(0, {&sample, 1});
  ASSERT_TRUE(found.at(0));
  EXPECT_EQ(found[0]->node, "x");
  const std::vector<RangeExcess> all = monitor.excesses();
  ASSERT_EQ(all.size(), 5u);
  expect_excess(all[0], "input", "x", -2, 1, 3);
  expect_excess(all[1], "input", "x2", -2, 1, 4);
  expect_excess(all[2], "polynomial", "relu", -1, 1, 3);
  expect_excess(all[3], "output", "y", -2, 1, 3);
  expect_excess(all[4], "output", "y2", -2, 1, 4);
}

/// Sixteen numbers in two ciphertexts.
TEST_F(RangeIntervals, OfTheModulusAreThoseOfEveryCiphertext) {
  graph::CompiledModel& model = compilation_.model;
  const Layout layout = Layout::row_major({1, 16}, 8);
  ASSERT_EQ(layout.ciphertexts(), 2);
  for (slots::Instruction& made : model.program.instructions) made.layout = layout;
  input().layout = output().layout = layout;
  model.parts.before.tensors[0].shape = {1, 16};
  model.program.instructions[0].level = 0;
  for (const std::size_t far : {0u, 7u, 8u, 15u}) {
    std::vector<double> numbers(16, 0);
    numbers[far] = 0x1p9;
    const std::vector<graph::Tensor> sample{graph::Tensor{{1, 16}, numbers, false}};
    const slots::ClearProgram reading(model.program);
    RangeMonitor monitor(compilation_, reading);
    const auto found = monitor.check(0, {&sample, 1});
    ASSERT_TRUE(found.at(0)) << far;
    expect_excess(*found[0], "input", "x", -0x1p8, 0x1p8, 0x1p9);
  }
}

}  // namespace
}  // namespace tacit::session
