#include "program/slots/polynomial_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "params/noise.h"
#include "program/slots/small_parameters_for_test.h"

// The simulated noise of short series, each against the formula for its products. Longer ones are measured in
// runtime/slots.
namespace tacit::slots {
namespace {

/// Of the deviation that 512 points show.
constexpr double kTolerance = 0.1;

const params::CkksParameters& deeper_parameters() {
  static const auto made = params::CkksParameters::check(
      {.name = "test", .log_n = 10, .q_bits = {50, 40, 40, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true});
  return made;
}

/// The series ends at level 1.
double series_noise(const std::vector<double>& coefficients, double bound) {
  const Polynomial series{0, coefficients,
                          params::PolynomialSchedule::choose(static_cast<int>(coefficients.size()) - 1)};
  const layout::Layout four = layout::Layout::row_major({4}, 512);
  const Instruction operand{Input{"x"}, four, "x", "", bound, 1 + series.schedule.depth, kScale};
  return polynomial_noise(series, {series, four, "y", "", 1, 1, kScale}, operand, deeper_parameters()).mean;
}

double product_noise(int level, double scale) { return params::multiply_noise(deeper_parameters(), level, scale); }

TEST(PolynomialNoise, ConstantsHaveNone) {
  EXPECT_EQ(series_noise({0.5}, 1), 0);
  EXPECT_EQ(series_noise({0.5, 0, 0}, 1), 0);
}

TEST(PolynomialNoise, ALineHasThatOfItsProduct) {
  EXPECT_NEAR(series_noise({0, 1}, 1) / product_noise(2, kScale), 1, kTolerance);
  EXPECT_NEAR(series_noise({0.5, 1e-6}, 1) / product_noise(2, kScale), 1, kTolerance);
}

// T_2 = 2 x^2 - 1 lands a level below x, at x's scale squared over the prime.
TEST(PolynomialNoise, APowerBringsItsOwnTimesItsCoefficient) {
  const double prime = deeper_parameters().prime(3), of_square = product_noise(3, kScale * kScale / prime),
               of_sum = product_noise(2, kScale);
  for (const double coefficient : {1.0, 100.0})
    EXPECT_NEAR(series_noise({0, 0, coefficient}, 1) / std::hypot(coefficient * of_square, of_sum), 1, kTolerance)
        << coefficient;
}

// c T_3 = T_2 (2 c x) - c x: the noise of T_2 counts times 2 c x, that of the factor times T_2, and that of the sum.
TEST(PolynomialNoise, ProductsCarryNoiseByTheSizeOfTheirFactors) {
  const double high = deeper_parameters().prime(3), low = deeper_parameters().prime(2);
  const double of_square = product_noise(3, kScale * kScale / high), of_factor = product_noise(3, low * high / kScale),
               of_sum = product_noise(2, kScale);
  for (const double c : {1.0, 1000.0})
    for (const double bound : {1.0, 0.5, 0.1}) {
      // Of arguments that are uniform up to the bound.
      const double square = bound * bound / 3, t2 = 4 * std::pow(bound, 4) / 5 - 4 * square + 1;
      const double variance = 4 * c * c * square * of_square * of_square + t2 * of_factor * of_factor + of_sum * of_sum;
      EXPECT_NEAR(series_noise({0, 0, 0, c}, bound) / std::sqrt(variance), 1, kTolerance) << c << " " << bound;
    }
  const double whole = series_noise({0, 0, 0, 1000}, 1);
  EXPECT_EQ(series_noise({0, 0, 0, 1000}, 0), whole) << "an unknown bound is taken as 1";
  EXPECT_EQ(series_noise({0, 0, 0, 1000}, 7), whole) << "and a larger one, too";
}

// T_(2^k) of 0 is 1 or -1, where a doubling multiplies an error by 4; elsewhere by less on average.
TEST(PolynomialNoise, IsLargestWhereAllDoublingsAreAtTheirEnds) {
  std::vector<double> power(17, 0.0);
  power[16] = 1;
  const Polynomial series{0, power, params::PolynomialSchedule::choose(16)};
  const layout::Layout four = layout::Layout::row_major({4}, 512);
  static const auto deep = params::CkksParameters::check({.name = "test",
                                                          .log_n = 10,
                                                          .q_bits = {50, 40, 40, 40, 40, 40, 40},
                                                          .p_bits = {50},
                                                          .log_scale = 40,
                                                          .insecure = true});
  const Instruction operand{Input{"x"}, four, "x", "", 1, 1 + series.schedule.depth, kScale};
  const SeriesNoise noise = polynomial_noise(series, {series, four, "y", "", 1, 1, kScale}, operand, deep);
  EXPECT_GT(noise.largest, 1.3 * noise.mean);
  EXPECT_LT(noise.largest, 5 * noise.mean);
}

}  // namespace
}  // namespace tacit::slots
