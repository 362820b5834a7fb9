#include "graph/passes/answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// A client that decrypts one tensor and returns it unchanged.
ClientParts handed_on(const Shape& shape) {
  Sketch s;
  s.output(s.input(shape));
  return {.before = {}, .after = s.graph, .nodes = {}};
}

/// A client that decrypts two numbers and multiplies them by a matrix.
ClientParts multiplied_by(const std::vector<double>& matrix) {
  Sketch s;
  s.output(s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, matrix)}, {1, 2}));
  return {.before = {}, .after = s.graph, .nodes = {}};
}

/// A client that changes the format of a number and compares it with a bound.
ClientParts comparing_client() {
  Sketch s;
  const TensorId cast = s.node("Cast", {s.input({1, 1})}, {1, 1}, {{"to", std::int64_t{1}}});
  const TensorId above = s.node("Greater", {cast, s.constant({1}, {0})}, {1, 1});
  s.graph.tensors[above].integral = true;
  s.output(above);
  return {.before = {}, .after = s.graph, .nodes = {}};
}

TEST(AnswersOfANumber, KeepAThousandthOfItsRange) {
  const std::vector<Numbers> exact{{{0}}, {{8}}};
  const Answers answers(handed_on({1, 1}), exact);
  EXPECT_EQ(answers.samples(), 2U);
  EXPECT_TRUE(answers.shows_values());
  EXPECT_EQ(answers.used_margin(0, {{0}}), 0);
  EXPECT_DOUBLE_EQ(answers.used_margin(0, {{0.002}}), 0.25);
  EXPECT_DOUBLE_EQ(answers.used_margin(0, {{-0.016}}), 2);
  EXPECT_EQ(answers.used_margin(1, {{std::nan("")}}), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(answers.allowed_noise(exact).at(0), 0.008 / 12);
  EXPECT_EQ(answers.changed_share(exact), 0);
  EXPECT_EQ(answers.changed_share({{{0.01}}, {{8}}}), 0.5) << "the first sample's error, on both samples";
}

TEST(AnswersOfANumber, ThatIsTheSameForAllSamplesAllowNoError) {
  const Answers answers(handed_on({1, 1}), {{{3}}, {{3}}});
  EXPECT_EQ(answers.used_margin(0, {{3}}), 0);
  EXPECT_EQ(answers.used_margin(0, {{3.001}}), std::numeric_limits<double>::infinity());
}

TEST(AnswersOfANumber, AreOffByTheLargestShareOfTheRange) {
  const Answers number(handed_on({1, 1}), {{{0}}, {{8}}});
  EXPECT_DOUBLE_EQ(number.largest_error({{{0.4}}, {{7}}}), 0.125);
  EXPECT_EQ(number.largest_error({{{0}}, {{std::nan("")}}}), std::numeric_limits<double>::infinity());
  const Answers unlike(handed_on({1, 2}), {{{0, 0}}, {{8, 0.08}}});
  EXPECT_DOUBLE_EQ(unlike.largest_error({{{0, 0.02}}, {{7, 0.08}}}), 0.25) << "each number by its own range";
  const Answers scores(handed_on({1, 2}), {{{0, 4}}, {{8, 1}}});
  EXPECT_DOUBLE_EQ(scores.largest_error({{{0, 4}}, {{6, 1}}}), 0.25) << "scores are read if nothing else is";
  const Answers same(handed_on({1, 1}), {{{3}}, {{3}}});
  EXPECT_EQ(same.largest_error({{{3}}, {{4}}}), 0) << "a number that does not vary has no range";
  const Answers one_far(handed_on({1, 1}), {{{0}}, {{8}}, {{1e6}}}, {0, 0, 1});
  EXPECT_EQ(one_far.largest_error({{{0}}, {{8}}, {{0}}}), 0) << "rows that lie far from all others do not count";
}

TEST(AnswersOfASign, KeepTheSign) {
  const std::vector<Numbers> exact{{{-0.01}}, {{7.99}}};
  const Answers answers(comparing_client(), exact);
  EXPECT_FALSE(answers.shows_values());
  EXPECT_NEAR(answers.used_margin(0, {{-0.005}}), 0.5, 1e-9) << "half of the way to 0";
  EXPECT_NEAR(answers.used_margin(1, {{7.74}}), 0.5, 1e-9) << "a 32nd of the range, of which a 16th is allowed";
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 0.01 / 12, 1e-12);
  EXPECT_NEAR(answers.allowed_noise({{{-0.0051}}, {{7.99}}}).at(0), 0.01 / 12, 1e-12);
  // If twice an error would change the answer, the error says nothing about noise: a 1024th of the range is allowed.
  EXPECT_NEAR(answers.allowed_noise({{{-0.004}}, {{7.99}}}).at(0), 8.0 / 1024, 1e-12);
}

