#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/passes/assign_parties.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/function_intervals.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/choose_degrees.h"
#include "graph/slots/relu_layers_for_test.h"

// The search for degrees, step by step.
namespace tacit::graph::passes {
namespace {

using Samples = std::vector<std::vector<Tensor>>;

struct Measured {
  Network network;
  Answers answers;
};

/// Calibrates, with exact outputs that are off by `shift`.
Measured measured_on(const Graph& graph, const Samples& samples, double shift = 0) {
  const Parties parties = assign_parties(graph, {});
  Network network = isolate_function_inputs(fold(linearise(recognise(parties.encrypted))));
  Calibrated calibrated = calibrate(network, samples, base::Progress::silent());
  centre_functions(network);
  measure(network, calibrated.inputs);
  for (Numbers& outputs : calibrated.outputs)
    for (std::vector<double>& numbers : outputs)
      for (double& number : numbers) number += shift;
  Answers answers(parties.client, std::move(calibrated.outputs));
  return {std::move(network), std::move(answers)};
}

CompileOptions asked_for(const Samples& samples, int max_degree) {
  CompileOptions options;
  options.calibration = samples;
  options.max_degree = max_degree;
  options.max_error = 1;
  return options;
}

/// Returns the used margins of a network's series on the samples.
std::vector<double> used_margins(const Measured& at, const Samples& samples) {
  std::vector<double> used;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto values = evaluate(at.network, samples[s], Functions::by_series);
    Numbers outputs;
    for (const ValueId id : at.network.outputs) outputs.push_back(values[id]);
    used.push_back(at.answers.used_margin(s, outputs));
  }
  return used;
}

std::size_t reached(const std::vector<double>& used, double factor) {
  return static_cast<std::size_t>(std::ranges::count_if(used, [&](double margin) { return factor * margin >= 1; }));
}

std::vector<int> degrees_of(Network& network) {
  std::vector<int> degrees;
  for (const Function* function : functions_of(network))
    degrees.push_back(static_cast<int>(function->coefficients.size()) - 1);
  return degrees;
}

void fit(Function& function, int degree, double tolerance = kSmoothTolerance) {
  fit_function(function, degree, function.function.name(), tolerance);
}

/// Returns the degrees of functions that are lowered one by one, as in choose_degrees.
std::vector<int> lowered_one_by_one(Measured at, const Samples& samples, int max_degree) {
  fit_functions(at.network, max_degree, 1);
  const std::vector<Function*> functions = functions_of(at.network);
  const std::vector<double> first = used_margins(at, samples);
  const std::size_t twice = reached(first, 2), four_times = 3 * reached(first, 4);
  if (2 * twice > samples.size()) return degrees_of(at.network);
  std::vector<char> stuck(functions.size(), 0);
  while (true) {
    std::optional<std::size_t> best;
    double least = 0;
    std::vector<double> taken;
    for (std::size_t f = 0; f < functions.size(); ++f) {
      const std::vector<double> before = functions[f]->coefficients;
      const int degree = static_cast<int>(before.size()) - 1;
      int lower = 1;  // the largest power of two less one below it
      while (2 * lower + 1 < degree) lower = 2 * lower + 1;
      if (stuck[f] != 0 || lower < 3) continue;
      fit(*functions[f], lower);
      const std::vector<double> used = used_margins(at, samples);
      if (reached(used, 2) > twice || reached(used, 4) > four_times) {
        stuck[f] = 1;
      } else {
        double worst = 0;
        for (const double margin : used)
          if (2 * margin < 1) worst = std::max(worst, margin);
        if (!best || worst < least) {
          best = f;
          least = worst;
          taken = functions[f]->coefficients;
        }
      }
      functions[f]->coefficients = before;
    }
    if (!best) return degrees_of(at.network);
    functions[*best]->coefficients = taken;
  }
}

/// Two scores: sums of `count` hyperbolic tangents of rows, with less weight for later ones. `gap` is between the
/// scores.
Graph tangent_sums(int count, double gap) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  TensorId sum = kNoTensor;
  for (int i = 0; i < count; ++i) {
    const double size = 1 + 0.5 * i, share = 1 / (1.0 + 2 * i);
    TensorId h = s.node("MatMul", {x, s.constant({2, 2}, {size, -0.5 * size, 0.25 * size, size})}, {1, 2});
    h = s.node("Tanh", {h}, {1, 2});
    h = s.node("MatMul", {h, s.constant({2, 2}, {share, 0.2 * share, -0.1, share})}, {1, 2});
    sum = i == 0 ? h : s.node("Add", {sum, h}, {1, 2});
  }
  s.output(s.node("Add", {sum, s.constant({1, 2}, {gap, 0})}, {1, 2}));
  return s.graph;
}

