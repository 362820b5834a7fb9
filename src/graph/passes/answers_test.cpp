#include "graph/passes/answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// A client that decrypts one tensor and hands it on.
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

/// A client that compares a number with a bound, behind a change of its format.
ClientParts compared() {
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

TEST(AnswersOfASign, KeepTheSign) {
  const std::vector<Numbers> exact{{{-0.01}}, {{7.99}}};
  const Answers answers(compared(), exact);
  EXPECT_FALSE(answers.shows_values());
  EXPECT_NEAR(answers.used_margin(0, {{-0.005}}), 0.5, 1e-9) << "half of the way to 0";
  EXPECT_NEAR(answers.used_margin(1, {{7.74}}), 0.5, 1e-9) << "a 32nd of the range, of which a 16th is allowed";
  EXPECT_NEAR(answers.allowed_noise(exact).at(0), 0.01 / 12, 1e-12);
  EXPECT_NEAR(answers.allowed_noise({{{-0.0051}}, {{7.99}}}).at(0), 0.01 / 12, 1e-12);
  // Errors that twice as large would change the answer say nothing of noise: a 1024th of the range stays.
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

}  // namespace
}  // namespace tacit::graph::passes
