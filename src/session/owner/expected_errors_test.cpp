#include "session/owner/expected_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "params/owner_flood.h"
#include "session/owner/compilation.h"
#include "session/owner/compiled_network.h"
#include "session/owner/engine.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/integers/expect_errors.h"
#include "session/owner/slots/expect_errors.h"

namespace tacit::session {
namespace {

using graph::Tensor;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Samples = std::vector<std::vector<Tensor>>;

/// A graph that hands its input on: four numbers.
graph::Graph identity() {
  graph::passes::Sketch s;
  s.output(s.node("Relu", {s.input({1, 4})}, {1, 4}));
  s.graph.tensors[s.graph.outputs[0]].name = "y";
  return s.graph;
}

/// Numbers from 0 to `count` - 1 in every element.
Samples counting(std::size_t count) {
  Samples samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back({Tensor{{1, 4}, std::vector<double>(4, static_cast<double>(i)), false}});
  return samples;
}

/// Answers every sample with itself.
std::vector<SimulatedAnswer> themselves(std::span<const std::vector<Tensor>> samples) {
  std::vector<SimulatedAnswer> answers;
  for (const std::vector<Tensor>& sample : samples) answers.push_back({sample, {}});
  return answers;
}

/// Answers that are off by this in element 2.
SimulatedRun off_by(double error) {
  return [error](std::span<const std::vector<Tensor>> samples, std::uint64_t) {
    std::vector<SimulatedAnswer> answers = themselves(samples);
    for (SimulatedAnswer& answer : answers) answer.outputs->at(0).data[2] += error;
    return answers;
  };
}

/// No label of a sample changes, and the scores beside it may be off by more than their margin.
TEST(ExpectedErrors, OfALabelFollowFromTheScoresBesideIt) {
  graph::passes::Sketch s;
  const graph::TensorId scores = s.node("Softmax", {s.input({1, 4})}, {1, 4}, {{"axis", std::int64_t{1}}});
  const graph::TensorId label =
      s.node("ArgMax", {scores}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  s.graph.tensors[label].integral = true;
  s.output(label);
  s.output(scores);
  Samples samples;
  for (int i = 0; i < 200; ++i) samples.push_back({Tensor{{1, 4}, {0, i < 50 ? 0.1 : 9.0, -9, -9}, false}});
  const auto label_error = [&](double error) {
    const auto run = [&](std::span<const std::vector<Tensor>> some, std::uint64_t) {
      std::vector<SimulatedAnswer> answers;
      for (const std::vector<Tensor>& sample : some) {
        answers.push_back({graph::reference::run(s.graph, sample), {}});
        answers.back().outputs->at(1).data[3] += error;
      }
      return answers;
    };
    return expected_errors(s.graph, samples, 1, run, base::Progress::silent()).outputs.at(0).error;
  };
  EXPECT_EQ(label_error(0), 0);
  EXPECT_EQ(label_error(1e-3), 0);
  EXPECT_EQ(label_error(0.02), 0.25) << "the margin of 50 of 200 samples is 0.05, and the reach 0.12";
}

TEST(ExpectedErrors, AreFiveTimesTheLargestOfManySamples) {
  EXPECT_DOUBLE_EQ(error_factor(400), 5);
  EXPECT_NEAR(error_factor(200), 5.65, 0.01);
  EXPECT_DOUBLE_EQ(error_factor(1000), 5);
  EXPECT_NEAR(error_factor(20), 9.85, 0.01);
  EXPECT_GT(error_factor(1), 15);
  const ExpectedErrors expected = expected_errors(identity(), counting(401), 1, off_by(2), base::Progress::silent());
  EXPECT_EQ(expected.samples, 400u);
  ASSERT_EQ(expected.outputs.size(), 1u);
  const ExpectedOutput& y = expected.outputs[0];
  EXPECT_EQ(y.name, "y");
  EXPECT_DOUBLE_EQ(y.error, 5 * 2.0 / 377) << "of the range of a block";
  EXPECT_NEAR(y.mean_error, 2.0 / 399, 1e-3);
  ASSERT_EQ(y.targets.size(), 4u);
  EXPECT_EQ(y.targets[0].error, 0);
  EXPECT_EQ(y.targets[2].error, y.error);
}

/// A picture without content is off by 20 of a range of 8, unless it has no answer.
TEST(ExpectedErrors, CoverPicturesWithoutContentThatHaveAnAnswer) {
  graph::passes::Sketch s;
  s.output(s.node("Relu", {s.input({1, 2, 2})}, {1, 2, 2}));
  Samples samples;
  for (int i = 0; i < 45; ++i) {
    Tensor picture{{1, 2, 2}, {}, false};
    for (int e = 0; e < 4; ++e) picture.data.push_back(1 + (i + e) % 9);
    samples.push_back({std::move(picture)});
  }
  const auto stated = [&](double blank, bool answered, double other = 0) {
    const SimulatedRun run = [=](std::span<const std::vector<Tensor>> some, std::uint64_t) {
      std::vector<SimulatedAnswer> answers = themselves(some);
      for (auto& [outputs, why_not] : answers) {
        std::vector<double>& numbers = outputs->at(0).data;
        const bool is_blank = std::ranges::count(numbers, blank) == 4;
        numbers[0] += is_blank ? 20 : other;
        if (is_blank && !answered) outputs.reset();
      }
      return answers;
    };
    return expected_errors(s.graph, samples, 4, run, base::Progress::silent());
  };
  EXPECT_DOUBLE_EQ(stated(1, true).outputs.at(0).error, 2.0 * 20 / 9) << "the smallest number of the samples";
  EXPECT_DOUBLE_EQ(stated(0, true).outputs.at(0).error, 2.0 * 20 / 9);
  EXPECT_EQ(stated(1, true).samples, 45u);
  EXPECT_EQ(stated(1, true).outputs.at(0).agreement, 1);
  EXPECT_EQ(stated(0, false).outputs.at(0).error, 0);
  EXPECT_DOUBLE_EQ(stated(7, true, 1).outputs.at(0).error, error_factor(45) / 8) << "no sample has a 7";
}

// Two thresholds between the samples: no sample lies between them, and rows of others do.
TEST(ExpectedErrors, CoverRowsBetweenTheSamplesOfTrees) {
  graph::passes::Sketch s;
  const graph::TensorId x = s.input({1, 1});
  s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, 1},
                  {{"nodes_treeids", std::vector<std::int64_t>{0, 0, 0}},
                   {"nodes_nodeids", std::vector<std::int64_t>{0, 1, 2}},
                   {"nodes_featureids", std::vector<std::int64_t>{0, 0, 0}},
                   {"nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"}},
                   {"nodes_values", std::vector<double>{0.5, 0, 0}},
                   {"nodes_truenodeids", std::vector<std::int64_t>{1, 0, 0}},
                   {"nodes_falsenodeids", std::vector<std::int64_t>{2, 0, 0}},
                   {"target_treeids", std::vector<std::int64_t>{0, 0}},
                   {"target_nodeids", std::vector<std::int64_t>{1, 2}},
                   {"target_ids", std::vector<std::int64_t>{0, 0}},
                   {"target_weights", std::vector<double>{0, 8}},
                   {"n_targets", std::int64_t{1}}}));
  Samples samples;
  for (int i = 0; i < 20; ++i) samples.push_back({Tensor{{1, 1}, {i % 2 == 0 ? 0.1 : 0.9}, false}});
  const auto stated = [&](double border) {
    const SimulatedRun run = [=](std::span<const std::vector<Tensor>> some, std::uint64_t) {
      std::vector<SimulatedAnswer> answers;
      for (const std::vector<Tensor>& row : some)
        answers.push_back({std::vector{Tensor{{1, 1}, {row[0].data[0] <= border ? 0.0 : 8.0}, false}}, {}});
      return answers;
    };
    return expected_errors(s.graph, samples, 7, run, base::Progress::silent()).outputs.at(0);
  };
  EXPECT_EQ(stated(0.5).error, 0);
  EXPECT_DOUBLE_EQ(stated(0.7).error, 2) << "twice the range";
  EXPECT_EQ(stated(0.7).agreement, 1);
  for (std::vector<Tensor>& sample : samples) sample[0].data[0] = std::round(sample[0].data[0]);
  EXPECT_EQ(stated(0.7).error, 0) << "whole numbers have none between them";
}

