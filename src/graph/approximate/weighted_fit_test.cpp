#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "graph/approximate/fit.h"
#include "graph/approximate/pointwise_for_test.h"

namespace tacit::graph::approximate {
namespace {

using Numbers = std::vector<double>;

double kinked(double x) { return x > 0.25 ? x - 0.25 : 0; }

/// Of a function that no short series meets, on [-1, 1], from its definition: over 2048 Chebyshev points half of the
/// weight is the same for all, the other half in proportion to the inputs that fall on a point.
Numbers expected_fit(int degree, const Histogram& histogram) {
  const Numbers points = chebyshev_nodes(2048);
  const auto bins = static_cast<double>(histogram.size());
  Numbers values, inputs;
  for (const double x : points) {
    values.push_back(kinked(x));
    std::size_t bin = 0;
    while (static_cast<double>(bin) + 1 < bins && x >= -1 + 2 * static_cast<double>(bin + 1) / bins) ++bin;
    // Points lie the closer the nearer they are to an end.
    inputs.push_back(histogram.at(bin) * std::sqrt(1 - x * x));
  }
  const double mean = std::accumulate(inputs.begin(), inputs.end(), 0.0) / 2048;
  Numbers weights;
  for (const double of_point : inputs) weights.push_back(std::sqrt((1 + of_point / mean) / 2));
  return least_squares(points, values, weights, degree);
}

TEST(WeightedFit, HalfOfTheWeightFollowsTheInputs) {
  for (const Histogram& histogram : {Histogram{1, 3}, Histogram{5, 0, 1}, Histogram{2}, Histogram{0, 0, 0, 7, 1}}) {
    const Numbers series = fit(pointwise(kinked), -1, 1, 1e-9, 6, histogram, "f");
    EXPECT_THAT(series, testing::Pointwise(testing::DoubleNear(1e-11), expected_fit(6, histogram)));
  }
}

TEST(WeightedFit, WithoutInputsAllPointsWeighTheSame) {
  const Numbers points = chebyshev_nodes(2048), ones(points.size(), 1.0);
  const Numbers expected = least_squares(points, pointwise(kinked)(points), ones, 6);
  for (const Histogram& histogram : {Histogram{}, Histogram{0, 0}})
    EXPECT_THAT(fit(pointwise(kinked), -1, 1, 1e-9, 6, histogram, "f"),
                testing::Pointwise(testing::DoubleNear(1e-12), expected));
}

/// The weights of a relative fit of exp on [-10, 10] differ by e^20, and normal equations of degree 30 are singular to
/// double precision.
TEST(WeightedFit, RelativeErrorsOfSteepExponentialsAreSmall) {
  const Numbers points = chebyshev_nodes(2048);
  Numbers values, weights;
  for (const double x : points) {
    values.push_back(std::exp(10 * x));
    weights.push_back(1 / values.back());
  }
  for (const auto& [degree, most] : {std::pair{15, 1e-2}, {30, 1e-6}, {59, 1e-6}, {119, 1e-6}}) {
    const Numbers series = least_squares(points, values, weights, degree);
    ASSERT_EQ(series.size(), static_cast<std::size_t>(degree) + 1);
    double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      worst = std::max(worst, std::abs(evaluate(series, points[i]) * weights[i] - 1));
    EXPECT_LT(worst, most) << degree;
  }
}

/// An expansion of 512 terms that goes on behind its middle may go on for ever: then no degree is sought.
TEST(WeightedFit, NoDegreeIsSoughtWhereTheExpansionGoesOnBehindItsMiddle) {
  const Samples wave = [](std::span<const double> points) {
    Numbers values;
    for (const double x : points) values.push_back(std::cos(255 * std::acos(x)));
    return values;
  };
  EXPECT_EQ(fit(wave, -1, 1, 1e-3, 260, {}, "f").size(), 261u);
}

/// Shares count as numbers of inputs do.
TEST(WeightedFit, OnlyProportionsOfInputsCount) {
  for (const double all : {1.0, 0.5, 4.0, 1e6}) {
    const Numbers series = fit(pointwise(kinked), -1, 1, 1e-9, 6, {0.25 * all, 0.75 * all}, "f");
    EXPECT_THAT(series, testing::Pointwise(testing::DoubleNear(1e-11), expected_fit(6, {1, 3}))) << all;
  }
}

}  // namespace
}  // namespace tacit::graph::approximate
