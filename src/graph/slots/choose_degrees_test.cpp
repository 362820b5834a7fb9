#include "graph/slots/choose_degrees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/function_intervals.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/relu_layers_for_test.h"

namespace tacit::graph::passes {
namespace {

std::vector<std::vector<Tensor>> normal_samples(std::size_t count, std::int64_t features, double deviation) {
  return deep_samples(count, features, 7, deviation);
}

// Two layers of an operator, then two scores with a difference of at least `gap`.
Sketch two_layers(const std::string& op, double gap) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  TensorId h = s.node("MatMul", {x, s.constant({2, 2}, {1, -0.5, 0.25, 1})}, {1, 2});
  h = s.node(op, {h}, {1, 2});
  h = s.node("MatMul", {h, s.constant({2, 2}, {0.5, 1, -1, 0.5})}, {1, 2});
  h = s.node(op, {h}, {1, 2});
  const TensorId scores = s.node("MatMul", {h, s.constant({2, 2}, {1, 0, 0, 1})}, {1, 2});
  s.output(s.node("Add", {scores, s.constant({1, 2}, {gap, 0})}, {1, 2}));
  return s;
}

Network network_of(const Graph& graph) {
  return isolate_function_inputs(fold(linearise(recognise(assign_parties(graph, {}).encrypted))));
}

struct Prepared {
  Network network;
  Answers answers;
};

Prepared prepared(const Graph& graph, const std::vector<std::vector<Tensor>>& samples) {
  Network network = network_of(graph);
  Calibrated calibrated = calibrate(network, samples, base::Progress::silent());
  centre_functions(network);
  measure(network, calibrated.inputs);
  Answers answers(assign_parties(graph, {}).client, std::move(calibrated.outputs));
  return {std::move(network), std::move(answers)};
}

CompileOptions options_of(const std::vector<std::vector<Tensor>>& samples, int max_degree) {
  CompileOptions options;
  options.calibration = samples;
  options.max_degree = max_degree;
  return options;
}

TEST(ChooseDegrees, WideMarginsTakeLowDegreesAndNarrowOnesHighDegrees) {
  const auto samples = normal_samples(200, 2, 3);
  const auto degrees = [&](double gap) {
    Prepared made = prepared(two_layers("Tanh", gap).graph, samples);
    std::vector<int> result;
    for (const Approximation& a :
         choose_degrees(made.network, made.answers, options_of(samples, 59), base::Progress::silent()).approximations)
      result.push_back(a.degree);
    return result;
  };
  const std::vector<int> far = degrees(4), near = degrees(1);
  ASSERT_EQ(far.size(), 2u);
  EXPECT_LT(far[0] + far[1], near[0] + near[1]);
  EXPECT_LE(far[0], 31);
}

TEST(ChooseDegrees, NoAnswerOfASampleChangesAtTwiceTheError) {
  const auto samples = normal_samples(200, 2, 3);
  Prepared made = prepared(two_layers("Tanh", 2).graph, samples);
  const ChosenDegrees chosen =
      choose_degrees(made.network, made.answers, options_of(samples, 59), base::Progress::silent());
  const std::vector<Approximation>& done = chosen.approximations;
  EXPECT_THAT(done[0].reason, testing::HasSubstr("answers of 200 samples"));
  std::size_t changed = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto values = evaluate(made.network, samples[s], Functions::by_series);
    EXPECT_EQ(chosen.outputs.at(s), SampleOutputs::value_type{values[made.network.outputs[0]]});
    changed += 2 * made.answers.used_margin(s, {values[made.network.outputs[0]]}) >= 1 ? 1 : 0;
  }
  Prepared precise = prepared(two_layers("Tanh", 2).graph, samples);
  fit_functions(precise.network, 59, 0.1);
  std::size_t unavoidable = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto values = evaluate(precise.network, samples[s], Functions::by_series);
    unavoidable += 2 * precise.answers.used_margin(s, {values[precise.network.outputs[0]]}) >= 1 ? 1 : 0;
  }
  EXPECT_LE(changed, unavoidable);
}