TEST(ExpectedErrors, SamplesWithoutAnAnswerAreLeftOut) {
  const SimulatedRun some = [](std::span<const std::vector<Tensor>> samples, std::uint64_t) {
    std::vector<SimulatedAnswer> answers = themselves(samples);
    for (auto& [outputs, why_not] : answers) {
      const double number = outputs->at(0).data[0];
      if (number < 3) why_not = std::to_string(static_cast<int>(number)) + " is small";
      if (number < 3) outputs.reset();
    }
    return answers;
  };
  const Samples samples = counting(10);
  const ExpectedErrors expected = expected_errors(identity(), samples, 4, some, base::Progress::silent());
  EXPECT_EQ(expected.samples, 7u);
  EXPECT_EQ(expected.missed, 3u);
  EXPECT_EQ(expected.first_miss, "0 is small");
  EXPECT_EQ(expected.outputs.at(0).error, 0);
  EXPECT_EQ(expected.outputs.at(0).agreement, 1);
  const SimulatedRun none = [](std::span<const std::vector<Tensor>> of, std::uint64_t) {
    return std::vector<SimulatedAnswer>(of.size());
  };
  EXPECT_THAT(expected_errors(identity(), samples, 4, none, base::Progress::silent()).why_not,
              HasSubstr("none of the samples has an answer"));
  EXPECT_THAT(expected_errors(identity(), {}, 4, none, base::Progress::silent()).why_not,
              HasSubstr("there are no samples"));
}

