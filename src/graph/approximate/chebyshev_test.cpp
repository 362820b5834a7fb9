#include "graph/approximate/chebyshev.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/approximate/pointwise_for_test.h"

namespace tacit::graph::approximate {
namespace {

TEST(Chebyshev, InterpolatesAPolynomialExactly) {
  // 4 x^3 - 3 x + 2 = 2 T_0 + T_3
  const auto c = interpolate(pointwise([](double x) { return 4 * x * x * x - 3 * x + 2; }), 5);
  const double expected[] = {2, 0, 0, 1, 0, 0};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(c[k], expected[k], 1e-14);
}

TEST(Chebyshev, ExponentialHasBesselCoefficients) {
  // exp(x) = I_0(1) + 2 sum I_k(1) T_k(x)
  const auto c = interpolate(pointwise([](double x) { return std::exp(x); }), 20);
  EXPECT_NEAR(c[0], 1.2660658777520084, 1e-13);
  EXPECT_NEAR(c[1], 2 * 0.5651591039924850, 1e-13);
  EXPECT_NEAR(c[2], 2 * 0.1357476697670383, 1e-13);
  EXPECT_NEAR(evaluate(c, 0.3), std::exp(0.3), 1e-14);
}

TEST(Chebyshev, LeastSquaresRecoversASeriesFromUnevenPointsAndWeights) {
  std::vector<double> points, values, weights;
  for (int i = 0; i <= 40; ++i) {
    const double x = -1 + 0.05 * i;
    points.push_back(x);
    values.push_back(evaluate(std::vector<double>{0.5, -1, 0.25, 2}, x));
    weights.push_back(1 + i % 3);
  }
  const auto c = least_squares(points, values, weights, 3);
  EXPECT_NEAR(c[0], 0.5, 1e-13);
  EXPECT_NEAR(c[1], -1, 1e-13);
  EXPECT_NEAR(c[2], 0.25, 1e-13);
  EXPECT_NEAR(c[3], 2, 1e-13);
}

}  // namespace
}  // namespace tacit::graph::approximate
