#include "params/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace tacit::params {
namespace {

constexpr double kSigma = 3.19;

/// Two primes to a digit and two special primes, of which level 0 takes one.
CkksParameters set(bool real_slots) {
  return CkksParameters::check({.name = "test",
                                .log_n = 10,
                                .q_bits = {38, 44, 45, 44},
                                .p_bits = {46, 45},
                                .log_scale = 35,
                                .insecure = true,
                                .digits = {2, 2},
                                .real_slots = real_slots});
}

/// What the formulas of noise.h say of a ring: products of coefficients in one, and what a slot makes of a coefficient.
struct Ring {
  explicit Ring(const CkksParameters& p)
      : terms(static_cast<double>(p.n()) * (p.real_slots() ? 2 : 1)),
        of_slots(std::sqrt(static_cast<double>(p.n()) * (p.real_slots() ? 2 : 0.5))) {}
  double rounding() const { return (1 + terms * 2 / 3) / 12; }
  double terms, of_slots;
};

/// Relative, so that every term counts.
void expect_same_noise(double found, double expected) { EXPECT_NEAR(found / expected, 1, 1e-9); }

TEST(Noise, OfFreshCiphertextsIsThatOfItsErrorsBesideTheRounding) {
  for (const bool real : {false, true}) {
    const CkksParameters p = set(real);
    const Ring ring(p);
    expect_same_noise(slot_deviation(p, 3, 8), 3 * ring.of_slots / 8);
    expect_same_noise(symmetric_encryption_noise(p, 0x1p35), kSigma * ring.of_slots / 0x1p35);
    expect_same_noise(rounding_noise(p, 0x1p30), std::sqrt(ring.rounding()) * ring.of_slots / 0x1p30);
    expect_same_noise(encode_noise(p, 0x1p30), std::sqrt((real ? 1 : 2) / 12.0) * ring.of_slots / 0x1p30);
    // A public key's errors are divided by a special prime, which leaves the rounding.
    expect_same_noise(public_encryption_noise(p, 0x1p30), rounding_noise(p, 0x1p30));
  }
}

TEST(Noise, OfKeySwitchesCountsTheDigitsOfTheLevelAndTheSpecialPrimesThere) {
  for (const bool real : {false, true}) {
    const CkksParameters p = set(real);
    const Ring ring(p);
    ASSERT_EQ(p.gadget().special_primes, (std::vector<std::size_t>{1, 2, 2, 2}));
    const auto q = [&](std::size_t i) { return static_cast<double>(p.q()[i]); };
    const double p0 = static_cast<double>(p.p()[0]), all = p0 * static_cast<double>(p.p()[1]);
    const double first = q(0) * q(1) / all;
    const std::vector<double> squares{std::pow(q(0) / p0, 2), std::pow(first, 2),
                                      std::pow(first, 2) + std::pow(q(2) / all, 2),
                                      std::pow(first, 2) + std::pow(q(2) * q(3) / all, 2)};
    for (int level = 0; level <= 3; ++level) {
      const double key = ring.terms * kSigma * kSigma / 12 * squares[static_cast<std::size_t>(level)];
      expect_same_noise(key_switch_noise(p, level, 0x1p35), std::sqrt(key + ring.rounding()) * ring.of_slots / 0x1p35);
      const double divisor = q(static_cast<std::size_t>(level));
      expect_same_noise(multiply_noise(p, level, 0x1p35),
                        std::sqrt(key / (divisor * divisor) + ring.rounding()) * ring.of_slots / 0x1p35);
    }
  }
}

// Digits of one prime each, all about as large as the special prime: the key's errors are most of the noise.
TEST(Noise, OfKeySwitchesGrowsWithEveryDigit) {
  const CkksParameters p = CkksParameters::check(
      {.name = "test", .log_n = 10, .q_bits = {44, 45, 45, 45}, .p_bits = {45}, .log_scale = 35, .insecure = true});
  const Ring ring(p);
  double squares = 0;
  for (int level = 0; level <= 3; ++level) {
    squares += std::pow(p.prime(level) / static_cast<double>(p.p()[0]), 2);
    const double key = ring.terms * kSigma * kSigma / 12 * squares;
    EXPECT_GT(key, ring.rounding());
    expect_same_noise(key_switch_noise(p, level, 0x1p35), std::sqrt(key + ring.rounding()) * ring.of_slots / 0x1p35);
  }
}

/// A ring of 16 coefficients with special primes as small as they come.
CkksParameters tiny(std::vector<int> q_bits, std::vector<int> p_bits, bool real_slots) {
  return CkksParameters::check({.name = "test",
                                .log_n = 4,
                                .q_bits = std::move(q_bits),
                                .p_bits = std::move(p_bits),
                                .log_scale = 15,
                                .insecure = true,
                                .real_slots = real_slots});
}

// e_0 + v e + e_1 s: an error by itself, and two that meet a ternary polynomial each.
TEST(Noise, OfPublicKeysIsThatOfThreeErrorsOverTheSpecialPrime) {
  for (const bool real : {false, true}) {
    const CkksParameters p = tiny({20}, {20}, real);
    const Ring ring(p);
    const double special = static_cast<double>(p.p()[0]);
    const double errors = kSigma * kSigma * (1 + 2 * ring.terms * 2 / 3) / (special * special);
    EXPECT_GT(errors, 1e-10 * ring.rounding());
    EXPECT_NEAR(public_encryption_noise(p, 8) / (std::sqrt(errors + ring.rounding()) * ring.of_slots / 8), 1, 1e-13);
  }
}

// The least that it is divided by, at level 0: one prime of 26 bits of two.
TEST(Noise, OfPublicKeysIsThatOfTheLowestLevel) {
  const CkksParameters p = tiny({20, 26}, {26, 26}, false);
  ASSERT_EQ(p.gadget().special_primes, (std::vector<std::size_t>{1, 2}));
  EXPECT_GT(public_encryption_noise(p, 8) / rounding_noise(p, 8), 1 + 1e-14);
}

}  // namespace
}  // namespace tacit::params