// No set is deep enough for the degrees that samples need.
TEST(ChooseDegrees, AreLoweredALevelAtATimeAsLongAsPolynomialsAreCloseEnough) {
  const auto samples = normal_samples(40, 2, 3);  // too few to lower anything
  Prepared made = prepared(two_layers("Tanh", 2).graph, samples);
  CompileOptions options = options_of(samples, 59);
  ChosenDegrees chosen = choose_degrees(made.network, made.answers, options, base::Progress::silent());
  std::optional<Sharper> lower = coarser(made.network, chosen, made.answers, options);
  ASSERT_TRUE(lower.has_value());
  const auto levels = [](const Approximation& a) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(a.degree)));
  };
  const int deepest = std::max(levels(chosen.approximations[0]), levels(chosen.approximations[1]));
  for (std::size_t i = 0; i < 2; ++i) {
    const Approximation& before = chosen.approximations[i];
    const Approximation& after = lower->chosen.approximations[i];
    if (levels(before) < deepest) {
      EXPECT_EQ(after.degree, before.degree) << "it was not the deepest";
      continue;
    }
    EXPECT_EQ(levels(after), deepest - 1);
    EXPECT_GT(after.share, before.share);
    EXPECT_THAT(after.reason, testing::HasSubstr("lowered"));
  }
  int steps = 1;
  while (std::optional<Sharper> next = coarser(lower->network, lower->chosen, made.answers, options)) {
    lower = std::move(next);
    ++steps;
  }
  EXPECT_GE(steps, 2);
  for (const Approximation& last : lower->chosen.approximations) EXPECT_LE(last.share, options.max_error);
  options.max_error = std::max(chosen.approximations[0].share, chosen.approximations[1].share);
  EXPECT_FALSE(coarser(made.network, chosen, made.answers, options).has_value());
}

TEST(ChooseDegrees, HardlyAnAnswerOfASampleChangesAtFourTimesTheError) {
  const auto samples = normal_samples(200, 2, 3);
  const auto changed = [&](const Prepared& made) {
    std::size_t count = 0;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const auto values = evaluate(made.network, samples[s], Functions::by_series);
      count += 4 * made.answers.used_margin(s, {values[made.network.outputs[0]]}) >= 1 ? 1 : 0;
    }
    return count;
  };
  for (const double gap : {0.0, 1.0, 4.0}) {
    Prepared made = prepared(two_layers("Tanh", gap).graph, samples);
    Prepared precise = prepared(two_layers("Tanh", gap).graph, samples);
    choose_degrees(made.network, made.answers, options_of(samples, 59), base::Progress::silent());
    fit_functions(precise.network, 59, 0.1);
    EXPECT_LE(changed(made), 3 * changed(precise)) << gap;
  }
}

std::vector<Approximation> chosen(const std::vector<std::vector<Tensor>>& samples, int max_degree, double max_error) {
  Prepared made = prepared(two_layers("Relu", 2).graph, samples);
  CompileOptions options = options_of(samples, max_degree);
  options.max_error = max_error;
  return choose_degrees(made.network, made.answers, options, base::Progress::silent()).approximations;
}

TEST(ChooseDegrees, AFunctionThatItsPolynomialMissesIsRefusedUnlessAllowed) {
  const auto samples = normal_samples(5, 2, 3);
  const auto choose = [&](double most_error) { return chosen(samples, 2, most_error); };
  const double share = choose(1)[0].share;  // of a parabola for a kink
  ASSERT_GT(share, 0.02);
  EXPECT_EQ(choose(share)[0].degree, 2);
  EXPECT_THAT([&] { choose(0.9 * share); },
              testing::ThrowsMessage<base::InputError>(testing::HasSubstr("allow it with --max-polynomial-error 0.")));
}