TEST(SearchedDegrees, AreLoweredOneByOneAsFarAsAnswersAllow) {
  std::size_t lowered = 0, kept = 0;
  for (const int count : {1, 2})
    for (const double deviation : {0.7, 1.5, 3.0})
      for (const double gap : {0.0, 0.15, 0.3, 1.0})
        for (const int max_degree : {15, 31}) {
          const Samples samples = deep_samples(kFewestSamples, 2, 7, deviation);
          Measured at = measured_on(tangent_sums(count, gap), samples);
          const std::vector<int> expected = lowered_one_by_one(at, samples, max_degree);
          const ChosenDegrees chosen =
              choose_degrees(at.network, at.answers, asked_for(samples, max_degree), base::Progress::silent());
          EXPECT_EQ(degrees_of(at.network), expected) << count << " " << deviation << " " << gap << " " << max_degree;
          EXPECT_EQ(chosen.highest_degree, max_degree) << "of labels";
          for (std::size_t f = 0; f < expected.size(); ++f)
            ++(expected[f] < chosen.first_degrees.at(f) ? lowered : kept);
        }
  EXPECT_GT(lowered, 0u);
  EXPECT_GT(kept, 0u);
}

// Scores with a difference of 400. Only errors limit how low a degree may be.
TEST(SearchedDegrees, ALowerDegreeMayHaveTheLargestErrorThatIsAllowed) {
  const Samples samples = deep_samples(kFewestSamples, 2, 7, 3);
  Measured at = measured_on(tangent_sums(1, 400), samples);
  Network seven = at.network;
  fit(*functions_of(seven).at(0), 7);
  const double share = error_share(*functions_of(seven).at(0));
  const auto degree_within = [&](double most_error) {
    Network network = at.network;
    CompileOptions options = asked_for(samples, 59);
    options.max_error = most_error;
    choose_degrees(network, at.answers, options, base::Progress::silent());
    return degrees_of(network).at(0);
  };
  EXPECT_EQ(degree_within(share), 7);
  EXPECT_EQ(degree_within(std::nextafter(share, 0.0)), 15);
}

/// Options of a set with so few levels that bootstraps are needed in any case.
CompileOptions with_few_levels(const Samples& samples, int max_degree) {
  CompileOptions options = asked_for(samples, max_degree);
  options.parameters = params::CkksLiteral{"few levels", 13, {50, 40}, {50}, 40, false};
  return options;
}

/// Returns degrees beyond the chosen ones, if errors are said to change this share of the answers.
std::optional<Sharper> sharper_than(Measured at, const CompileOptions& options, double changed,
                                    base::Progress& progress = base::Progress::silent()) {
  ChosenDegrees chosen = choose_degrees(at.network, at.answers, options, base::Progress::silent());
  chosen.changed = changed;
  return sharper(at.network, chosen, at.answers, options, progress);
}

TEST(SearchedDegrees, ALevelMoreBeginsAtTheNextPowerOfTwo) {
  const Samples samples = deep_samples(kFewestSamples, 4, 7);
  const Measured at = measured_on(relu_layers(1, 400), samples);  // no error changes an answer
  for (const auto& [degree, next] : {std::pair(14, 30), {15, 30}, {16, 62}, {31, 62}, {32, 126}}) {
    const std::optional<Sharper> finer = sharper_than(at, with_few_levels(samples, degree), 0.5);
    ASSERT_TRUE(finer) << degree;
    EXPECT_EQ(finer->chosen.highest_degree, next) << degree;
    EXPECT_EQ(finer->chosen.first_degrees, std::vector<int>{next});
    ASSERT_EQ(finer->chosen.approximations.size(), 1u);
    EXPECT_EQ(finer->chosen.approximations[0].degree, next);
    EXPECT_EQ(finer->chosen.approximations[0].reason, "the highest allowed; answers of samples need it");
  }
}

