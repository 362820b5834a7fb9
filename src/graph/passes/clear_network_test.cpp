#include "graph/passes/clear_network.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "base/refusal_for_test.h"
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

TEST(ClearNetwork, SamplesMustHaveATensorOfTheShapeOfEveryInput) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({2}, "y");
  s.output(s.node("Add", {x, y}, {1, 2}));
  const Network net = linearise(recognise(s.graph));
  const Tensor row{{1, 2}, {1, 2}, false}, list{{2}, {10, 20}, false};
  EXPECT_EQ(evaluate(net, {row, list}).at(2), (std::vector<double>{11, 22}));
  const std::string words = "calibration data: a sample does not have one tensor of the model's shape for '";
  for (const std::vector<Tensor>& sample : {std::vector{row}, std::vector{row, row}})
    EXPECT_EQ(base::refusal([&] { evaluate(net, sample); }), words + "y'");
  EXPECT_EQ(base::refusal([&] { evaluate(net, {list, list}); }), words + "x'");
}

TEST(ClearNetwork, LanesAndPartsOfLongListsAreWhole) {
  std::vector<double> block(2 * kLanes);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<double>(i);
  EXPECT_EQ(lane_of(block, 0), (std::vector<double>{0, 16}));
  EXPECT_EQ(lane_of(block, 15), (std::vector<double>{15, 31}));

  Sketch s;
  const TensorId in = s.input({}), out = s.node("Abs", {in}, {});
  const ScalarFunction magnitude(s.graph, std::span(s.graph.nodes).first(1), in, out);
  std::vector<double> numbers(3 * 4096 + 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = -static_cast<double>(i);
  apply_in_place(magnitude, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], static_cast<double>(i));
}

TEST(ClearNetwork, SeriesStandForFunctionsOnTheirInterval) {
  Sketch s;
  s.output(s.node("Abs", {s.input({3})}, {3}));
  Network net = linearise(recognise(s.graph));
  const std::vector<Tensor> input{{{3}, {-1, 1, 3}, false}};
  EXPECT_EQ(evaluate(net, input, Functions::by_series).at(1), (std::vector<double>{1, 1, 3})) << "there is none yet";
  Function& function = *functions_of(net).at(0);
  function.lowest = -1;
  function.highest = 3;
  function.coefficients = {10, 2};  // 10 + 2 u, and u from -1 to 1
  EXPECT_EQ(evaluate(net, input, Functions::by_series).at(1), (std::vector<double>{8, 10, 12}));
  EXPECT_EQ(evaluate(net, input, Functions::exact).at(1), (std::vector<double>{1, 1, 3}));
}

/// Elements are added up by 256, samples are evaluated by 16.
TEST(ClearNetwork, NumbersOfElementsAndSamplesNearAPartsEnd) {
  for (const std::int64_t elements : {1, 255, 256, 257, 511, 512}) {
    const Shape row{1, elements};
    std::vector<double> factors, numbers, expected;
    for (std::int64_t e = 0; e < elements; ++e) {
      factors.push_back(static_cast<double>(1 + e % 5));
      numbers.push_back(static_cast<double>(e + 1));
      expected.push_back(factors.back() * numbers.back() + 1);
    }
    Sketch s;
    const TensorId product = s.node("Mul", {s.input(row), s.constant(row, factors)}, row);
    s.output(s.node("Add", {product, s.constant({1}, {1})}, row));
    const Network net = fold(linearise(recognise(s.graph)));
    EXPECT_EQ(evaluate(net, {Tensor{row, numbers, false}}).at(net.outputs.at(0)), expected) << elements;
  }
  const Network net = network();
  const auto inputs = samples();
  for (const std::size_t count : {1U, 15U, 16U, 17U, 32U}) {
    const SampleRun run(net, std::span(inputs).first(count), Functions::exact);
    std::mutex mutex;
    std::map<std::size_t, std::size_t> calls;  // by first sample
    std::size_t seen = 0;
    run.each_value([&](const SampleRun::BlockOfValue& block) {
      const std::lock_guard lock(mutex);
      ++calls[block.first];
      seen += block.samples;
    });
    EXPECT_EQ(seen, count * net.values.size()) << count;
    EXPECT_EQ(calls.size(), count <= kLanes ? 1U : 2U) << count;
    EXPECT_EQ(calls[0], net.values.size()) << count;
  }
}

/// Two targets, by the second feature alone.
TEST(ClearNetwork, TreesScoreEverySample) {
  const auto leaf = [](double first, double second) {
    TreeNode made;
    made.weights = {{0, first}, {1, second}};
    return made;
  };
  TreeNode root;
  root.leaf = false;
  root.feature = 1;
  root.threshold = 0.5;
  root.yes = 1;
  root.no = 2;
  TreeEnsemble ensemble;
  ensemble.trees = {{root, leaf(1, 10), leaf(2, 20)}};
  ensemble.base = {100, 200};
  ensemble.features = 2;
  Network net;
  const ValueId x = net.add({Private{}, {1, 2}, "x", "Input", {}});
  net.outputs = {net.add({Trees{x, std::make_shared<const TreeEnsemble>(ensemble)}, {1, 2}, "t", "trees", {}})};
  std::vector<std::vector<Tensor>> rows;
  for (const double second : {0.0, 1.0, 0.0, 1.0}) rows.push_back({Tensor{{1, 2}, {0, second}, false}});
  std::vector<std::vector<std::vector<double>>> scores(rows.size());
  SampleRun(net, rows, Functions::exact).each_output([&](std::size_t s, std::vector<std::vector<double>> outputs) {
    scores[s] = std::move(outputs);
    return true;
  });
  for (std::size_t s = 0; s < rows.size(); ++s)
    EXPECT_EQ(scores[s].at(0), s % 2 == 0 ? (std::vector<double>{101, 210}) : (std::vector<double>{102, 220})) << s;
}

TEST(ClearNetwork, WhereNoFirstValueIsNamedAllIsEvaluatedAnew) {
  Network net = network();
  const auto inputs = samples();
  SampleRun run(net, inputs, Functions::by_series);
  const auto outputs = [&](auto... first) {
    std::vector<std::vector<std::vector<double>>> all(inputs.size());
    run.each_output(
        [&](std::size_t s, std::vector<std::vector<double>> of_sample) {
          all[s] = std::move(of_sample);
          return true;
        },
        first...);
    return all;
  };
  run.keep();
  const auto before = outputs();
  std::get<Private>(net.values[0].operation).units = {0.5, 0.25};
  std::vector<std::vector<std::vector<double>>> expected;
  for (const auto& input : inputs) expected.push_back({evaluate(net, input, Functions::by_series)[net.outputs[0]]});
  EXPECT_NE(before, expected);
  EXPECT_EQ(outputs(), expected);
  const auto behind_all = static_cast<ValueId>(net.values.size());
  EXPECT_EQ(outputs(behind_all), before) << "as they were kept";
  run.keep();
  EXPECT_EQ(outputs(behind_all), expected);
}

}  // namespace
}  // namespace tacit::graph::passes
