#include "params/bootstrap_scales.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace tacit::params {
namespace {

/// The set S8, whose sine ends at levels 20, 19, 17, 16, 15, 14, 13, 12 and 11.
class BootstrapScalesTest : public testing::Test {
 protected:
  BootstrapScales scales(const BootstrapOptions& options) const {
    return bootstrap_scales(set_, plan_bootstrap(set_.literal(), options));
  }
  double log2_prime(int level) const { return std::log2(static_cast<double>(set_.prime(level))); }
  /// Equal ratios between one scale and the next, from `from` to the last.
  static void expect_even_steps(double from, double to, const std::vector<double>& steps) {
    ASSERT_FALSE(steps.empty());
    for (std::size_t i = 0; i < steps.size(); ++i)
      EXPECT_NEAR(
          std::log2(steps[i]),
          std::log2(from) + std::log2(to / from) * static_cast<double>(i + 1) / static_cast<double>(steps.size()), 1e-9)
          << i;
  }
  const CkksParameters set_ = CkksParameters::check(named_literal("S8"));
};

TEST_F(BootstrapScalesTest, TheArgumentReturnsToThePrimesOfItsFourthPower) {
  for (const BootstrapForm form : {BootstrapForm::folded, BootstrapForm::linear}) {
    const BootstrapScales found = scales({.form = form});
    // A level of two primes counts as their product.
    EXPECT_NEAR(4 * std::log2(found.argument()), 2 * log2_prime(20) + log2_prime(19) + log2_prime(18) + log2_prime(17),
                1e-9);
    expect_even_steps(static_cast<double>(set_.prime(0)), found.argument(), found.coefficients_to_slots);
    EXPECT_EQ(found.coefficients_to_slots.size(), 4U);
    EXPECT_EQ(found.slots_to_coefficients.size(), 3U);
  }
}

TEST_F(BootstrapScalesTest, SlotsToCoefficientsEndsAtTheRatioBelowTheFirstPrime) {
  const double q0 = static_cast<double>(set_.prime(0)), scale = set_.scale();
  expect_even_steps(scale, q0 / 64, scales({.form = BootstrapForm::folded}).slots_to_coefficients);
  expect_even_steps(scale, q0 / 1024, scales({.form = BootstrapForm::linear}).slots_to_coefficients);
}

TEST_F(BootstrapScalesTest, TheSineIsReadAsTheMessage) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double scale = set_.scale(), x = kTurn / 1024;
  EXPECT_NEAR(scales({.form = BootstrapForm::folded}).sine / (scale * 64 / kTurn), 1, 1e-12);
  // With the gain that leaves a quarter of the cubic error.
  EXPECT_NEAR(scales({.form = BootstrapForm::linear}).sine / (scale / x * (1 + x * x / 8)), 1, 1e-12);
}

TEST_F(BootstrapScalesTest, ThreeSquaringsTakeTheCosineToTheSine) {
  for (const BootstrapForm form : {BootstrapForm::folded, BootstrapForm::linear}) {
    const BootstrapScales found = scales({.form = form});
    double log_scale = std::log2(found.cosine);
    for (const int level : {14, 13, 12}) log_scale = 2 * log_scale - log2_prime(level);
    EXPECT_NEAR(log_scale, std::log2(found.sine), 1e-9);
  }
}

// The primes that a bootstrap to a lower level does without are none of the sine's.
TEST_F(BootstrapScalesTest, AreTheSameAtEveryOutputLevel) {
  const BootstrapScales high = scales({}), low = scales({.output_level = 5});
  EXPECT_EQ(low.slots_to_coefficients, high.slots_to_coefficients);
  EXPECT_EQ(low.coefficients_to_slots, high.coefficients_to_slots);
  EXPECT_EQ(low.cosine, high.cosine);
  EXPECT_EQ(low.sine, high.sine);
}

TEST_F(BootstrapScalesTest, ProductsTakeThePrimesAboveTheLowerLevel) {
  EXPECT_EQ(prime_product(set_, 5, 5), 1);
  EXPECT_EQ(prime_product(set_, 5, 4), static_cast<double>(set_.prime(5)));
  EXPECT_NEAR(std::log2(prime_product(set_, 7, 4)), log2_prime(7) + log2_prime(6) + log2_prime(5), 1e-9);
}

// The message primes between the end of the bootstrap and the highest level are left out.
TEST_F(BootstrapScalesTest, TheModulusIsRaisedWithoutThePrimesThatAreSkipped) {
  for (const int output : {10, 5}) {
    const BootstrapSchedule schedule = plan_bootstrap(set_.literal(), {.output_level = output});
    std::vector<std::uint64_t> primes = set_.q();
    primes.erase(primes.begin() + output + 1, primes.begin() + 12);
    EXPECT_EQ(raised_parameters(set_, schedule.chain).q(), primes) << output;
  }
  EXPECT_EQ(raised_parameters(set_, plan_bootstrap(set_.literal()).chain).q(), set_.q());
}

}  // namespace
}  // namespace tacit::params
