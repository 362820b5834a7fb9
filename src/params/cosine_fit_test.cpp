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
  const std::vector<double> fit = fit_cosine(8, 2, 2, 2, kRange, kWidth);
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

/// The largest error of a fit at this overflow, after the angle is doubled, to first order.
double largest_error(const std::vector<double>& fit, double range, double width, int overflow) {
  double worst = 0;
  for (int k = -40; k <= 40; ++k) {
    const double u = overflow - 0.25 + width * k / 40, angle = std::numbers::pi / 4 * u;
    double y = 0;
    for (std::size_t j = 0; j < fit.size(); ++j) y += fit[j] * std::cos(static_cast<double>(j) * std::acos(u / range));
    worst = std::max(worst, std::abs(y - std::cos(angle)) / std::abs(std::sin(angle)));
  }
  return worst;
}

// Each overflow beyond the likely ones may have four times the error of the one before, and no more.
TEST(CosineFit, RareOverflowsMayHaveLargerErrors) {
  constexpr double kWidth = 0.02, kRange = 8.3;
  const auto errors = [&](int likely) {
    const std::vector<double> fit = fit_cosine(18, 3, 8, likely, kRange, kWidth);
    std::vector<double> by_overflow;
    for (int i = 0; i <= 8; ++i)
      by_overflow.push_back(std::max(largest_error(fit, kRange, kWidth, i), largest_error(fit, kRange, kWidth, -i)));
    return by_overflow;
  };
  const std::vector<double> flat = errors(8), fitted = errors(4);
  const double likely = *std::max_element(fitted.begin(), fitted.begin() + 5);
  EXPECT_LT(likely, *std::ranges::max_element(flat) / 8);
  for (int i = 5; i <= 8; ++i) EXPECT_LT(fitted[static_cast<std::size_t>(i)] / likely, 1.1 * std::pow(4, i - 4)) << i;
  EXPECT_GT(fitted[8] / likely, 20);
}

}  // namespace
}  // namespace tacit::params
