#include "graph/pass_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <utility>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/pipeline.h"
#include "graph/reference/run.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"

namespace tacit::graph {
namespace {

using base::expect_refusal;
using passes::Sketch;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kSide = 8;

std::vector<double> uniform(std::size_t count, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-size, size);
  std::vector<double> result(count);
  for (double& x : result) x = number(random);
  return result;
}

/// Padded convolutions with a scale behind each, a pool, and a matrix. Between them squares, of two values at once, or
/// Relu with true maxima.
Graph network(bool squares) {
  std::mt19937 random(5);
  Sketch s;
  const std::vector<std::int64_t> around{1, 1, 1, 1}, two{2, 2};
  TensorId x = s.input({1, 2, kSide, kSide});
  Shape shape{1, 4, kSide, kSide};
  const auto convolution = [&](TensorId of, std::int64_t channels) {
    const std::vector<double> weights = uniform(static_cast<std::size_t>(4 * channels * 9), 0.3, random);
    const TensorId made = s.node("Conv", {of, s.constant({4, channels, 3, 3}, weights)}, shape, {{"pads", around}});
    return s.node("Mul", {made, s.constant({1, 4, 1, 1}, uniform(4, 1, random))}, shape);
  };
  const TensorId one = convolution(x, 2), other = convolution(x, 2);
  const auto active = [&](TensorId of) {
    return squares ? s.node("Mul", {of, of}, shape) : s.node("Relu", {of}, shape);
  };
  const TensorId sum = s.node("Add", {active(one), active(other)}, shape);
  const TensorId next = active(convolution(sum, 4));
  shape = {1, 4, kSide / 2, kSide / 2};
  x = s.node(squares ? "AveragePool" : "MaxPool", {next}, shape, {{"kernel_shape", two}, {"strides", two}});
  x = active(convolution(x, 4));
  const TensorId flat = s.node("Flatten", {x}, {1, 64}, {{"axis", std::int64_t{1}}});
  s.output(s.node("Gemm", {flat, s.constant({64, 3}, uniform(192, 0.3, random))}, {1, 3}));
  s.graph.name = "passes";
  return s.graph;
}

std::vector<std::vector<Tensor>> samples(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<Tensor>> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({{{1, 2, kSide, kSide}, uniform(2 * kSide * kSide, 1, random), false}});
  return result;
}

CompileOptions options(bool deep) {
  CompileOptions result;
  result.calibration = samples(64, 9);
  if (deep) {
    result.parameters = params::insecure_on_small_ring("S15", 10);
  }
  return result;
}

/// Largest difference between what a compiled model and its network answer, as a share of the largest answer.
double error_of(const Graph& graph, const CompiledModel& model) {
  double largest = 0, worst = 0;
  for (const std::vector<Tensor>& sample : samples(4, 77)) {
    const std::vector<double> exact = reference::run(graph, sample).at(0).data;
    const std::vector<double> got = program::from_units(
        model.client.outputs.at(0), slots::ClearProgram(model.program).run(numbers_of(sample)).at(0));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      largest = std::max(largest, std::abs(exact[i]));
      worst = std::max(worst, std::abs(got.at(i) - exact[i]));
    }
  }
  return worst / largest;
}

class OptionalPasses : public ::testing::TestWithParam<std::string> {};