TEST(ChooseDegrees, LowerDegreesStayWithinTheLargestError) {
  const auto samples = normal_samples(200, 2, 3);
  const auto degree = [&](double most_error) {
    const auto done = chosen(samples, 59, most_error);
    for (const Approximation& one : done) EXPECT_LE(one.share, most_error);
    return done[0].degree;
  };
  EXPECT_LT(degree(0.25), degree(0.006));
}

TEST(ChooseDegrees, FewSamplesDecideNothing) {
  const auto samples = normal_samples(kFewestSamples - 1, 2, 3);
  Prepared made = prepared(two_layers("Relu", 4).graph, samples);
  const ChosenDegrees chosen =
      choose_degrees(made.network, made.answers, options_of(samples, 31), base::Progress::silent());
  const std::vector<Approximation>& done = chosen.approximations;
  EXPECT_TRUE(chosen.outputs.empty());
  EXPECT_EQ(done[0].degree, 30);
  EXPECT_THAT(done[0].reason, testing::HasSubstr("63 samples are too few"));
}

TEST(Answers, MarginsAreThoseOfTheKindOfOutput) {
  const Sketch scores = two_layers("Tanh", 1);
  const ClientParts client = assign_parties(scores.graph, {}).client;
  const Answers answers(client, {{{3, 1}}, {{-4, 12}}});  // a range of 16
  EXPECT_DOUBLE_EQ(answers.used_margin(0, {{3, 1}}), 0);
  EXPECT_DOUBLE_EQ(answers.used_margin(0, {{2.75, 1.25}}), 0.25);  // half of a gap of 2, and 1/4 of what 1/16 allows
  EXPECT_DOUBLE_EQ(answers.used_margin(0, {{2, 2}}), 1);
  EXPECT_DOUBLE_EQ(answers.used_margin(1, {{-2, 12}}), 2);  // 2 is more than a sixteenth of the range
  // Twelve deviations of the difference of two noisy numbers: 2 / sqrt(2) / 12, but a 1024th of the range at most.
  EXPECT_DOUBLE_EQ(answers.allowed_noise({{{3, 1}}, {{-4, 12}}}).at(0), 16.0 / 1024);
  const Answers close(client, {{{3, 2.99}}, {{-4, 12}}});
  EXPECT_NEAR(close.allowed_noise({{{3, 2.99}}, {{-4, 12}}}).at(0), 0.01 / std::sqrt(2.0) / 12, 1e-12);
}

TEST(Answers, ErrorsOfEverySampleAreTriedOnEveryAnswer) {
  // Gaps of 1, 4, 8 and 16 between two scores.
  const std::vector<std::vector<double>> right{{1, 0}, {4, 0}, {9, 1}, {20, 4}},
      found{{1, 0}, {3.4, 0.6}, {8, 1}, {20, 5.2}};
  const auto by_sample = [](const std::vector<std::vector<double>>& scores) {
    SampleOutputs outputs;
    for (const std::vector<double>& numbers : scores) outputs.push_back({numbers});
    return outputs;
  };
  const Answers answers(assign_parties(two_layers("Tanh", 1).graph, {}).client, by_sample(right));
  // Errors of 0, 1.2, 1 and 1.2. All except the first change the first answer, and none changes another. Each error is
  // less than a sixteenth of the range.
  EXPECT_EQ(answers.changed_share(by_sample(found)), 3.0 / 16);
  EXPECT_EQ(answers.changed_share(by_sample(right)), 0);
}

