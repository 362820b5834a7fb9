#include "params/key_switch_primes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "params/requirement.h"
#include "params/rotation_primes.h"

namespace tacit::params {
namespace {

using Digits = std::vector<std::size_t>;

int sum_of(const std::vector<int>& bits, std::size_t first, std::size_t last) {
  return std::accumulate(bits.begin() + static_cast<std::ptrdiff_t>(first),
                         bits.begin() + static_cast<std::ptrdiff_t>(last), 0);
}

TEST(KeySwitchPrimes, ProductsHaveHalfTheDigitsWhereOneSpecialPrimeFits) {
  const CkksLiteral tiles = parameters_for(Requirement{}).literal;
  ASSERT_EQ(tiles.q_bits.size(), 10U);
  ASSERT_EQ(tiles.p_bits.size(), 1U);
  EXPECT_EQ(digits_of(tiles), Digits(10, 1));
  EXPECT_EQ(product_digits_of(tiles), (Digits{2, 2, 2, 2, 2}));
  EXPECT_EQ(product_digits_of(named_literal("N14-d7")), (Digits{3, 3, 2}));
  // What says its digits keeps them.
  CkksLiteral said = tiles;
  said.digits.assign(10, 1);
  EXPECT_EQ(product_digits_of(said), Digits(10, 1));
  for (const std::string& name : bootstrapping_literals())
    EXPECT_EQ(product_digits_of(named_literal(name)), digits_of(named_literal(name))) << name;
}

TEST(KeySwitchPrimes, NoDigitOfAProductIsLargerThanWhatDividesIt) {
  for (const std::string& name : named_literals()) {
    const CkksLiteral literal = named_literal(name);
    const Digits digits = product_digits_of(literal);
    EXPECT_LE(digits.size(), digits_of(literal).size()) << name;
    const int special = sum_of(literal.p_bits, 0, literal.p_bits.size());
    std::size_t first = 0;
    for (const std::size_t digit : digits) {
      for (std::size_t level = std::max<std::size_t>(first, 1); level < literal.q_bits.size(); ++level)
        EXPECT_LT(sum_of(literal.q_bits, first, std::min(first + digit, level + 1)), special + literal.q_bits[level])
            << name << " " << first << " " << level;
      first += digit;
    }
    EXPECT_EQ(first, literal.q_bits.size());
  }
}

TEST(KeySwitchPrimes, RotationsBelowTheTopBorrowThePrimesAbove) {
  const CkksLiteral tiles = parameters_for(Requirement{}).literal;
  EXPECT_EQ(for_rotations(tiles, 9), tiles);
  const CkksLiteral below = for_rotations(tiles, 8);
  EXPECT_EQ(below.p_bits, (std::vector<int>{40, 44}));
  EXPECT_EQ(below.digits, (std::vector<int>{2, 2, 2, 2, 1}));
  for (int top = 2; top < 9; ++top) {
    const CkksParameters arranged = CkksParameters::check(tiles).for_rotations(top);
    EXPECT_LE(arranged.log_qp(), CkksParameters::check(tiles).log_qp() + 1e-9);
    EXPECT_EQ(arranged.max_level(), top);
    EXPECT_LT(key_switch_price(Account(arranged.literal()).rotate(top)), key_switch_price(Account(tiles).rotate(top)))
        << top;
  }
  EXPECT_THROW(CkksParameters::check(tiles).for_rotations(10), base::InputError);
}

// P q_l is to be three bits larger than a digit, at every level that has primes of it.
TEST(KeySwitchPrimes, ADigitOfAProductLeavesThreeBits) {
  const auto digits = [](std::vector<int> q_bits, int special) {
    CkksLiteral literal;
    literal.q_bits = std::move(q_bits);
    literal.p_bits = {special};
    return product_digits_of(literal);
  };
  EXPECT_EQ(digits({40, 40}, 43), (Digits{2}));
  EXPECT_EQ(digits({40, 40}, 42), (Digits{1, 1}));
  // q_0 q_1 fits where q_1 is the last prime, and not above, where a smaller one is.
  EXPECT_EQ(digits({40, 40, 20}, 43), (Digits{1, 2}));
  EXPECT_EQ(digits({40, 40, 20}, 42), (Digits{1, 1, 1}));
}

TEST(KeySwitchPrimes, NoDigitHasMoreThanSixteenPrimes) {
  const auto always = [](std::size_t, std::size_t) { return true; };
  EXPECT_EQ(longest_digits(16, always), (Digits{16}));
  EXPECT_EQ(longest_digits(35, always), (Digits{16, 16, 3}));
  EXPECT_EQ(longest_digits(3, [](std::size_t, std::size_t) { return false; }), (Digits{1, 1, 1}));
}

// Special primes exceed every digit of several primes by four bits, and no digit could take another prime.
TEST(KeySwitchPrimes, DigitsBelowTheTopAreAsLongAsTheirSpecialPrimesAllow) {
  const CkksLiteral tiles = parameters_for(Requirement{}).literal;
  for (int top = 2; top < 9; ++top) {
    const CkksLiteral arranged = for_rotations(tiles, top);
    const int special = sum_of(arranged.p_bits, 0, arranged.p_bits.size());
    std::size_t first = 0;
    for (const int digit : arranged.digits) {
      const std::size_t last = first + static_cast<std::size_t>(digit);
      if (digit > 1) {
        EXPECT_LE(sum_of(arranged.q_bits, first, last) + kKeyMargin, special) << top << " " << first;
      }
      if (last < arranged.q_bits.size()) {
        EXPECT_GT(sum_of(arranged.q_bits, first, last + 1) + kKeyMargin, special) << top << " " << first;
      }
      first = last;
    }
    EXPECT_EQ(first, static_cast<std::size_t>(top) + 1) << top;
  }
}

TEST(KeySwitchPrimes, RotationsMayBeOfTheLowestAndOfTheHighestLevelAlone) {
  const CkksParameters set = CkksParameters::check(parameters_for(Requirement{}).literal);
  ASSERT_EQ(set.max_level(), 9);
  EXPECT_LE(key_switch_price(Account(set.for_rotations(0).literal()).rotate(0)),
            key_switch_price(Account(set.literal()).rotate(0)));
  EXPECT_EQ(set.for_rotations(9).hash(), set.hash());
  EXPECT_EQ(set.for_rotations(8).literal().name, set.literal().name + " for rotations up to level 8");
  for (const int top : {-1, 10})
    EXPECT_THAT([&] { set.for_rotations(top); },
                testing::ThrowsMessage<base::InputError>("rotations up to level " + std::to_string(top) +
                                                         ": it is outside 0 to 9"));
}

}  // namespace
}  // namespace tacit::params