TEST(SearchedDegrees, MoreThanAQuarterOfAPercentOfTheAnswersIsWorthALevel) {
  const Samples samples = deep_samples(kFewestSamples, 2, 7, 3);
  const Measured at = measured_on(tangent_sums(1, 400), samples);  // no error changes an answer
  const CompileOptions options = with_few_levels(samples, 30);
  EXPECT_FALSE(sharper_than(at, options, kMostChanged));
  EXPECT_TRUE(sharper_than(at, options, std::nextafter(kMostChanged, 1.0)));
  Network network = at.network;
  ChosenDegrees chosen = choose_degrees(network, at.answers, options, base::Progress::silent());
  chosen.changed = 1;
  CompileOptions restored = options;
  restored.calibration.clear();
  EXPECT_FALSE(sharper(network, chosen, at.answers, restored, base::Progress::silent())) << "there are no samples";
}

/// The share of answers that series of this degree change.
double changed_at(Measured at, const Samples& samples, int degree) {
  for (Function* function : functions_of(at.network)) fit(*function, degree);
  SampleOutputs outputs;
  for (const std::vector<Tensor>& sample : samples)
    outputs.push_back({evaluate(at.network, sample, Functions::by_series)[at.network.outputs[0]]});
  return at.answers.changed_share(outputs);
}

// Series of degree 30 change some of the answers, those of degree 62 fewer.
TEST(SearchedDegrees, EveryLevelHasToHelp) {
  const Samples samples = deep_samples(kFewestSamples, 4, 7);
  CompileOptions options = with_few_levels(samples, 14);
  int seen = 0;
  for (int layers = 6; layers <= 24 && seen < 2; layers += 2) {
    const Measured at = measured_on(relu_layers(layers), samples);
    const double next = changed_at(at, samples, 30);
    if (next <= kManyChanged || next > 0.5 || changed_at(at, samples, 62) > 0.69 * next) continue;
    ++seen;
    options.max_value_degree = 959;
    EXPECT_FALSE(sharper_than(at, options, 0.999 * next / 0.7)) << "seven tenths at the most may be left";
    const std::optional<Sharper> helps = sharper_than(at, options, 1.001 * next / 0.7);
    ASSERT_TRUE(helps);
    EXPECT_LT(helps->chosen.changed, next);
    EXPECT_GT(helps->chosen.highest_degree, 30);
    options.max_value_degree = 30;
    const std::optional<Sharper> one = sharper_than(at, options, 1);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->chosen.highest_degree, 30) << "no more is allowed";
    EXPECT_EQ(one->chosen.changed, next);
  }
  EXPECT_GT(seen, 0);
}

/// A probability after a kink at 0.
Graph kinked_probability() {
  Sketch s;
  const TensorId x = s.input({1, 1});
  const TensorId kink = s.node("Relu", {s.node("MatMul", {x, s.constant({1, 1}, {1})}, {1, 1})}, {1, 1});
  const TensorId mapped = s.node("MatMul", {kink, s.constant({1, 1}, {1})}, {1, 1});
  s.output(s.node("Sigmoid", {s.node("Add", {mapped, s.constant({1, 1}, {1})}, {1, 1})}, {1, 1}));
  return s.graph;
}

/// A hundred samples. Five of them are at `near`, and the others are far from 0.
Samples around_a_kink(double near) {
  Samples samples = deep_samples(100, 1, 7, 0.25);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double& x = samples[i][0].data[0];
    x = i < 5 ? near : x + (i % 2 == 0 ? 3 : -3);
  }
  return samples;
}

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