TEST(ChooseDegrees, GrowByALevelWhereDeepNetworksAnswerOtherwise) {
  const auto samples = normal_samples(kFewestSamples, 4, 1);
  const CompileOptions options = options_of(samples, 30);
  const auto sharper_of = [&](int layers, const CompileOptions& by) {
    Prepared at = prepared(relu_layers(layers), samples);
    const ChosenDegrees chosen = choose_degrees(at.network, at.answers, by, base::Progress::silent());
    const double changed = at.answers.changed_share(chosen.outputs);
    std::optional<Sharper> finer = sharper(at.network, chosen, at.answers, by, base::Progress::silent());
    if (finer) {
      EXPECT_GT(changed, kMostChanged);
      EXPECT_LE(at.answers.changed_share(finer->chosen.outputs), 0.7 * changed);
    }
    return finer;
  };
  EXPECT_FALSE(sharper_of(3, options)) << "a leveled set is deep enough";
  CompileOptions rough = options;
  rough.max_degree = 14;
  const std::optional<Sharper> several = sharper_of(18, rough);
  ASSERT_TRUE(several);
  EXPECT_GT(several->chosen.highest_degree, 30) << "one level leaves too many answers changed";
  EXPECT_LE(several->chosen.changed, kManyChanged);
  const std::optional<Sharper> finer = sharper_of(12, options);
  ASSERT_TRUE(finer);
  EXPECT_EQ(finer->chosen.highest_degree, 62);
  for (const Approximation& made : finer->chosen.approximations) EXPECT_EQ(made.degree, 62) << made.reason;
  CompileOptions asked = options;
  asked.max_value_degree = 30;
  EXPECT_FALSE(sharper_of(12, asked)) << "no higher degree is allowed";
}

TEST(ChooseDegrees, FewSamplesAndValuesAreJudgedByTheirErrors) {
  const auto samples = normal_samples(kFewestSamples - 1, 4, 1);
  const CompileOptions options = options_of(samples, 14);
  Prepared at = prepared(relu_layers(12), samples);
  const ChosenDegrees chosen = choose_degrees(at.network, at.answers, options, base::Progress::silent());
  EXPECT_TRUE(chosen.outputs.empty()) << "too few samples to lower degrees by";
  EXPECT_EQ(chosen.changed, 0);
  EXPECT_GT(chosen.off, kMostOff);
  const std::optional<Sharper> finer = sharper(at.network, chosen, at.answers, options, base::Progress::silent());
  ASSERT_TRUE(finer);
  EXPECT_LE(finer->chosen.off, kMostOff);
  EXPECT_GE(finer->chosen.highest_degree, 30);
  EXPECT_TRUE(finer->chosen.outputs.empty());
  // Errors below the limit are worth no level.
  ChosenDegrees close = chosen;
  close.off = kMostOff;
  EXPECT_FALSE(sharper(at.network, close, at.answers, options, base::Progress::silent()));
}

TEST(ChooseDegrees, TwoLevelsAreTriedAtOnceWhereNoAnswerIsRight) {
  // One level more is enough for twelve layers. If all answers are said to be wrong, two levels are tried, and then
  // one.
  const auto samples = normal_samples(kFewestSamples, 4, 1);
  CompileOptions options = options_of(samples, 30);
  Prepared at = prepared(relu_layers(12), samples);
  ChosenDegrees chosen = choose_degrees(at.network, at.answers, options, base::Progress::silent());
  chosen.changed = 1;
  const std::optional<Sharper> enough = sharper(at.network, chosen, at.answers, options, base::Progress::silent());
  ASSERT_TRUE(enough);
  EXPECT_EQ(enough->chosen.highest_degree, 62);
  EXPECT_LE(enough->chosen.changed, kManyChanged);
  // Two levels more are not allowed, so that only one is tried.
  options.max_value_degree = 62;
  const std::optional<Sharper> one = sharper(at.network, chosen, at.answers, options, base::Progress::silent());
  ASSERT_TRUE(one);
  EXPECT_EQ(one->chosen.highest_degree, 62);
  // One level is not enough for eighteen layers from degree 14 on.
  options = options_of(samples, 14);
  Prepared deeper = prepared(relu_layers(18), samples);
  chosen = choose_degrees(deeper.network, deeper.answers, options, base::Progress::silent());
  chosen.changed = 1;
  const std::optional<Sharper> two = sharper(deeper.network, chosen, deeper.answers, options, base::Progress::silent());
  ASSERT_TRUE(two);
  EXPECT_GE(two->chosen.highest_degree, 62);
  EXPECT_LE(two->chosen.changed, kManyChanged);
}