TEST(ExpectedErrors, AreWarnedOfAboveOnePercentAndRefusedAboveTheBound) {
  const ExpectedErrors expected{{{.name = "y", .error = 0.12},
                                 {.name = "z", .error = 0.009},
                                 {.name = "label", .measure = ErrorMeasure::elements, .error = 0.04}},
                                50,
                                {}};
  EXPECT_THAT(error_warnings(expected, "use --bits 8"),
              ElementsAre("output 'y' is expected to be off by up to 12 % of its range: use --bits 8",
                          "output 'label' is expected to differ in up to 4 % of its elements: use --bits 8"));
  ExpectedErrors missed{{}, 95, {}};
  missed.missed = 5;
  missed.first_miss = "Log has no result";
  EXPECT_THAT(error_warnings(missed, "use --bits 8"),
              ElementsAre("5 of 100 samples have no answer, and as many of the inputs may have none; the first of "
                          "these samples: Log has no result"));
  missed.missed = 0;
  EXPECT_TRUE(error_warnings(missed, "use --bits 8").empty());
  EXPECT_NO_THROW(require_errors(expected, 0.12, "use --bits 8"));
  EXPECT_EQ(base::refusal([&] { require_errors(expected, 0.05, "use --bits 8"); }),
            "output 'y' is expected to be off by up to 12 % of its range, above the 5 % that --max-error allows: use "
            "--bits 8");
  EXPECT_THAT(base::refusal([] {
                require_errors({{}, 0, "there are no samples"}, 0.05, "");
              }),
              AllOf(HasSubstr("--max-error 5 %"), HasSubstr("there are no samples")));
}

