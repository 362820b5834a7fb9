#include "graph/passes/clear_network.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// x, an affine map, Tanh, another map, and the square of that.
Network network() {
  Sketch s;
  TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {1, -0.5, 0.25, 1})}, {1, 2});
  h = s.node("Tanh", {h}, {1, 2});
  h = s.node("MatMul", {h, s.constant({2, 2}, {0.5, 1, -1, 0.5})}, {1, 2});
  s.output(s.node("Mul", {h, h}, {1, 2}));
  Network made = isolate_function_inputs(fold(linearise(recognise(s.graph))));
  for (Function* function : functions_of(made)) {
    function->lowest = -2;
    function->highest = 2;
    fit_function(*function, 7, "Tanh");
  }
  return made;
}

/// Two blocks and a half.
std::vector<std::vector<Tensor>> samples() {
  std::vector<std::vector<Tensor>> made;
  for (int s = 0; s < 40; ++s) made.push_back({Tensor{{1, 2}, {0.03 * s, 1 - 0.05 * s}, false}});
  return made;
}

void expect_as_evaluated(const Network& net, const SampleRun& run, ValueId first) {
  const auto inputs = samples();
  std::mutex mutex;
  std::set<std::size_t> seen;
  run.each_output(
      [&](std::size_t s, const std::vector<std::vector<double>>& outputs) {
        const std::lock_guard lock(mutex);
        const auto expected = evaluate(net, inputs[s], Functions::by_series);
        for (std::size_t o = 0; o < outputs.size(); ++o) EXPECT_EQ(outputs[o], expected[net.outputs[o]]) << s;
        EXPECT_TRUE(seen.insert(s).second) << s;
        return true;
      },
      first);
  EXPECT_EQ(seen.size(), inputs.size());
}

TEST(ClearNetwork, SamplesSideBySideGiveWhatEachGivesAlone) {
  const Network net = network();
  const auto inputs = samples();
  expect_as_evaluated(net, SampleRun(net, inputs, Functions::by_series), 0);
}

TEST(ClearNetwork, WhatLiesBeforeAChangeIsKept) {
  Network net = network();
  const auto inputs = samples();
  SampleRun run(net, inputs, Functions::by_series);
  run.keep();
  Function* function = functions_of(net).front();
  const ValueId at = function->input + 1;
  ASSERT_TRUE(std::holds_alternative<Function>(net.values[at].operation));
  for (const int degree : {5, 3}) {
    fit_function(*function, degree, "Tanh");
    expect_as_evaluated(net, run, at);
    run.keep(at);
    expect_as_evaluated(net, run, static_cast<ValueId>(net.values.size()));
  }
}

TEST(ClearNetwork, ValuesAndOutputsInPassingAreThoseOfWholeRuns) {
  const Network net = network();
  const auto inputs = samples();
  std::vector<std::vector<std::vector<double>>> expected;
  for (const auto& input : inputs) expected.push_back(evaluate(net, input, Functions::by_series));
  SampleRun run(net, inputs, Functions::by_series);
  std::mutex mutex;
  std::set<std::pair<std::size_t, ValueId>> seen;
  run.each_value([&](const SampleRun::BlockOfValue& block) {
    const std::lock_guard lock(mutex);
    for (std::size_t lane = 0; lane < block.samples; ++lane) {
      EXPECT_EQ(lane_of(block.numbers, lane), expected[block.first + lane][block.id]);
      EXPECT_TRUE(seen.insert({block.first + lane, block.id}).second);
    }
  });
  EXPECT_EQ(seen.size(), inputs.size() * net.values.size());
  run.keep();
  for (const ValueId first : {ValueId{0}, ValueId{2}, static_cast<ValueId>(net.values.size())}) {
    std::set<std::size_t> samples_seen;
    const auto body = [&](std::size_t s, const std::vector<std::vector<double>>& outputs) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(outputs, std::vector<std::vector<double>>{expected[s][net.outputs[0]]}) << s;
      return samples_seen.insert(s).second;
    };
    run.each_output(body, first);
    EXPECT_EQ(samples_seen.size(), inputs.size()) << first;
  }
}

TEST(ClearNetwork, TwoReadingsInStepSeeTheSameInputs) {
  Network net = network();
  const auto inputs = samples();
  std::set<ValueId> read;
  const auto exactly = [&](ValueId id, std::span<double> numbers) {
    apply_in_place(std::get<Function>(net.values[id].operation).function, numbers);
  };
  evaluate_in_step(net, std::span(inputs).first(3), exactly,
                   [&](ValueId id, std::span<double> numbers, std::span<const double> first_input) {
                     ASSERT_EQ(numbers.size(), first_input.size());
                     const bool first = read.empty();
                     for (std::size_t i = 0; i < numbers.size(); ++i)
                       EXPECT_EQ(numbers[i] == first_input[i], first) << "an offset behind the first function is seen";
                     read.insert(id);
                     exactly(id, numbers);
                     for (double& x : numbers) x += 0.125;
                   });
  EXPECT_EQ(read.size(), functions_of(net).size());
}

TEST(ClearNetwork, ARunStopsWhenABodyHasSeenEnough) {
  const Network net = network();
  const auto inputs = samples();
  std::atomic<int> calls{0};
  SampleRun(net, inputs, Functions::exact).each_output([&](std::size_t, const auto&) { return ++calls, false; });
  EXPECT_GE(calls, 1);
  EXPECT_LT(calls, 10);
}

}  // namespace
}  // namespace tacit::graph::passes