TEST(ChooseDegrees, ALevelMayCostAQuarterMoreAndSoMayEveryHalvingOfWrongAnswers) {
  const auto price = [](double fine, double coarse) {
    ChosenDegrees by_fine, by_coarse;
    by_fine.changed = fine;
    by_coarse.changed = coarse;
    return price_of_answers(by_fine, by_coarse);
  };
  EXPECT_EQ(price(0.007, 0.01), 1.25);
  EXPECT_EQ(price(0.005, 0.01), 1.25);
  EXPECT_NEAR(price(0.1, 0.4), 1.25 * 1.25, 1e-12);
  EXPECT_NEAR(price(0, 0.04), std::pow(1.25, 4), 1e-12) << "below 0.25 % nothing is gained";
  ChosenDegrees chosen;
  chosen.changed = 0.5;
  EXPECT_TRUE(is_of_use(chosen));
  chosen.changed = 0.51;
  EXPECT_FALSE(is_of_use(chosen));
}

// Two maps of four points. The client takes their means, and the larger one is the answer.
TEST(Answers, ScoresThatTheClientPoolsAreJudgedBehindThePool) {
  Sketch s;
  const TensorId x = s.input({1, 2, 2, 2});
  const TensorId maps = s.node("Conv", {x, s.constant({2, 2, 1, 1}, {1, 0, 0, 1})}, {1, 2, 2, 2});
  s.output(s.node("GlobalAveragePool", {s.node("Relu", {maps}, {1, 2, 2, 2})}, {1, 2, 1, 1}));
  const ClientParts client = assign_parties(s.graph, {}).client;
  ASSERT_EQ(client.after.nodes.size(), 2U);
  const Numbers first{{8, 0, 0, 0, 4, 4, 4, 4}}, second{{2, 2, 2, 2, 9, -9, -1, -1}};
  const Answers answers(client, {first, second});
  EXPECT_FALSE(answers.shows_values()) << "means of scores are scores";
  // Means of 2 and 4, and of 2 and 2.25, have a range of 2. A sixteenth of it is allowed. The largest number of a map
  // says nothing: for the first sample it is in the other map.
  Numbers moved = first;
  moved[0][4] -= 0.1;
  EXPECT_NEAR(answers.used_margin(0, moved), 0.025 / (2.0 / 16), 1e-6);
  moved = second;
  moved[0][4] -= 0.5;
  EXPECT_NEAR(answers.used_margin(1, moved), 0.125 / (2.0 / 16), 1e-6);
  moved[0][5] -= 5;
  EXPECT_NEAR(answers.used_margin(1, moved), 0.125 / (2.0 / 16), 1e-6) << "Relu takes it";
  // The sharpest demand is a 1024th of the range, for noise that moves all numbers of a map.
  EXPECT_NEAR(answers.allowed_noise({first, second}).at(0), 2.0 / 1024, 1e-6);
}

TEST(Answers, ProbabilitiesKeepAThousandthOfTheirRange) {
  Sketch s;
  const TensorId x = s.input({1, 1});
  const TensorId score = s.node("Gemm", {x, s.constant({1, 1}, {1})}, {1, 1});
  s.output(s.node("Sigmoid", {score}, {1, 1}));
  const ClientParts client = assign_parties(s.graph, {}).client;
  ASSERT_EQ(client.after.nodes.size(), 1U);
  const Answers answers(client, {{{0.1}}, {{8}}, {{-8}}});
  EXPECT_TRUE(answers.shows_values());
  // Near 0 the sigmoid moves by almost a quarter of a step, out of a range of 0.9993.
  EXPECT_NEAR(answers.used_margin(1, {{8.004}}), 1, 3e-3);
  EXPECT_NEAR(answers.allowed_noise({{{0.1}}, {{8}}, {{-8}}}).at(0), 0.004 / 8, 2e-6);
  const Sketch raw = two_layers("Tanh", 1);
  EXPECT_FALSE(Answers(assign_parties(raw.graph, {}).client, {{{3, 1}}, {{-4, 12}}}).shows_values());
}