TEST(AnswersOfWholeNumbers, MoveByLessThanAQuarter) {
  ClientParts client = handed_on({1, 2});
  client.after.tensors[0].integral = true;
  const Answers answers(client, {{{0, 100}}, {{50, 40}}});
  EXPECT_DOUBLE_EQ(answers.used_margin(0, {{0.125, 100}}), 0.5);
}

// Scores are three and two times what is decrypted.
TEST(AnswersOfMixedNumbers, AllowNoiseByWhatTheClientMakesOfIt) {
  const std::vector<Numbers> close{{{1, 1.49}}, {{-1, 4}}}, wide{{{1, 0}}, {{-1, 4}}};
  const Answers near_by(multiplied_by({3, 0, 0, 2}), close), apart(multiplied_by({3, 0, 0, 2}), wide);
  EXPECT_FALSE(near_by.shows_values());
  // Scores of 3 and 2.98: half of the gap.
  EXPECT_NEAR(near_by.used_margin(0, {{1, 1.495}}), 0.5, 1e-9);
  EXPECT_NEAR(near_by.allowed_noise(close).at(0), 0.02 / std::sqrt(2.0) / (12 * 3), 1e-9);
  EXPECT_NEAR(apart.allowed_noise(wide).at(0), 11.0 / 1024 / 3, 1e-9) << "scores from -3 to 8";
}

TEST(AnswersOfMixedNumbers, NoiseThatTheClientMakesSmallerCountsAsItIs) {
  const std::vector<Numbers> exact{{{2, 0}}, {{0, 16}}};
  const Answers answers(multiplied_by({0.5, 0, 0, 0.5}), exact);
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 8.0 / 1024, 1e-9);
}

TEST(AnswersOfMixedNumbers, DifferencesFeelNoiseThatComesInTurns) {
  // a - b and b: both up move the second score by one, one up and one down move the first by two.
  const std::vector<Numbers> exact{{{4, 0}}, {{0, 4}}};
  const Answers answers(multiplied_by({1, 0, -1, 1}), exact);
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 8.0 / 1024 / 2, 1e-9);
}

// The sensitivity is measured by a step that is small against the output's own range, however small that is.
TEST(AnswersOfValues, OfASmallRangeFeelSmallSteps) {
  Sketch s;
  s.output(s.node("Exp", {s.input({1, 1})}, {1, 1}));
  const std::vector<Numbers> exact{{{0}}, {{1e-6}}};
  const Answers answers({.before = {}, .after = s.graph, .nodes = {}}, exact);
  EXPECT_TRUE(answers.shows_values());
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 1e-9 / 12, 1e-12);
}

// Scores from 0 to 8, each of which may be off by a half.
TEST(AnswersOfSeveralScores, KeepTheLargestAndASixteenthOfTheirRange) {
  const std::vector<Numbers> exact{{{0, 1, 1.1}}, {{8, 0, 0}}};
  const Answers answers(handed_on({1, 3}), exact);
  EXPECT_FALSE(answers.shows_values());
  EXPECT_EQ(answers.used_margin(0, exact[0]), 0);
  EXPECT_NEAR(answers.used_margin(0, {{0.25, 1, 1.1}}), 0.5, 1e-12) << "half of what a score may be off by";
  EXPECT_NEAR(answers.used_margin(0, {{0, 1.025, 1.075}}), 0.5, 1e-12) << "half of the gap between the largest";
  EXPECT_NEAR(answers.used_margin(0, {{0, 0.975, 1.125}}), 0.05, 1e-12) << "away from each other";
  EXPECT_NEAR(answers.used_margin(1, {{7.5, 0.25, 0}}), 1, 1e-12);
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 0.1 / std::sqrt(2.0) / 12, 1e-12);
  // The first sample's error turns its own answer, and not the second one's.
  EXPECT_EQ(answers.changed_share({{{0, 1.06, 1.04}}, {{8, 0, 0}}}), 0.25);
  EXPECT_EQ(answers.changed_share({{{0, 1.04, 1.06}}, {{8, 0, 0}}}), 0);
}

TEST(AnswersOfSeveralScores, WithoutSamplesNothingIsKnown) {
  const Answers answers(handed_on({1, 3}), {});
  EXPECT_EQ(answers.samples(), 0U);
  EXPECT_FALSE(answers.shows_values());
  EXPECT_EQ(answers.changed_share({}), 0);
}