// The error at a sample oscillates with its distance from the kink.
TEST(SearchedDegrees, GrowWhereTwiceTheErrorOfAProbabilityIsTooLargeAndALevelHelps) {
  int grown = 0;
  for (double near = 0; near < 0.1; near += 0.006) {
    const Samples samples = around_a_kink(near);
    Measured at = measured_on(kinked_probability(), samples);
    CompileOptions options = asked_for(samples, 126);
    options.max_value_degree = 253;
    Measured first = at, next = at;
    fit_functions(first.network, 126, 1);
    fit_functions(next.network, 126, 1);
    fit(*functions_of(next.network).at(0), 253, kSmoothTolerance / 8);
    const std::vector<double> before = used_margins(first, samples), after = used_margins(next, samples);
    const bool grows = reached(before, 2) > 0 && mean(after) <= 0.8 * mean(before);
    const ChosenDegrees chosen = choose_degrees(at.network, at.answers, options, base::Progress::silent());
    EXPECT_EQ(chosen.highest_degree, grows ? 253 : 126) << near;
    EXPECT_EQ(chosen.first_degrees, degrees_of(grows ? next.network : first.network)) << near;
    grown += grows ? 1 : 0;
  }
  EXPECT_GT(grown, 0);
}

TEST(SearchedDegrees, DoNotGrowWhereThatLeavesTheErrorAsItIs) {
  const Samples samples = around_a_kink(0);
  Measured at = measured_on(kinked_probability(), samples, 1);  // the error is that of what is taken for exact
  CompileOptions options = asked_for(samples, 126);
  const ChosenDegrees chosen = choose_degrees(at.network, at.answers, options, base::Progress::silent());
  EXPECT_EQ(chosen.highest_degree, 126);
}

// Steep probabilities of a tangent, about even at 0.3, where half of the samples are. Every level must reduce the error
// to an eighth.
TEST(SearchedDegrees, SmoothFunctionsAreMorePreciseByThreeBitsALevel) {
  for (const double deviation : {0.6, 0.8, 1.0, 1.2, 1.5, 2.0}) {
    Samples samples = deep_samples(100, 1, 7, deviation);
    for (std::size_t i = 0; i < samples.size(); i += 2) samples[i][0].data[0] = 0.3 + 0.1 * samples[i][0].data[0];
    Sketch s;
    const TensorId x = s.input({1, 1});
    const TensorId bent = s.node("Tanh", {s.node("MatMul", {x, s.constant({1, 1}, {1})}, {1, 1})}, {1, 1});
    const TensorId steep = s.node("MatMul", {bent, s.constant({1, 1}, {40})}, {1, 1});
    const TensorId even = s.node("Add", {steep, s.constant({1, 1}, {-40 * std::tanh(0.3)})}, {1, 1});
    s.output(s.node("Sigmoid", {even}, {1, 1}));
    Measured at = measured_on(s.graph, samples);
    Network expected = at.network;
    const ChosenDegrees chosen =
        choose_degrees(at.network, at.answers, asked_for(samples, 59), base::Progress::silent());
    EXPECT_GT(chosen.highest_degree, 59) << deviation;
    double tolerance = kSmoothTolerance;
    for (int degree = 59; degree < chosen.highest_degree; degree = 2 * degree + 1) tolerance /= 8;
    fit(*functions_of(expected).at(0), chosen.highest_degree, tolerance);
    EXPECT_EQ(chosen.first_degrees, degrees_of(expected)) << deviation;
  }
}

TEST(SearchedDegrees, NobodyKnowsHowManyStepsTheyTake) {
  struct Stages final : base::Progress {
    void stage_began(std::string_view stage, std::uint64_t total) override {
      names.emplace_back(stage);
      totals += total;
    }
    void steps_done(std::uint64_t) override {}
    void stage_ended() override { ++ended; }
    std::vector<std::string> names;
    std::uint64_t totals = 0, ended = 0;
  };
  Stages values, labels;
  const Samples samples = around_a_kink(0);
  Measured at = measured_on(kinked_probability(), samples);
  choose_degrees(at.network, at.answers, asked_for(samples, 126), values);
  EXPECT_EQ(values.names, (std::vector<std::string>{"raise degrees", "choose degrees"}));
  EXPECT_EQ(values.totals, 0u);
  EXPECT_EQ(values.ended, 2u);
  const Samples normal = deep_samples(kFewestSamples, 4, 7);
  sharper_than(measured_on(relu_layers(1, 400), normal), with_few_levels(normal, 30), 0.5, labels);
  EXPECT_EQ(labels.names, std::vector<std::string>{"raise degrees"});
  EXPECT_EQ(labels.totals, 0u);
  EXPECT_EQ(labels.ended, 1u);
}

}  // namespace
}  // namespace tacit::graph::passes
