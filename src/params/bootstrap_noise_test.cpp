#include "params/bootstrap_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "params/bootstrap_scales.h"
#include "params/noise.h"

namespace tacit::params {
namespace {

constexpr double kPi = std::numbers::pi;

double cosine_series_at(const std::vector<double>& c, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < c.size(); ++k) sum += c[k] * std::cos(static_cast<double>(k) * std::acos(x));
  return sum;
}

TEST(BootstrapNoise, IndependentPartsAddUpAsSquares) {
  const BootstrapNoise noise{
      .slots_to_coefficients = 1, .raise = 2, .coefficients_to_slots = 4, .sine = 8, .approximation = 16};
  EXPECT_DOUBLE_EQ(noise.total(), std::sqrt(1 + 4 + 16 + 64 + 256));
}

// The series and the doubled angles against the sine itself, at the overflows of a secret of weight 32 and slots in
// [-1, 1].
TEST(BootstrapNoise, ApproximationIsTheDeviationOfTheCosineFromItsPolynomial) {
  for (const char* set : {"S8", "N15-S5"}) {
    const CkksParameters parameters = CkksParameters::check(named_literal(set));
    const BootstrapSchedule schedule = plan_bootstrap(parameters.literal());
    double sum = 0, weights = 0;
    for (int overflow = -kOverflowBound; overflow <= kOverflowBound; ++overflow) {
      const double weight = std::exp(-overflow * overflow / (2 * 32 / 12.0));  // of a Gaussian of this variance
      constexpr int kPoints = 64;
      for (int k = 0; k < kPoints; ++k) {
        const double z = (2 * k + 1.0) / kPoints - 1, t = overflow + z / schedule.ratio();
        double y = cosine_series_at(schedule.cosine, (t - 0.25) / schedule.range);
        for (int angle = 0; angle < kDoubleAngles; ++angle) y = 2 * y * y - 1;
        sum += weight * std::pow(y - std::sin(2 * kPi * z / schedule.ratio()), 2) / kPoints;
      }
      weights += weight;
    }
    const double expected = std::sqrt(sum / weights) * schedule.ratio() / (2 * kPi);
    EXPECT_NEAR(bootstrap_noise(parameters, schedule).approximation / expected, 1, 0.1) << set;
  }
}

// Both key switches over q_0 and p_0 have one digit, q_0; the rounding meets the sparse secret.
TEST(BootstrapNoise, RaisingTakesTwoKeySwitchesOfOneDigitAndARounding) {
  for (const BootstrapForm form : {BootstrapForm::folded, BootstrapForm::linear}) {
    const CkksParameters parameters = CkksParameters::check(named_literal("S8"));
    const BootstrapSchedule schedule = plan_bootstrap(parameters.literal(), {.form = form});
    const double q0 = parameters.prime(0), key = 3.19 * q0 / static_cast<double>(parameters.p()[0]);
    const double variance = 2 * key * key * 65536 / 12 + (1 + 32) / 12.0;
    EXPECT_NEAR(bootstrap_noise(parameters, schedule).raise / (std::sqrt(variance) * schedule.ratio() / q0), 1, 1e-9);
  }
}

TEST(BootstrapNoise, RoundingsOfSlotsToCoefficientsAreHalvedByEveryStageThatFollows) {
  const CkksParameters parameters = CkksParameters::check(named_literal("S8"));
  for (const BootstrapForm form : {BootstrapForm::folded, BootstrapForm::linear}) {
    const BootstrapSchedule schedule = plan_bootstrap(parameters.literal(), {.form = form});
    const BootstrapScales scales = bootstrap_scales(parameters, schedule);
    double variance = 0;
    int stages = 0;
    for (std::size_t i = 0; i < schedule.slots_to_coefficients.size(); ++i) {
      stages += schedule.slots_to_coefficients[i].stages;
      const double rounding = rounding_noise(parameters, scales.slots_to_coefficients[i]);
      variance += rounding * rounding * std::exp2(-stages);
    }
    EXPECT_EQ(stages, 15);
    EXPECT_NEAR(bootstrap_noise(parameters, schedule).slots_to_coefficients / std::sqrt(variance), 1, 1e-9);
  }
}

/// P(I = i) of the overflow of a secret of weight 32.
double overflow_share(int i) {
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2 * 32 / 12.0)) / 2; };
  return below(i + 0.5) - below(i - 0.5);
}