/// A client whose last part is the drawn graph.
ClientParts client_of(const Sketch& s) { return {.before = {}, .after = s.graph, .nodes = {}}; }

/// A client that decrypts a row and shows it times constants. People read the result.
ClientParts shown_times(const std::vector<double>& factors) {
  Sketch s;
  const Shape row{1, static_cast<std::int64_t>(factors.size())};
  s.output(s.node("Mul", {s.input(row), s.constant(row, factors)}, row));
  return client_of(s);
}

/// The client shows the first tensor unchanged, and the second one times three.
TEST(AnswersOfTwoTensors, EachHasItsOwnScoresErrorsAndNoise) {
  Sketch s;
  s.output(s.input({1, 2}));
  s.output(s.node("MatMul", {s.input({1, 2}, "y"), s.constant({2, 2}, {3, 0, 0, 3})}, {1, 2}));
  const std::vector<Numbers> exact{{{0, 8}, {-1, 4}}, {{8, 0}, {2, 1.99}}};
  const Answers answers(client_of(s), exact);
  EXPECT_NEAR(answers.used_margin(0, {{0.25, 8}, {-1, 4}}), 0.5, 1e-12) << "of scores from 0 to 8";
  EXPECT_NEAR(answers.used_margin(0, {{0, 8}, {-1 + 5.0 / 32, 4}}), 0.5, 1e-12) << "of scores from -3 to 12";
  const std::vector<double> allowed = answers.allowed_noise(exact);
  ASSERT_EQ(allowed.size(), 2U);
  EXPECT_NEAR(allowed[0], 8.0 / 1024, 1e-12);
  EXPECT_NEAR(allowed[1], 0.03 / std::sqrt(2.0) / (12 * 3), 1e-9) << "the second sample's scores are 6 and 5.97";
  EXPECT_EQ(answers.changed_share(exact), 0);
  EXPECT_EQ(answers.changed_share({{{0, 8}, {0, 4}}, exact[1]}), 0.5) << "a score that is off by 3, on both samples";
}

TEST(AnswersOfMixedNumbers, TheLargestMoveOfAnyScoreCounts) {
  // The sum a + b moves most if both move up. 3 b moves more than 2 a.
  const std::vector<Numbers> sums{{{4, 0}}, {{-4, 4}}}, parts{{{4, 0}}, {{0, 4}}};
  EXPECT_NEAR(Answers(multiplied_by({1, 0, 1, 1}), sums).allowed_noise(sums).at(0), 4.0 / 1024 / 2, 1e-9);
  EXPECT_NEAR(Answers(multiplied_by({2, 0, 0, 3}), parts).allowed_noise(parts).at(0), 12.0 / 1024 / 3, 1e-9);
  // a - b + c - d, and 0.
  Sketch s;
  s.output(s.node("MatMul", {s.input({1, 4}), s.constant({4, 2}, {1, 0, -1, 0, 1, 0, -1, 0})}, {1, 2}));
  const std::vector<Numbers> four{{{4, 0, 0, 0}}, {{0, 4, 0, 0}}};
  EXPECT_NEAR(Answers(client_of(s), four).allowed_noise(four).at(0), 8.0 / 1024 / 4, 1e-9) << "scores from -4 to 4";
}

TEST(AnswersOfMixedNumbers, MovesAreMeasuredBySmallSteps) {
  // A hundred times the positive part of the second number, which is never positive.
  Sketch s;
  const TensorId positive = s.node("Relu", {s.input({1, 2})}, {1, 2});
  s.output(s.node("MatMul", {positive, s.constant({2, 2}, {1, 0, 0, 100})}, {1, 2}));
  const std::vector<Numbers> exact{{{0.01, -0.001}}, {{0.02, -0.001}}};
  EXPECT_NEAR(Answers(client_of(s), exact).allowed_noise(exact).at(0), 0.02 / 1024, 1e-12);
}

TEST(AnswersOfMixedNumbers, WholeNumbersAreNotMovedByParts) {
  Sketch s;
  const TensorId whole = s.input({1, 2});
  s.graph.tensors[whole].integral = true;
  const TensorId real = s.node("Cast", {whole}, {1, 2}, {{"to", std::int64_t{1}}});
  s.output(s.node("MatMul", {real, s.constant({2, 2}, {3, 0, 0, 3})}, {1, 2}));
  const std::vector<Numbers> exact{{{0, 5000}}, {{5000, 0}}};
  EXPECT_NEAR(Answers(client_of(s), exact).allowed_noise(exact).at(0), 0.25 / 12, 1e-12);
}

