#include "params/rotation_primes.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tacit::params {
namespace {

CkksLiteral leveled(std::vector<int> q_bits, std::vector<int> p_bits) {
  return {.name = "test", .log_n = 14, .q_bits = std::move(q_bits), .p_bits = std::move(p_bits), .log_scale = 20};
}

TEST(RotationPrimes, SetsThatSayTheirDigitsKeepTheirPrimes) {
  const CkksLiteral s8 = named_literal("S8");
  EXPECT_EQ(for_rotations(s8, 5), s8);
  CkksLiteral said = named_literal("N14-d7");
  EXPECT_NE(for_rotations(said, 4), said);
  said.digits = {2, 2, 2, 2};
  EXPECT_EQ(for_rotations(said, 4), said);
}

// With four of the twenty primes above level 12 all thirteen that are left are one digit. With five, which a digit of
// fourteen would take, there would be thirteen special primes.
TEST(RotationPrimes, ThereAreTwelveSpecialPrimesAtMost) {
  const CkksLiteral set = named_literal("N16-d32");
  const CkksLiteral below = for_rotations(set, 12);
  EXPECT_EQ(below.p_bits, (std::vector<int>{40, 40, 40, 40, 47, 47, 47, 47, 47, 47, 47, 47}));
  EXPECT_EQ(below.digits, std::vector<int>{13});
  EXPECT_EQ(for_rotations(set, 13), set);
}

// Two primes of 40 bits in a digit take special primes of 84.
TEST(RotationPrimes, SpecialPrimesExceedADigitByFourBits) {
  const CkksLiteral enough = leveled({40, 40, 40, 40, 44}, {40}), less = leveled({40, 40, 40, 40, 43}, {40});
  EXPECT_EQ(for_rotations(enough, 3).digits, (std::vector<int>{2, 2}));
  EXPECT_EQ(for_rotations(enough, 3).p_bits, (std::vector<int>{44, 40}));
  EXPECT_EQ(for_rotations(less, 3), less);
}

// One digit and two special primes are as much work as two digits and one of them: twelve transforms and twenty rows of
// multiply-accumulates.
TEST(RotationPrimes, WhatIsNoLessWorkChangesNothing) {
  const CkksLiteral set = leveled({40, 40, 40}, {45});
  const double row = 16384;
  EXPECT_EQ(key_switch_price(Account(set).rotate(1)), (12 * 14 / 3.0 + 20) * row);
  EXPECT_EQ(for_rotations(set, 1), set);
}

}  // namespace
}  // namespace tacit::params