TEST(BootstrapNoise, ApproximationIsAMeanOverOverflowsAndMessages) {
  for (const char* set : {"S8", "S15"})
    for (const BootstrapForm form : {BootstrapForm::folded, BootstrapForm::linear}) {
      const CkksParameters parameters = CkksParameters::check(named_literal(set));
      const BootstrapSchedule schedule = plan_bootstrap(parameters.literal(), {.form = form});
      constexpr int kPoints = 64;
      double sum = 0, shares = 0;
      for (int overflow = -kOverflowBound; overflow <= kOverflowBound; ++overflow) {
        const double share = overflow_share(overflow);
        shares += share;
        for (int k = 0; k < kPoints; ++k) {
          const double z = (2 * k + 1.0) / kPoints - 1, t = overflow + z / schedule.ratio();
          double y = cosine_series_at(schedule.cosine, (t - 0.25) / schedule.range);
          for (int angle = 0; angle < kDoubleAngles; ++angle) y = 2 * y * y - 1;
          sum += share * std::pow(y - std::sin(2 * kPi * z / schedule.ratio()), 2) / kPoints;
        }
      }
      const double expected = std::sqrt(sum / shares) * schedule.ratio() / (2 * kPi);
      EXPECT_NEAR(bootstrap_noise(parameters, schedule).approximation / expected, 1, 1e-3) << set;
    }
}

// Roundings of every factor, shrunk by those that follow, and of its diagonals, which meet slots that hold the
// overflow.
TEST(BootstrapNoise, CoefficientsToSlotsRoundsCiphertextsAndDiagonals) {
  const CkksParameters parameters = CkksParameters::check(named_literal("S8"));
  const BootstrapSchedule schedule = plan_bootstrap(parameters.literal());
  const BootstrapScales scales = bootstrap_scales(parameters, schedule);
  ASSERT_EQ(schedule.coefficients_to_slots.size(), 4U);
  // In all t / q_0 is divided by twice the range, by equal parts.
  const double whole = 1 / (2 * schedule.range), part = std::pow(whole, 0.25);
  const double slot = 2 * 32 / 12.0 * whole * whole;  // the mean square of an overflow's absolute value, in the end
  double variance = 0;
  int level = 24;
  for (std::size_t i = 0; i < 4; ++i, --level) {
    const DftFactor& factor = schedule.coefficients_to_slots[i];
    const double rounding =
        rounding_noise(parameters, scales.coefficients_to_slots[i]) * std::pow(part, static_cast<double>(3 - i));
    variance += 4 * rounding * rounding * std::exp2(-factor.first_stage);
    // Each of the diagonals repeats with a period of 2^(first stage + stages).
    const double before = i == 0 ? parameters.prime(0) : scales.coefficients_to_slots[i - 1];
    const double scale = scales.coefficients_to_slots[i] / before * parameters.prime(level);
    const double diagonal = 2 * std::exp2(factor.first_stage + factor.stages) / 12 / (scale * scale);
    variance += 2 * diagonal * static_cast<double>(factor.schedule.steps.size()) * slot * std::exp2(factor.stages) /
                (part * part);
  }
  variance += std::pow(rounding_noise(parameters, scales.argument()), 2);  // of the conjugation's sum
  EXPECT_NEAR(bootstrap_noise(parameters, schedule).coefficients_to_slots /
                  (std::sqrt(variance) * schedule.range * schedule.ratio()),
              1, 1e-9);
}

}  // namespace
}  // namespace tacit::params