/// A comparison needs a sign if numbers reach it unchanged.
TEST(AnswersOfASign, MayBeJoinedAndNotMadePositive) {
  const std::vector<Numbers> exact{{{1}, {2}}, {{3}, {4}}};
  Sketch joined;
  const TensorId x = joined.input({1, 1}), y = joined.input({1, 1}, "y");
  const TensorId row = joined.node("Concat", {x, y}, {1, 2}, {{"axis", std::int64_t{1}}});
  const TensorId above = joined.node("Greater", {row, joined.constant({1}, {0})}, {1, 2});
  joined.graph.tensors[above].integral = true;
  joined.output(above);
  EXPECT_FALSE(Answers(client_of(joined), exact).shows_values());
  Sketch magnitude;
  const TensorId size = magnitude.node("Abs", {magnitude.input({1, 1})}, {1, 1});
  const TensorId large = magnitude.node("Greater", {size, magnitude.constant({1}, {0})}, {1, 1});
  magnitude.graph.tensors[large].integral = true;
  magnitude.output(large);
  EXPECT_TRUE(Answers(client_of(magnitude), {{{1}}, {{3}}}).shows_values()) << "the sign of |x| says nothing of x";
}

TEST(AnswersOfSeveralScores, ThatAreOnlyMovedOrCastAreNoValues) {
  Sketch moved, cast;
  const TensorId x = moved.input({1, 3});
  moved.output(moved.node("Reshape", {x, moved.constant({1}, {3})}, {3}));
  cast.output(cast.node("Cast", {cast.input({1, 3})}, {1, 3}, {{"to", std::int64_t{1}}}));
  for (const Sketch& s : {moved, cast}) EXPECT_FALSE(Answers(client_of(s), {{{0, 1, 2}}, {{8, 0, 0}}}).shows_values());
}

TEST(AnswersOfSeveralScores, OfOneSampleAreAllOfItsAnswers) {
  const Answers answers(handed_on({1, 2}), {{{0, 8}}});
  EXPECT_EQ(answers.changed_share({{{8, 0}}}), 1);
  EXPECT_EQ(answers.changed_share({{{0, 8}}}), 0);
}

TEST(AnswersOfSeveralScores, ErrorsOfExactlyHalfTheWaySayNothingOfNoise) {
  const Answers answers(handed_on({1, 3}), {{{0, 1, 1.0625}}, {{8, 0, 0}}});
  EXPECT_NEAR(answers.allowed_noise({{{0.25, 1, 1.0625}}, {{8, 0, 0}}}).at(0), 8.0 / 1024, 1e-12);
  EXPECT_NEAR(answers.allowed_noise({{{0.24, 1, 1.0625}}, {{8, 0, 0}}}).at(0), 0.0625 / std::sqrt(2.0) / 12, 1e-12);
}

TEST(AnswersOfSeveralScores, TheTwoLargestOfManyDecideOnNoise) {
  const std::vector<Numbers> exact{{{3, 1, 4, 1.5, 8.9, 2, 6, 5.3, 9, 7.9}}, {{0, 9, 0, 0, 0, 0, 0, 0, 0, 0}}};
  EXPECT_NEAR(Answers(handed_on({1, 10}), exact).allowed_noise(exact).at(0), 0.1 / std::sqrt(2.0) / 12, 1e-12);
}

TEST(AnswersOfValues, KeepAThousandthOfTheRangeOfAllTheirElements) {
  const std::vector<Numbers> exact{{{0, 8}}, {{8, 0}}};
  const Answers alike(shown_times({3, 3}), exact), apart(shown_times({1, 5}), exact);
  for (const Answers* answers : {&alike, &apart}) {
    EXPECT_TRUE(answers->shows_values());
    EXPECT_EQ(answers->used_margin(0, exact[0]), 0);
    // A number that is off by 0.004 moves a value by up to 0.012 of 24, or by 0.02 of 40.
    EXPECT_NEAR(answers->used_margin(0, {{0.004, 8}}), 0.5, 1e-9);
    EXPECT_NEAR(answers->used_margin(0, {{0, 8.004}}), 0.5, 1e-9);
    EXPECT_NEAR(answers->allowed_noise(exact).at(0), 8e-3 / 8, 1e-9) << "eight deviations move it by a thousandth";
  }
}