TEST(ExpectedErrors, AreInThePlan) {
  const graph::Graph graph = identity();
  const auto expected = expected_errors(graph, counting(401), 1, off_by(2), base::Progress::silent());
  nlohmann::ordered_json plan{{"outputs", expected_errors_json(graph, expected)},
                              {"expected_errors", error_source_json(expected)}};
  EXPECT_EQ(plan["outputs"][0]["name"], "y");
  EXPECT_EQ(plan["outputs"][0]["measure"], "share of the range");
  EXPECT_EQ(plan["outputs"][0]["expected_error"], expected.outputs[0].error);
  EXPECT_EQ(plan["outputs"][0]["targets"].size(), 4u);
  EXPECT_EQ(plan["expected_errors"]["samples"], 400);
  EXPECT_THAT(
      expected_errors_text(plan),
      ElementsAre("'y': at most 2.7 % expected, 0.5 % on average (share of the range); 0 % of the samples agree; "
                  "at most, by element: 0 %, 0 %, 2.7 %, 0 %"));
  plan = {{"outputs", expected_errors_json(graph, ExpectedErrors{{}, 0, "why"})},
          {"expected_errors", error_source_json(ExpectedErrors{{}, 0, "why"})}};
  EXPECT_TRUE(plan["outputs"][0]["expected_error"].is_null());
  EXPECT_THAT(expected_errors_text(plan), ElementsAre("not stated: why"));
  plan = {{"outputs", expected_errors_json(graph, std::nullopt)}, {"expected_errors", error_source_json(std::nullopt)}};
  EXPECT_THAT(expected_errors_text(plan), ElementsAre());
}

/// Two targets of 8 hidden units of tanh, the second a hundredth of the first.
graph::Graph two_targets() {
  graph::passes::Sketch s;
  std::mt19937_64 random(7);
  std::normal_distribution<double> weight(0, 0.5);
  std::vector<double> hidden, out;
  for (int i = 0; i < 32; ++i) hidden.push_back(weight(random));
  for (int i = 0; i < 8; ++i)
    for (const double unit : {1.0, 0.01}) out.push_back(unit * weight(random));
  const graph::TensorId h =
      s.node("Tanh", {s.node("MatMul", {s.input({1, 4}), s.constant({4, 8}, hidden)}, {1, 8})}, {1, 8});
  s.output(s.node("MatMul", {h, s.constant({8, 2}, out)}, {1, 2}));
  return s.graph;
}

Samples uniform(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back({Tensor{{1, 4}, {}, false}});
    for (int e = 0; e < 4; ++e) samples.back()[0].data.push_back(draw(random));
  }
  return samples;
}

/// The account of simulated answers to fresh rows.
OutputError fresh(CompiledNetwork& network, const graph::Graph& graph) {
  OutputErrors errors(output_forms(graph));
  const std::unique_ptr<Engine> engine = network.simulated();
  for (const std::vector<Tensor>& sample : uniform(1000, 99)) {
    if (network.check(0, {&sample, 1}).front()) continue;
    errors.add(engine->infer({&sample, 1}).outputs.at(0), graph::reference::run(graph, sample));
  }
  EXPECT_GT(errors.rows(), 900u);
  return errors.account().at(0);
}

void expect_bounds(const ExpectedErrors& expected, const OutputError& seen) {
  ASSERT_EQ(expected.outputs.size(), 1u);
  const ExpectedOutput& stated = expected.outputs[0];
  EXPECT_GE(stated.error, seen.largest);
  EXPECT_LT(stated.error, 12 * seen.largest) << "a bound that says something";
  ASSERT_EQ(stated.targets.size(), 2u);
  for (const std::size_t t : {0, 1}) EXPECT_GE(stated.targets[t].error, seen.targets.at(t).largest) << t;
}

TEST(ExpectedErrors, BoundFreshRowsOnIntegers) {
  const graph::Graph graph = two_targets();
  for (const std::size_t samples : {20, 300}) {
    graph::quant::CompileOptions options;
    options.calibration = uniform(samples, 5);
    IntegerCompilation compilation = compile_graph_on_integers("two", graph, options, {}, base::Progress::silent());
    const ExpectedErrors expected = expect_errors(compilation, options.calibration, base::Progress::silent());
    const ExpectedErrors again = expect_errors(compilation, options.calibration, base::Progress::silent());
    EXPECT_EQ(expected.outputs.at(0).error, again.outputs.at(0).error);
    const auto network = network_on_integers(std::move(compilation));
    expect_bounds(expected, fresh(*network, graph));
  }
}

