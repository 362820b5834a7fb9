#include "params/cosine_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace tacit::params {
namespace {

// The series is even and has five coefficients. Arguments are those of five intervals. Doubling the angle enlarges the
// error. The largest error is least where it is reached in six places, one way and the other in turn (Chebyshev).
TEST(CosineFit, ErrsAsMuchOneWayAsTheOther) {
  constexpr double kWidth = 0.05, kRange = 2.5;
  const std::vector<double> fit = fit_cosine(8, 2, 2, kRange, kWidth);
  ASSERT_EQ(fit.size(), 9U);
  for (const std::size_t odd : {1, 3, 5, 7}) EXPECT_EQ(fit[odd], 0) << odd;
  std::vector<std::pair<double, double>> errors;  // by the magnitude of the argument
  for (int i = -2; i <= 2; ++i)
    for (int k = -40; k <= 40; ++k) {
      const double u = i - 0.25 + kWidth * k / 40, angle = std::numbers::pi / 2 * u;
      double y = 0;
      for (std::size_t j = 0; j < fit.size(); ++j)
        y += fit[j] * std::cos(static_cast<double>(j) * std::acos(u / kRange));
      errors.emplace_back(std::abs(u), (y - std::cos(angle)) / std::abs(std::sin(angle)));
    }
  std::ranges::sort(errors);
  std::vector<double> extremes;
  bool above = false;
  for (const auto& [argument, error] : errors) {
    if (extremes.empty() || above != (error > 0)) extremes.push_back(0);
    above = error > 0;
    extremes.back() = std::max(extremes.back(), std::abs(error));
  }
  ASSERT_EQ(extremes.size(), 6U);
  const auto [least, most] = std::ranges::minmax(extremes);
  EXPECT_GT(least, 0.95 * most);
}

}  // namespace
}  // namespace tacit::params
