#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "params/key_switch_primes.h"

namespace tacit::params {
namespace {

using Digits = std::vector<std::size_t>;

CkksLiteral literal_with(std::vector<int> q_bits, std::vector<int> p_bits, std::vector<int> digits = {}) {
  CkksLiteral literal;
  literal.name = "test";
  literal.q_bits = std::move(q_bits);
  literal.p_bits = std::move(p_bits);
  literal.digits = std::move(digits);
  return literal;
}

TEST(SpecialPrimes, ADigitHasSixteenPrimesAtMost) {
  EXPECT_EQ(digits_of(literal_with(std::vector<int>(17, 20), {50}, {16, 1})), (Digits{16, 1}));
  EXPECT_EQ(base::refusal([] { digits_of(literal_with(std::vector<int>(17, 20), {50}, {17})); }),
            "parameter set 'test': a digit of 17 primes is outside 1 to 16");
}

// At level 1 two primes of three are left of the digit. They are held against P and q_1; all three against P and q_2.
TEST(SpecialPrimes, ADigitOfAProductCountsWhatIsLeftOfItAtEachLevel) {
  EXPECT_EQ(product_digits_of(literal_with({40, 20, 40}, {63})), (Digits{3}));
  EXPECT_EQ(product_digits_of(literal_with({40, 20, 40}, {62})), (Digits{2, 1}));
}

// A digit of 36 bits takes 42 bits of special primes.
TEST(SpecialPrimes, ExceedTheDigitBySixBits) {
  EXPECT_EQ(special_primes(literal_with({36}, {42, 42}), {1}), (Digits{1}));
  EXPECT_EQ(special_primes(literal_with({36}, {41, 41}), {1}), (Digits{2}));
  EXPECT_EQ(special_primes(literal_with({36, 20}, {21, 21, 21}), {2}), (Digits{2, 3}));
}

}  // namespace
}  // namespace tacit::params