TEST(ChooseDegrees, DegreesGrowUntilProbabilitiesAreRight) {
  const auto samples = normal_samples(200, 2, 3);
  Sketch s = two_layers("Relu", 1);
  s.graph.outputs = {s.node("Softmax", {s.graph.outputs[0]}, {1, 2}, {{"axis", std::int64_t{1}}})};
  const auto mean_margin = [&](int max_value_degree) {
    CompileOptions options = options_of(samples, 59);
    options.max_value_degree = max_value_degree;
    Prepared made = prepared(s.graph, samples);
    const int degree =
        choose_degrees(made.network, made.answers, options, base::Progress::silent()).approximations[0].degree;
    EXPECT_EQ(degree > 59, max_value_degree > 59);
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
      sum += std::min(made.answers.used_margin(
                          i, {evaluate(made.network, samples[i], Functions::by_series)[made.network.outputs[0]]}),
                      100.0);
    return sum / static_cast<double>(samples.size());
  };
  EXPECT_LT(mean_margin(959), mean_margin(59) / 4);
}

TEST(ChooseDegrees, TwoOfFourHundredProbabilitiesMayBeOff) {
  const auto highest_of = [](std::size_t at_the_kink) {
    auto samples = normal_samples(400, 1, 0.25);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      double& x = samples[i][0].data[0];
      x = i < at_the_kink ? 0 : x + (i % 2 == 0 ? 3 : -3);
    }
    Sketch s;
    const TensorId x = s.input({1, 1});
    const TensorId kink = s.node("Relu", {s.node("MatMul", {x, s.constant({1, 1}, {1})}, {1, 1})}, {1, 1});
    const TensorId mapped = s.node("MatMul", {kink, s.constant({1, 1}, {1})}, {1, 1});
    const TensorId score = s.node("Add", {mapped, s.constant({1, 1}, {1})}, {1, 1});
    s.output(s.node("Sigmoid", {score}, {1, 1}));
    Prepared made = prepared(s.graph, samples);
    return choose_degrees(made.network, made.answers, options_of(samples, 126), base::Progress::silent())
        .highest_degree;
  };
  EXPECT_EQ(highest_of(0), 126);
  EXPECT_EQ(highest_of(2), 126);
  EXPECT_GT(highest_of(20), 126);
}

TEST(Intervals, AreWiderWhereThatCostsLittle) {
  const auto interval = [](const char* op, double lowest, double highest, std::size_t samples = 100,
                           std::size_t functions = 1) {
    Sketch s;
    const TensorId x = s.input({1});
    s.node(op, {x}, {1});
    Function function;
    function.function = ScalarFunction(s.graph, s.graph.nodes, x, s.graph.nodes[0].outputs[0]);
    return interval_of(function, {{lowest, highest}, {lowest, highest}}, samples, functions);
  };
  EXPECT_DOUBLE_EQ(interval("Tanh", -2, 2).highest, 3);
  EXPECT_DOUBLE_EQ(interval("Tanh", -2, 2, kManySamples).highest, 3);
  EXPECT_DOUBLE_EQ(interval("Relu", -2, 2).highest, 3);
  EXPECT_DOUBLE_EQ(interval("Relu", -2, 2, kManySamples).highest, 2.4);
  for (const std::size_t samples : {100UL, kManySamples}) {
    EXPECT_DOUBLE_EQ(interval("Relu", -2, 3, samples, kFewFunctions + 1).lowest, -4);
    EXPECT_DOUBLE_EQ(interval("Relu", -2, 3, samples, kFewFunctions + 1).highest, 6);
    EXPECT_DOUBLE_EQ(interval("Relu", 1, 3, samples, kFewFunctions + 1).lowest, samples < kManySamples ? 0.5 : 0.8);
    EXPECT_DOUBLE_EQ(interval("Tanh", -2, 2, samples, kFewFunctions + 1).highest, 3);
  }
  EXPECT_DOUBLE_EQ(interval("Exp", -20, 0).lowest, -25);
  EXPECT_DOUBLE_EQ(interval("Exp", -20, 0).highest, 0.4);  // exp(0.4) = 1.49; exp(1) would be too much
  EXPECT_DOUBLE_EQ(interval("Sqrt", 0, 4).lowest, 0);
  EXPECT_DOUBLE_EQ(interval("Sqrt", 0, 4).highest, 5);
}

