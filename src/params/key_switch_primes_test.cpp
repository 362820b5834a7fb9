#include "params/key_switch_primes.h"

#include <gtest/gtest.h>

#include <numeric>

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

}  // namespace
}  // namespace tacit::params