TEST(ExpectedErrors, BoundFreshRowsOnSlots) {
  const graph::Graph graph = two_targets();
  graph::CompileOptions options;
  options.calibration = uniform(100, 5);
  Compilation compilation = compile_graph("two", graph, options, base::Progress::silent());
  const ExpectedErrors expected = expect_errors(compilation, options.calibration, base::Progress::silent());
  const auto network = network_on_slots(std::move(compilation), {});
  expect_bounds(expected, fresh(*network, graph));
}

/// A sum far from 0 is off by noise. A steep function of few levels is off by its polynomial.
TEST(ExpectedErrors, WarningsTellNoiseFromPolynomials) {
  const auto warning_of = [](const graph::Graph& graph, int max_degree) {
    graph::CompileOptions options;
    options.calibration = uniform(60, 5);
    options.max_degree = max_degree;
    Compilation compilation = compile_graph("m", graph, options, base::Progress::silent());
    state_errors(compilation, options.calibration, {}, base::Progress::silent());
    return compilation.expected->warnings.empty() ? std::string() : compilation.expected->warnings[0];
  };
  graph::passes::Sketch far;
  graph::TensorId power = far.node("MatMul", {far.input({1, 4}), far.constant({4, 1}, {0.5, -0.4, 0.3, 0.2})}, {1, 1});
  for (int square = 0; square < 3; ++square) power = far.node("Mul", {power, power}, {1, 1});
  far.output(far.node("Add", {power, far.constant({1}, {2e4})}, {1, 1}));
  EXPECT_THAT(warning_of(far.graph, 0), HasSubstr("--precision"));
  graph::passes::Sketch steep;
  const graph::TensorId scaled =
      steep.node("MatMul", {steep.input({1, 4}), steep.constant({4, 1}, {1, -1, 0.5, 1})}, {1, 1});
  const graph::TensorId bent = steep.node("Tanh", {scaled}, {1, 1});
  steep.output(steep.node("MatMul", {bent, steep.constant({1, 1}, {2})}, {1, 1}));
  EXPECT_THAT(warning_of(steep.graph, 7), HasSubstr("--max-degree"));
}

TEST(ExpectedErrors, HoldTheFloodsOfOwners) {
  const graph::Graph graph = two_targets();
  graph::CompileOptions options;
  options.calibration = uniform(200, 5);
  options.owners = graph::ForOwners{.parts = params::OwnerParts(3, 2), .promise = {}};
  const Compilation compilation = compile_graph("two", graph, options, base::Progress::silent());
  const ExpectedErrors expected = expect_errors(compilation, options.calibration, base::Progress::silent());
  const program::ClientOutput& output = compilation.model.client.outputs.at(0);
  ASSERT_EQ(compilation.model.parameters.parts, 3);
  const double flood = params::owners_flood(output.noise * std::abs(output.unit), 3, {});
  for (const std::size_t t : {0, 1}) {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (const std::vector<Tensor>& sample : options.calibration) {
      const double x = graph::reference::run(graph, sample).at(0).data[t];
      lowest = std::min(lowest, x);
      highest = std::max(highest, x);
    }
    const double share = output.shares.empty() ? 1 : output.shares[t];
    const double mean = std::sqrt(2 / std::numbers::pi) * flood * share / (highest - lowest);
    EXPECT_NEAR(expected.outputs.at(0).targets.at(t).mean_error / mean, 1, 0.3) << t;
    EXPECT_GT(expected.outputs[0].targets[t].error, 10 * mean) << t;
  }
}

}  // namespace
}  // namespace tacit::session