TEST(AnswersOfValues, EveryTensorThatMovesThemCounts) {
  Sketch s;
  s.output(s.input({1, 2}));
  s.output(s.node("Mul", {s.input({1, 2}, "y"), s.constant({1, 2}, {3, 3})}, {1, 2}));
  const std::vector<Numbers> exact{{{0, 8}, {0, 8}}, {{8, 0}, {8, 0}}};
  const Answers answers(client_of(s), exact);
  EXPECT_NEAR(answers.used_margin(0, {{0, 8}, {0.004, 8}}), 0.5, 1e-9);
  EXPECT_NEAR(answers.used_margin(0, {{0.004, 8}, {0, 8}}), 0.008, 1e-9) << "no value reads the first one";
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 8.0 / 1024, 1e-12);
  EXPECT_NEAR(answers.allowed_noise(exact).at(1), 1e-3, 1e-9);
}

TEST(AnswersOfValues, MayStandBehindALabel) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId label = s.node("ArgMax", {x}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  s.graph.tensors[label].integral = true;
  s.output(label);
  EXPECT_FALSE(Answers(client_of(s), {{{0, 8}}, {{8, 0}}}).shows_values());
  s.output(s.node("Mul", {x, s.constant({1, 2}, {3, 3})}, {1, 2}));
  EXPECT_TRUE(Answers(client_of(s), {{{0, 8}}, {{8, 0}}}).shows_values());
}

TEST(AnswersOfValues, ThatDoNotVaryHaveNoRangeToKeep) {
  const std::vector<Numbers> one{{{0, 8}}};
  const Answers answers(shown_times({0, 0}), one);
  EXPECT_FALSE(answers.shows_values());
  EXPECT_NEAR(answers.allowed_noise(one).at(0), 8.0 / 1024, 1e-12);
}

TEST(AnswersOfValues, AreNotMovedByWholeNumbersOrByWhatNeverVaries) {
  Sketch s;
  s.output(s.node("Mul", {s.input({1, 2}), s.constant({1, 2}, {3, 3})}, {1, 2}));
  const TensorId whole = s.input({1, 2}, "whole");
  s.graph.tensors[whole].integral = true;
  s.output(whole);
  s.output(s.input({1, 2}, "same"));
  const std::vector<Numbers> exact{{{0, 8}, {0, 5000}, {3, 3}}, {{8, 0}, {5000, 0}, {3, 3}}};
  const Answers answers(client_of(s), exact);
  EXPECT_EQ(answers.used_margin(0, exact[0]), 0);
  EXPECT_NEAR(answers.used_margin(0, {{0, 8}, {0.125, 5000}, {3, 3}}), 0.5, 1e-12) << "half of a quarter";
  EXPECT_NEAR(answers.used_margin(0, {{0.004, 8}, {0, 5000}, {3, 3}}), 0.5, 1e-9);
}

TEST(AnswersOfValues, FeelNeighboursThatMoveApart) {
  // If both scores move up together, no probability changes.
  Sketch s;
  s.output(s.node("Softmax", {s.input({1, 2})}, {1, 2}, {{"axis", std::int64_t{-1}}}));
  const std::vector<Numbers> exact{{{0, 1}}, {{1, 0}}};
  const auto probability = [](double difference) { return 1 / (1 + std::exp(-difference)); };
  constexpr double kStep = 1e-4;  // of scores from 0 to 1
  const double range = probability(1) - probability(-1);
  const double moved = (probability(-1 + 2 * kStep) - probability(-1)) / range;
  EXPECT_NEAR(moved / kStep, 0.851, 1e-3);
  EXPECT_NEAR(Answers(client_of(s), exact).used_margin(0, {{0, 1 + kStep}}), moved / 1e-3, 1e-6);
}

TEST(AnswersOfValues, ASingleNumberIsMovedUp) {
  Sketch s;
  s.output(s.node("Exp", {s.input({1, 1})}, {1, 1}));
  const Answers answers(client_of(s), {{{0}}, {{10}}});
  const double moved = (std::exp(10.001) - std::exp(10.0)) / (std::exp(10.0) - 1);
  EXPECT_NEAR(answers.used_margin(1, {{10.001}}), moved / 1e-3, 1e-6);
}

/// All of 257 samples except the last are tried.
TEST(AnswersOfValues, AreTriedOn256Samples) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Mul", {x, x}, {1, 2}));
  std::vector<Numbers> exact(257, Numbers{{0, 0}});
  exact[255] = {{4, 0}};
  exact[256] = {{8, 0}};
  // Squares from 0 to 64. The step is 8e-4, and (4 + step)^2 - 16 = (8 + step) step.
  EXPECT_NEAR(Answers(client_of(s), exact).used_margin(0, {{1e-4, 0}}), 1e-4 * (8 + 8e-4) / 64 / 1e-3, 1e-9);
}

}  // namespace
}  // namespace tacit::graph::passes
