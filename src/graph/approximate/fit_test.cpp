#include "graph/approximate/fit.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "graph/approximate/parity.h"
#include "graph/approximate/pointwise_for_test.h"

namespace tacit::graph::approximate {
namespace {

double relu(double x) { return x > 0 ? x : 0; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A series of a function on [-half_width, half_width], and its largest error there.
struct Fit {
  std::vector<double> coefficients;
  double max_error;
};
Fit fitted(double (*f)(double), double half_width, int max_degree, const Histogram& histogram = {}) {
  const std::vector<double> series = fit(pointwise(f), -half_width, half_width, 1e-3, max_degree, histogram, "f");
  return {series, max_error(series, pointwise(f), -half_width, half_width)};
}

TEST(Fit, SmoothFunctionsGetTheSmallestDegreeThatMeetsTheTolerance) {
  const Fit narrow = fitted(sigmoid, 4, 59), wide = fitted(sigmoid, 10, 59);
  EXPECT_EQ(narrow.coefficients.size(), 10u);  // degree 9
  EXPECT_EQ(wide.coefficients.size(), 22u);    // degree 21
  EXPECT_LE(narrow.max_error, 1e-3);
  EXPECT_LE(wide.max_error, 1e-3);
}

TEST(Fit, AFunctionThatIsConstantWithinTheToleranceIsALine) {
  const Fit exact = fitted([](double) { return 3.5; }, 4, 59);
  ASSERT_EQ(exact.coefficients.size(), 2u);
  EXPECT_NEAR(exact.coefficients[0], 3.5, 1e-12);
  EXPECT_NEAR(exact.coefficients[1], 0, 1e-12);
  EXPECT_LE(exact.max_error, 1e-12);

  const Fit nearly = fitted([](double x) { return 3.5 + 5e-4 * std::cos(x); }, 4, 59);  // tolerance: 1e-3
  EXPECT_EQ(nearly.coefficients.size(), 2u);
  EXPECT_LE(nearly.max_error, 1e-3);
}

TEST(Fit, KinkedFunctionsGetTheLargestDegree) {
  const Fit wide = fitted(relu, 10, 59);
  EXPECT_EQ(wide.coefficients.size(), 60u);
  EXPECT_LT(wide.max_error, 0.055);  // half-width 10: 0.28 / (2 * 59) * 10 = 0.024 is the best possible
  EXPECT_GT(wide.max_error, 0.02);
}

TEST(Fit, TheMeasuredDistributionPullsTheErrorToWhereNoInputsAre) {
  Histogram near_zero(100, 0.0);
  for (std::size_t i = 45; i < 55; ++i) near_zero[i] = 1;
  const Fit plain = fitted(relu, 10, 31), weighted = fitted(relu, 10, 31, near_zero);
  double plain_error = 0, weighted_error = 0;
  for (double x = -1; x < 1; x += 0.01) {
    plain_error += std::pow(evaluate(plain.coefficients, x / 10) - relu(x), 2);
    weighted_error += std::pow(evaluate(weighted.coefficients, x / 10) - relu(x), 2);
  }
  EXPECT_LT(weighted_error, 0.8 * plain_error);
  EXPECT_LT(weighted.max_error, 2 * plain.max_error);
}

TEST(Parity, IsFoundApartFromAnAffinePart) {
  EXPECT_EQ(parity(pointwise(relu), 5), Parity::even);
  EXPECT_EQ(parity(pointwise([](double x) { return x * sigmoid(x); }), 5), Parity::even);
  EXPECT_EQ(parity(pointwise(sigmoid), 5), Parity::odd);
  EXPECT_EQ(parity(pointwise([](double x) { return std::exp(x); }), 5), Parity::none);
  EXPECT_EQ(parity(pointwise([](double x) { return std::sqrt(x); }), 5), Parity::none);
}

TEST(Parity, CostsNoAccuracyOnASymmetricInterval) {
  Histogram skewed(100, 0.0);
  for (std::size_t i = 20; i < 50; ++i) skewed[i] = static_cast<double>(i);
  const Histogram even = mirrored(skewed, -6, 8, 8);
  for (std::size_t i = 0; i < even.size(); ++i) EXPECT_EQ(even[i], even[even.size() - 1 - i]);
  Fit series = fitted(relu, 8, 59, even);
  impose(Parity::even, series.coefficients);
  EXPECT_EQ(series.coefficients.size(), 59u);
  for (std::size_t k = 3; k < series.coefficients.size(); k += 2) EXPECT_EQ(series.coefficients[k], 0);
  EXPECT_NEAR(max_error(series.coefficients, pointwise(relu), -8, 8), series.max_error, 1e-9);
  EXPECT_NEAR(series.coefficients[1], 4, 1e-9);  // x / 2 on half-width 8
}

TEST(Fit, RefusesAFunctionOutsideItsDomain) {
  try {
    fit(pointwise([](double x) { return x < 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(x); }), -1, 1,
        1e-3, 59, {}, "node 'q' (Sqrt)");
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("node 'q' (Sqrt): not finite everywhere on [-1, 1]"), std::string::npos);
  }
}

/// 0 but for the end of [-1, 1], where no expansion looks: a line is off there by so much.
Samples spike(double height) {
  return [height](std::span<const double> points) {
    std::vector<double> values;
    for (const double x : points) values.push_back(x == 1 ? height : 0);
    return values;
  };
}

/// The last degree may leave a hundredth of the tolerance more.
TEST(Fit, WhatTheExpansionDoesNotSeeMayBeAHundredthMoreThanTheTolerance) {
  const double tolerance = 1e-3;
  const auto size = [&](double height) { return fit(spike(height), -1, 1, tolerance, 9, {}, "f").size(); };
  for (const double height : {0.0, tolerance, 1.005 * tolerance, 1.01 * tolerance}) EXPECT_EQ(size(height), 2u);
  for (const double height : {1.011 * tolerance, 1.0}) EXPECT_EQ(size(height), 10u) << "the largest degree";
  EXPECT_EQ(fit(spike(0), -1, 1, 0, 9, {}, "f").size(), 2u) << "exactly 0";
}

Samples series_of(std::vector<double> coefficients) {
  return [coefficients = std::move(coefficients)](std::span<const double> points) {
    std::vector<double> values;
    for (const double x : points) values.push_back(evaluate(coefficients, x));
    return values;
  };
}

/// T_2 + T_3 - T_4 is 2.2 at most, less than the three terms that a line leaves out add up to.
TEST(Fit, DegreesBelowTheLastMeetTheToleranceItself) {
  const Samples function = series_of({0, 5, 1, 1, -1});
  const auto found = [&](double tolerance) { return fit(function, -1, 1, tolerance, 9, {}, "f"); };
  const std::vector<double> line = found(2.5);
  ASSERT_EQ(line.size(), 2u);
  const double error = max_error(line, function, -1, 1);
  EXPECT_NEAR(error, 2.216, 1e-3);
  EXPECT_EQ(found(error).size(), 2u);
  EXPECT_EQ(found(error * (1 - 1e-9)).size(), 3u);
  EXPECT_EQ(found(error / 1.005).size(), 3u);
}

/// 64 terms from degree 171 on whose signs let them cancel: 14 at most. The search begins at half of the degree from
/// which on they add up to more than the tolerance.
TEST(Fit, LongExpansionsAreSearchedFromTheMiddle) {
  std::vector<double> terms(235, 0.0);
  for (std::size_t k = 171; k < terms.size(); ++k) terms[k] = std::popcount(k & (k >> 1)) % 2 == 0 ? 1 : -1;
  const Samples function = series_of(terms);
  EXPECT_LT(max_error(std::vector<double>{0}, function, -1, 1), 14);
  EXPECT_EQ(fit(function, -1, 1, 63.5, 90, {}, "f").size(), 86u);
}

/// Returns the largest relative error of a series.
double relative_error(std::span<const double> series, double (*f)(double), double lowest, double highest) {
  double worst = 0;
  for (int i = 0; i <= 4000; ++i) {
    const double x = -1 + i / 2000.0, exact = f(lowest + (highest - lowest) * (x + 1) / 2);
    worst = std::max(worst, std::abs(evaluate(series, x) / exact - 1));
  }
  return worst;
}

double reciprocal(double x) { return 1 / x; }
double reciprocal_root(double x) { return 1 / std::sqrt(x); }

// The least relative error of a polynomial of degree d for 1 / x on [1, k] is 1 / cosh((d + 1) acosh((k + 1) / (k -
// 1))).
TEST(FitRelative, IsNearTheLeastRelativeError) {
  const double ratio = 200, least = 1 / std::cosh(32 * std::acosh((ratio + 1) / (ratio - 1)));
  const auto series = fit_relative(pointwise(reciprocal), 0.5, 0.5 * ratio, 0, 1e-6, 31, "f");
  ASSERT_EQ(series.size(), 32u);
  const double error = relative_error(series, reciprocal, 0.5, 0.5 * ratio);
  EXPECT_GE(error, 0.99 * least);
  EXPECT_LE(error, 3 * least);
  const auto absolute = fit(pointwise(reciprocal), 0.5, 0.5 * ratio, 1e-9, 31, {}, "f");
  EXPECT_GT(relative_error(absolute, reciprocal, 0.5, 0.5 * ratio), 3 * error);
}

TEST(FitRelative, TakesTheSmallestDegreeThatIsCloseEnough) {
  for (auto* f : {reciprocal, reciprocal_root}) {
    const auto series = fit_relative(pointwise(f), 1, 20, 0, 1e-3, 59, "f");
    ASSERT_LT(series.size(), 30u);
    EXPECT_LE(relative_error(series, f, 1, 20), 1.05e-3);
    const int less = static_cast<int>(series.size()) - 2;
    EXPECT_GT(relative_error(fit_relative(pointwise(f), 1, 20, 0, 0, less, "f"), f, 1, 20), 1e-3);
  }
}

// Below the floor, the error is a share of the floor.
TEST(FitRelative, AnExponentialIsRelativeDownToItsFloor) {
  const auto exponential = pointwise([](double x) { return std::exp(x); });
  const auto series = fit_relative(exponential, -8, 4, std::exp(-2), 1e-3, 59, "exp");
  EXPECT_LE(series.size(), 20u);
  for (int i = 0; i <= 1000; ++i) {
    const double x = -1 + i / 500.0, exact = std::exp(-2 + 6 * x);
    EXPECT_LE(std::abs(evaluate(series, x) - exact), 1.1e-3 * std::max(exact, std::exp(-2))) << x;
  }
  EXPECT_TRUE(is_exponential(exponential, -8, 4));
  EXPECT_FALSE(is_exponential(exponential, -1, 1)) << "narrow";
  EXPECT_FALSE(is_exponential(pointwise([](double x) { return x * x; }), 0.1, 10));
  EXPECT_FALSE(is_exponential(pointwise(sigmoid), -8, 8));
}

TEST(FitRelative, IsForFunctionsThatGrowTowardsAPole) {
  EXPECT_TRUE(has_pole_below(pointwise(reciprocal), 0.1, 1));
  EXPECT_TRUE(has_pole_below(pointwise(reciprocal_root), 0.1, 1));
  EXPECT_FALSE(has_pole_below(pointwise(reciprocal), 0.5, 1)) << "narrow";
  EXPECT_FALSE(has_pole_below(pointwise(reciprocal), -1, 1));
  EXPECT_FALSE(has_pole_below(pointwise([](double x) { return std::exp(-x); }), 0.1, 1));
  EXPECT_FALSE(has_pole_below(pointwise([](double x) { return -1 / x; }), 0.1, 1));
  EXPECT_FALSE(has_pole_below(pointwise(sigmoid), 0.1, 10));
}

}  // namespace
}  // namespace tacit::graph::approximate