TEST_P(OptionalPasses, LeaveTheAnswersAsTheyAre) {
  for (const bool squares : {true, false}) {
    const Graph graph = network(squares);
    CompileOptions without = options(true);
    without.max_degree = 15;
    without.passes.skipped = {GetParam()};
    // Series are off by a few percent, which maxima carry on.
    EXPECT_LT(error_of(graph, compile(graph, without)), squares ? 1e-4 : 0.4) << squares;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OptionalPasses, ::testing::ValuesIn(optional_passes(Target::slots)),
                         [](const ::testing::TestParamInfo<std::string>& at) {
                           std::string name = at.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(PassControl, ALevelMoreWithoutFold) {
  const Graph graph = network(true);
  const CompiledModel with = compile(graph, options(false));
  CompileOptions chosen = options(false);
  chosen.passes.skipped = {"fold"};
  const CompiledModel without = compile(graph, chosen);
  EXPECT_GT(slots::total_depth(without.program), slots::total_depth(with.program));
  EXPECT_LT(error_of(graph, without), 1e-4);
}

TEST(PassControl, TellsWhatPassesMadeInTheOrderInWhichTheyRun) {
  std::vector<std::string> told;
  std::map<std::string, std::string> texts;
  CompileOptions asked = options(true);
  asked.max_degree = 15;
  asked.passes.skipped = {"batch-products", "sharper-degrees"};
  asked.passes.explain = [&](const std::string& pass, const std::string& text) {
    if (told.empty() || told.back() != pass) told.push_back(pass);
    texts[pass] += text;
  };
  const CompiledModel model = compile(network(false), asked);
  EXPECT_THAT(told,
              ElementsAre("import", "write-out", "assign-parties", "relu-behind-pools", "shape-softmax",
                          "write-out-maxima", "recognise", "linearise", "trees-in-slots", "fold", "tabulate",
                          "isolate-functions", "calibrate", "centre-functions", "input-units", "stretch", "degrees",
                          "search", "parameters", "place-by-price", "bootstraps", "layouts", "program", "sharding"));
  EXPECT_THAT(texts["write-out-maxima"], HasSubstr("Abs"));
  EXPECT_THAT(texts["search"], HasSubstr("S15 on a small ring"));
  EXPECT_THAT(texts["search"], HasSubstr("the cheapest so far"));
  EXPECT_EQ(texts["parameters"], params::to_json(model.parameters) + "\n");
  EXPECT_THAT(texts["bootstraps"], HasSubstr("refresh %"));
  EXPECT_THAT(texts["layouts"], HasSubstr(" * "));
  EXPECT_THAT(texts["sharding"], HasSubstr("x: [1,2,8,8] -> [1][1,2,8,8] by {-1, -1, -1, -1}"));
  EXPECT_EQ(texts["program"], slots::to_text(model.program));
}

TEST(PassControl, TellsOfThePassesThatAreAskedFor) {
  std::vector<std::string> told;
  CompileOptions asked = options(true);
  asked.max_degree = 15;
  asked.passes.explained = {"place-by-price", "fold"};
  asked.passes.explain = [&](const std::string& pass, const std::string& text) {
    told.push_back(pass);
    EXPECT_FALSE(text.empty());
  };
  compile(network(false), asked);
  EXPECT_THAT(told, ElementsAre("fold", "place-by-price"));
}

TEST(PassControl, RefusesToLeaveOutPassesWhileRangesAreKept) {
  CompileOptions kept = options(false);
  kept.passes.skipped = {"fold"};
  kept.keep_calibration = true;
  expect_refusal<base::InputError>([&] { compile(network(true), kept); }, "leave out no pass");
  kept.passes.skipped = {"small-questions"};
  const CompiledModel whole = compile(network(true), kept);
  EXPECT_EQ(whole.client.inputs.at(0).log_gap, 0);
  EXPECT_TRUE(whole.calibration.has_value());
}

/// Seconds and gigabytes of a line "NAME: 1.25 s, 0.5 GB: ...".
std::pair<double, double> told_costs(const std::string& line) {
  return {std::stod(line.substr(line.find(": ") + 2)), std::stod(line.substr(line.find(" s, ") + 4))};
}

void expect_costs(const std::string& line, const CompiledModel& model) {
  const auto [seconds, gigabytes] = told_costs(line);
  const double expected = slots::price(model.program, model.parameters, {}).seconds + model.encoded_anew.seconds;
  EXPECT_NEAR(seconds, expected, 1e-3 * expected) << line;
  EXPECT_NEAR(gigabytes, model.memory.peak() / 1e9, 0.01 * model.memory.peak() / 1e9) << line;
}

TEST(PassControl, TellsWhatCandidatesOfTheSearchCost) {
  std::string text;
  CompileOptions asked;
  asked.calibration = samples(4, 9);
  asked.passes.explained = {"search"};
  asked.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  const CompiledModel model = compile(network(true), asked);
  std::istringstream lines(text);
  std::string taken;
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with(": the cheapest so far")) taken = line;
  EXPECT_THAT(taken, testing::StartsWith(model.parameters.name + " (N = 2^" + std::to_string(model.parameters.log_n) +
                                         ", " + std::to_string(model.parameters.q_bits.size() - 1) + " levels)"));
  ASSERT_THAT(taken, HasSubstr(" GB: "));
  expect_costs(taken, model);
}

TEST(PassControl, TellsTheBatchesThatTheSearchTried) {
  std::string text;
  CompileOptions asked;
  asked.calibration = samples(4, 9);
  asked.batch.reset();
  asked.passes.explained = {"search"};
  asked.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  const CompiledModel model = compile(network(true), asked);
  std::istringstream lines(text);
  std::vector<std::int64_t> taken, left;
  const std::string begin = "batch of ";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin)) {
      const bool better = line.ends_with(" s each: the cheapest so far");
      EXPECT_TRUE(better || line.ends_with(" s each: not a twentieth cheaper")) << line;
      (better ? taken : left).push_back(std::stoll(line.substr(begin.size())));
    }
  ASSERT_FALSE(taken.empty());
  EXPECT_EQ(taken.front(), 1);
  EXPECT_EQ(taken.back(), model.client.batch);
  EXPECT_THAT(left, ElementsAre(2 * model.client.batch)) << "the first that is no better ends the search";
}

TEST(PassControl, TellsWhatThePlacesOfBootstrapsCostAndTake) {
  std::string text;
  CompileOptions asked = options(true);
  asked.max_degree = 15;
  asked.passes.explained = {"place-by-price"};
  asked.passes.explain = [&](const std::string&, const std::string& said) { text += said; };
  const CompiledModel model = compile(network(false), asked);
  std::istringstream lines(text);
  std::string taken;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("latest: ") || line.ends_with(", taken")) taken = line;
  ASSERT_THAT(taken, HasSubstr(" GB"));
  expect_costs(taken, model);
}

}  // namespace
}  // namespace tacit::graph
