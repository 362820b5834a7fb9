#include "graph/approximate/parity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "graph/approximate/pointwise_for_test.h"

namespace tacit::graph::approximate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ImposedParity, EveryOtherCoefficientVanishes) {
  const auto imposed = [](Parity parity, std::vector<double> coefficients) {
    impose(parity, coefficients);
    return coefficients;
  };
  EXPECT_THAT(imposed(Parity::none, {1, 2, 3, 4, 5, 0}), ElementsAre(1, 2, 3, 4, 5, 0));
  EXPECT_THAT(imposed(Parity::even, {1, 2, 3, 4, 5}), ElementsAre(1, 2, 3, 0, 5)) << "the affine part stays";
  EXPECT_THAT(imposed(Parity::odd, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 2, 0, 4, 0, 6));
  EXPECT_THAT(imposed(Parity::even, {1, 2, 3, 4}), ElementsAre(1, 2, 3));
  EXPECT_THAT(imposed(Parity::odd, {1, 2, 3}), ElementsAre(1, 2));
  EXPECT_THAT(imposed(Parity::odd, {1, 0, 3}), ElementsAre(1, 0)) << "two are left in any case";
}

TEST(MirroredHistograms, BothSidesGetHalfOfEveryBin) {
  // Centres 0.5, 1.5, 2.5, 3.5 of [0, 4] lie in bins of [-4, 4] that are two wide.
  EXPECT_THAT(mirrored({8, 2, 4, 6}, 0, 4, 4), ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(mirrored({8, 0, 0, 0}, 0, 4, 4), ElementsAre(0, 4, 4, 0));
  EXPECT_THAT(mirrored({0, 0, 0, 6}, 0, 4, 4), ElementsAre(3, 0, 0, 3));
  EXPECT_THAT(mirrored({0, 0, 6, 0}, -4, 4, 4), ElementsAre(0, 3, 3, 0));
  EXPECT_THAT(mirrored({0, 0, 0, 6}, -4, 4, 4), ElementsAre(3, 0, 0, 3));
  EXPECT_THAT(mirrored({}, -4, 4, 4), ElementsAre());
}

TEST(ParityOfFunctions, WithinABillionthOfTheLargestValue) {
  EXPECT_EQ(parity(pointwise([](double x) { return 7 - 3 * x + x * x; }), 2), Parity::even);
  EXPECT_EQ(parity(pointwise([](double x) { return 7 - 3 * x + x * x * x; }), 2), Parity::odd);
  EXPECT_EQ(parity(pointwise([](double x) { return x * x + x * x * x; }), 2), Parity::none);
  // 1e6 is the largest value; the wave between 0 and the end is a billionth of it, times a half or two.
  EXPECT_EQ(parity(pointwise([](double x) { return 1e6 * x * x + 5e-4 * std::sin(3.141592653589793 * x); }), 1),
            Parity::even);
  EXPECT_EQ(parity(pointwise([](double x) { return 1e6 * x * x + 2e-3 * std::sin(3.141592653589793 * x); }), 1),
            Parity::none);
}

TEST(ChebyshevSeries, NodesGoFromOneDownwards) {
  EXPECT_THAT(chebyshev_nodes(1), ElementsAre(testing::DoubleNear(0, 1e-15)));
  const double root = std::sqrt(0.75);
  EXPECT_THAT(chebyshev_nodes(3), testing::Pointwise(testing::DoubleNear(1e-15), {root, 0.0, -root}));
}

TEST(ChebyshevSeries, ValuesOfShortSeries) {
  EXPECT_EQ(evaluate({}, 0.5), 0);
  EXPECT_EQ(evaluate(std::vector<double>{3}, 0.5), 3);
  EXPECT_EQ(evaluate(std::vector<double>{3, 4}, 0.5), 5);
  EXPECT_EQ(evaluate(std::vector<double>{3, 4, 8}, 0.5), 1) << "T_2 is -1/2 there";
  EXPECT_EQ(evaluate(std::vector<double>{3, 4, 8, 2}, 0.5), -1) << "and T_3 is -1";
  const auto constant = interpolate(pointwise([](double) { return 7.0; }), 0);
  EXPECT_THAT(constant, ElementsAre(7));
}

TEST(ChebyshevSeries, LeastSquaresNeedPointsThatDetermineThem) {
  const auto fault = [](const std::vector<double>& points, std::size_t values, std::size_t weights, int degree) {
    return base::refusal<base::InternalError>(
        [&] { least_squares(points, std::vector<double>(values, 1.0), std::vector<double>(weights, 1.0), degree); });
  };
  const char* const few = "fewer points than coefficients, or lists of different lengths";
  EXPECT_THAT(fault({0, 0.5}, 2, 2, 2), HasSubstr(few));
  EXPECT_THAT(fault({0, 0.5}, 3, 2, 1), HasSubstr(few));
  EXPECT_THAT(fault({0, 0.5}, 2, 1, 1), HasSubstr(few));
  EXPECT_THAT(fault({0.5, 0.5}, 2, 2, 1), HasSubstr("the points do not determine the polynomial"));
  const std::vector<double> ends{-1, 1}, values{1, 5}, weights{1, 2};
  EXPECT_THAT(least_squares(ends, values, weights, 1), testing::Pointwise(testing::DoubleNear(1e-12), {3.0, 2.0}))
      << "as many points as coefficients";
  EXPECT_THAT(least_squares(ends, values, weights, 0), testing::Pointwise(testing::DoubleNear(1e-12), {21.0 / 5}))
      << "weights count by their squares";
}

TEST(ErrorsOfSeries, IncludeBothEnds) {
  const auto line = pointwise([](double x) { return 2 * x; });
  // On [1, 4] the line is 2 to 8, and the series 5 + 2 t is 3 to 7.
  EXPECT_DOUBLE_EQ(max_error(std::vector<double>{5, 2}, line, 1, 4), 1);
  EXPECT_DOUBLE_EQ(max_error(std::vector<double>{4, 2}, line, 1, 4), 2) << "at the upper end";
  EXPECT_DOUBLE_EQ(max_error(std::vector<double>{6, 2}, line, 1, 4), 2) << "at the lower end";
}

TEST(ErrorsOfSeries, EmptyIntervalsAreRefused) {
  const auto refused = [](double lowest, double highest) {
    return base::refusal([&] { fit(pointwise(std::sin), lowest, highest, 1e-3, 9, {}, "node 'q'"); });
  };
  EXPECT_THAT(refused(2, 2), HasSubstr("node 'q': the interval [2, 2] to approximate on is empty"));
  EXPECT_THAT(refused(2, 1), HasSubstr("the interval [2, 1] to approximate on is empty"));
}

TEST(ErrorsOfSeries, PolynomialsGetTheirOwnDegree) {
  const auto cubic = pointwise([](double x) { return x * x * x; });
  EXPECT_EQ(fit(cubic, -1, 1, 1e-9, 9, {}, "f").size(), 4u);
  EXPECT_EQ(fit(cubic, -1, 1, 1e-9, 3, {}, "f").size(), 4u) << "the largest degree that is allowed";
  EXPECT_EQ(fit(cubic, -1, 1, 0.3, 9, {}, "f").size(), 2u) << "3/4 x is within 1/4";
  EXPECT_EQ(fit(cubic, -1, 1, 1e-9, 2, {}, "f").size(), 3u);
}

/// Large functions may be off by more, and small ones by less.
TEST(ParityOfFunctions, ToleranceFollowsTheLargestValue) {
  EXPECT_EQ(parity(pointwise([](double x) { return 1e-10 * std::exp(x); }), 1), Parity::none);
  EXPECT_EQ(parity(pointwise([](double x) { return 1e3 * x * x * x + 1e-7 * x * x; }), 1), Parity::odd);
  EXPECT_EQ(parity(pointwise([](double) { return 0.0; }), 1), Parity::even) << "both, and that costs least";
  // 1 at most, and off by a billionth in two points.
  const auto off = pointwise([](double x) {
    if (std::abs(x) == 1) return x;
    return std::abs(x) == 0.5 ? 1e-9 : 0.0;
  });
  EXPECT_EQ(parity(off, 1), Parity::odd);
}

TEST(ParityOfFunctions, FunctionsWithAPoleInZeroHaveNone) {
  EXPECT_EQ(parity(pointwise([](double x) { return 1 / (x * x); }), 1), Parity::none);
  EXPECT_EQ(parity(pointwise([](double x) { return std::sin(x) / x; }), 1), Parity::none) << "not a number in 0";
}

/// From 0 to the reach in steps of a 256th: what is 0 in all of these points is not seen.
TEST(ParityOfFunctions, PointsAreA256thApart) {
  const auto wave = pointwise([](double x) { return x * x + std::sin(256 * 3.141592653589793 * x); });
  EXPECT_EQ(parity(wave, 1), Parity::even);
  EXPECT_EQ(parity(wave, 0.99), Parity::none);
}

/// Centres 0, 2, 4 and 6 of [-1, 7] lie on borders of bins of [-8, 8] that are four wide, or in their middles.
TEST(MirroredHistograms, CentresOnABorderCountForBothBins) {
  EXPECT_THAT(mirrored({8, 0, 0, 0}, -1, 7, 8), ElementsAre(0, 4, 4, 0));
  EXPECT_THAT(mirrored({0, 8, 0, 0}, -1, 7, 8), ElementsAre(0, 4, 4, 0));
  EXPECT_THAT(mirrored({0, 0, 8, 0}, -1, 7, 8), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(mirrored({0, 0, 0, 8}, -1, 7, 8), ElementsAre(4, 0, 0, 4));
}

TEST(MirroredHistograms, WhatLiesBeyondTheReachCountsAtTheEnds) {
  EXPECT_THAT(mirrored({0, 0, 4, 2}, 0, 8, 4), ElementsAre(3, 0, 0, 3));
}

TEST(ChebyshevSeries, WeightsOfLeastSquaresMayHaveAnySize) {
  const auto fault = [](const std::vector<double>& points, double weight, int degree = 1) {
    const std::vector<double> ones(points.size(), 1.0), weights(points.size(), weight);
    return base::refusal<base::InternalError>([&] { least_squares(points, ones, weights, degree); });
  };
  const char* const too_close = "the points do not determine the polynomial";
  for (const double weight : {1e-3, 1.0, 1e3}) {
    EXPECT_THAT(fault({0.5, 0.5 + 1e-14}, weight), HasSubstr(too_close)) << weight;
    EXPECT_EQ(fault({0.5, 0.5 + 1e-7}, weight), base::kNotRefused) << weight;
  }
  EXPECT_THAT(fault({0, 0.5}, 0, 0), HasSubstr(too_close)) << "no point counts";
  // Those of relative errors of an exponential down to e^-740.
  const std::vector<double> points = chebyshev_nodes(400);
  std::vector<double> values, weights;
  for (const double x : points) {
    values.push_back(std::exp(370 * (x - 1)));
    weights.push_back(1 / std::max(values.back(), std::exp(-370.0)));
  }
  for (const double c : least_squares(points, values, weights, 31)) EXPECT_TRUE(std::isfinite(c));
}

TEST(ErrorsOfSeries, AreMeasuredIn4096Points) {
  std::vector<double> points;
  const Samples noting = [&](std::span<const double> asked) {
    points.assign(asked.begin(), asked.end());
    return std::vector<double>(asked.size(), 0.0);
  };
  EXPECT_EQ(max_error(std::vector<double>{-3}, noting, 1, 4), 3);
  ASSERT_EQ(points.size(), 4096u);
  EXPECT_EQ(points.front(), 1);
  EXPECT_EQ(points.back(), 4);
  EXPECT_DOUBLE_EQ(points[1365], 2);
}

}  // namespace
}  // namespace tacit::graph::approximate
