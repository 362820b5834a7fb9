#include "graph/approximate/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "graph/approximate/parity.h"

namespace tacit::graph::approximate {
namespace {

Samples pointwise(double (*f)(double)) {
  return [f](std::span<const double> points) {
    std::vector<double> values;
    for (const double x : points) values.push_back(f(x));
    return values;
  };
}
double relu(double x) { return x > 0 ? x : 0; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Fit, SmoothFunctionsGetTheSmallestDegreeThatMeetsTheTolerance) {
  const Fit narrow = fit(pointwise(sigmoid), -4, 4, 1e-3, 59, {}, "s");
  const Fit wide = fit(pointwise(sigmoid), -10, 10, 1e-3, 59, {}, "s");
  EXPECT_TRUE(narrow.smooth);
  EXPECT_EQ(narrow.coefficients.size(), 10u);  // degree 9
  EXPECT_EQ(wide.coefficients.size(), 22u);    // degree 21
  EXPECT_LE(narrow.max_error, 1e-3);
  EXPECT_LE(wide.max_error, 1e-3);
}

TEST(Fit, KinkedFunctionsGetTheLargestDegree) {
  const Fit wide = fit(pointwise(relu), -10, 10, 1e-3, 59, {}, "r");
  EXPECT_FALSE(wide.smooth);
  EXPECT_EQ(wide.coefficients.size(), 60u);
  EXPECT_LT(wide.max_error, 0.055);  // half-width 10: 0.28 / (2 * 59) * 10 = 0.024 is the best possible
  EXPECT_GT(wide.max_error, 0.02);
}

TEST(Fit, TheMeasuredDistributionPullsTheErrorToWhereNoInputsAre) {
  Histogram near_zero(100, 0.0);
  for (std::size_t i = 45; i < 55; ++i) near_zero[i] = 1;
  const Fit plain = fit(pointwise(relu), -10, 10, 1e-3, 31, {}, "r");
  const Fit weighted = fit(pointwise(relu), -10, 10, 1e-3, 31, near_zero, "r");
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
  Fit fitted = fit(pointwise(relu), -8, 8, 1e-3, 59, even, "r");
  impose(Parity::even, fitted.coefficients);
  EXPECT_EQ(fitted.coefficients.size(), 59u);
  for (std::size_t k = 3; k < fitted.coefficients.size(); k += 2) EXPECT_EQ(fitted.coefficients[k], 0);
  EXPECT_NEAR(max_error(fitted.coefficients, pointwise(relu), -8, 8), fitted.max_error, 1e-9);
  EXPECT_NEAR(fitted.coefficients[1], 4, 1e-9);  // x / 2 on half-width 8
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

}  // namespace
}  // namespace tacit::graph::approximate