TEST(ElementUnits, ElementsOfProductsReachTheWidest) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId h = s.node("MatMul", {x, s.constant({2, 2}, {1000, 0, 0, 0.01})}, {1, 2});
  const TensorId square = s.node("Mul", {h, h}, {1, 2});
  s.output(s.node("MatMul", {square, s.constant({2, 1}, {1e-6, 1e4})}, {1, 1}));
  Network network = network_of(s.graph);
  const std::vector<std::vector<Tensor>> samples{{Tensor{{1, 2}, {1, -1}, false}}, {Tensor{{1, 2}, {-1, 1}, false}}};
  calibrate(network, samples, base::Progress::silent());
  const Network stretched = with_stretched_elements(network);
  const auto values = evaluate(stretched, {Tensor{{1, 2}, {0.5, 0.5}, false}});
  EXPECT_DOUBLE_EQ(values[1][0], 500);
  EXPECT_DOUBLE_EQ(values[1][1], 0.005 * 65536);
  EXPECT_NEAR(values[stretched.outputs[0]][0], 0.25 + 0.25, 1e-12);
}

TEST(ElementUnits, ElementsOfProductsStayWhereTheirWeightsAreNotTheLargest) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId h = s.node("MatMul", {x, s.constant({2, 2}, {1000, 0, 0, 0.01})}, {1, 2});
  const TensorId square = s.node("Mul", {h, h}, {1, 2});
  s.output(s.node("MatMul", {square, s.constant({2, 1}, {1, 64})}, {1, 1}));
  Network network = network_of(s.graph);
  const std::vector<std::vector<Tensor>> samples{{Tensor{{1, 2}, {1, -1}, false}}, {Tensor{{1, 2}, {-1, 1}, false}}};
  calibrate(network, samples, base::Progress::silent());
  const auto values = evaluate(with_stretched_elements(network), {Tensor{{1, 2}, {0.5, 0.5}, false}});
  EXPECT_DOUBLE_EQ(values[1][0], 500);
  EXPECT_DOUBLE_EQ(values[1][1], 0.005 * 8);  // 64 / 8^2 = 1: no weight is left above that of the widest
}

TEST(ElementUnits, FeaturesOfAnySizeAreEncryptedNearOne) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {0.001, 100})}, {1, 1}));
  Network network = network_of(s.graph);
  const std::vector<std::vector<Tensor>> samples{{Tensor{{1, 2}, {3000, 0.01}, false}},
                                                 {Tensor{{1, 2}, {-1000, 0.02}, false}}};
  calibrate(network, samples, base::Progress::silent());
  network = with_input_units(std::move(network));
  const auto& input = std::get<Private>(network.values[0].operation);
  EXPECT_EQ(input.units, (std::vector<double>{1.0 / 4096, 16}));  // 16 is as far as 2^16 below the largest goes
  EXPECT_DOUBLE_EQ(evaluate(network, samples[0])[network.outputs[0]][0], 4);
}

