#include "graph/approximate/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace tacit::graph::approximate {
namespace {

Samples pointwise(double (*f)(double)) {
  return [f](std::span<const double> points) {
    std::vector<double> values;
    for (const double x : points) values.push_back(f(x));
    return values;
  };
}
double relu(double x) {
  return x > 0 ? x : 0;
}
double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

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