TEST(ElementUnits, ElementsOfSmallRangesAreStretchedAndTheNetworkStaysTheSame) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  TensorId h = s.node("MatMul", {x, s.constant({2, 2}, {8, 0, 0, 1})}, {1, 2});
  h = s.node("Relu", {h}, {1, 2});
  s.output(s.node("MatMul", {h, s.constant({2, 1}, {1, 1})}, {1, 1}));
  Network network = network_of(s.graph);
  const std::vector<std::vector<Tensor>> samples{{Tensor{{1, 2}, {1, -1}, false}}, {Tensor{{1, 2}, {-1, 1}, false}}};
  calibrate(network, samples, base::Progress::silent());
  centre_functions(network);
  const Network stretched = with_stretched_elements(network);
  // [-8, 8] widened by a quarter of its width is [-12, 12]. The second element may reach 1 and as much again.
  const auto values = evaluate(stretched, {Tensor{{1, 2}, {0.5, 0.5}, false}});
  const auto& relu = std::get<Function>(stretched.values[2].operation);
  EXPECT_DOUBLE_EQ(relu.highest, 12);
  EXPECT_DOUBLE_EQ(values[relu.input][0], 4);
  EXPECT_DOUBLE_EQ(values[relu.input][1], 0.5 * 6);
  EXPECT_DOUBLE_EQ(values[stretched.outputs[0]][0], 4.5);
}

/// The sum of hyperbolic tangents of rows. The first one has weight 1, and the others have nearly none. The two scores
/// are equal when the second is larger by 0.3.
Graph tangents(int count) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  TensorId sum = kNoTensor;
  for (int i = 0; i < count; ++i) {
    const double size = 1 + 0.01 * i, share = i == 0 ? 1 : 1e-6;
    TensorId h = s.node("MatMul", {x, s.constant({2, 2}, {size, -0.5 * size, 0.25 * size, size})}, {1, 2});
    h = s.node("Tanh", {h}, {1, 2});
    h = s.node("MatMul", {h, s.constant({2, 2}, {share, 0, 0, share})}, {1, 2});
    sum = i == 0 ? h : s.node("Add", {sum, h}, {1, 2});
  }
  s.output(s.node("Add", {sum, s.constant({1, 2}, {0.3, 0})}, {1, 2}));
  return s.graph;
}

// At degree 7 a tangent is off by 0.02 to 0.05, which changes some ten of the answers at twice its error.
TEST(ChooseDegrees, EightFunctionsHaveDegreesOfTheirOwnAndNineOneForAll) {
  const auto samples = normal_samples(400, 2, 0.7);
  const auto chosen_for = [&](std::size_t count) {
    Prepared made = prepared(tangents(static_cast<int>(count)), samples);
    const ChosenDegrees chosen =
        choose_degrees(made.network, made.answers, options_of(samples, 59), base::Progress::silent());
    EXPECT_EQ(chosen.approximations.size(), count);
    EXPECT_EQ(chosen.first_degrees.size(), count);
    return chosen.approximations;
  };
  const std::vector<Approximation> eight = chosen_for(8), nine = chosen_for(9);
  EXPECT_GT(eight.at(0).degree, 7) << "the scores need it";
  for (std::size_t i = 1; i < eight.size(); ++i) {
    EXPECT_LE(eight[i].degree, 7) << i;
    EXPECT_EQ(eight[i].reason, "enough for the answers of 400 samples at 2 and 4 times its error");
  }
  for (const Approximation& one : nine) EXPECT_GT(one.degree, 7) << "all or none";
}

TEST(ChooseDegrees, SmoothFunctionsAreWithinATwelfthBitWhateverTheSamplesAre) {
  const auto samples = normal_samples(kFewestSamples - 1, 2, 0.5);
  Prepared made = prepared(tangents(1), samples);
  const Approximation one =
      choose_degrees(made.network, made.answers, options_of(samples, 59), base::Progress::silent())
          .approximations.at(0);
  EXPECT_EQ(one.reason, "within 2^-12 of the function");
  EXPECT_LT(one.degree, 58);
  EXPECT_LE(one.max_error, 1.01 * 0x1p-12);
}

}  // namespace
}  // namespace tacit::graph::passes
