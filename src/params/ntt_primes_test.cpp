#include "params/ntt_primes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::params {
namespace {

using ::testing::ElementsAre;

bool has_no_divisor(std::uint64_t value) {
  for (std::uint64_t d = 2; d * d <= value; ++d)
    if (value % d == 0) return false;
  return value >= 2;
}

TEST(IsPrime, AgreesWithTrialDivision) {
  for (std::uint64_t value = 0; value < 20000; ++value) EXPECT_EQ(is_prime(value), has_no_divisor(value)) << value;
}

// The least composite numbers that pass the test for the first 1, 2, 3, ... primes as bases (Jaeschke 1993; Jiang and
// Deng 2014), the last of which pass it for all up to 31.
TEST(IsPrime, StrongPseudoprimesAreComposite) {
  for (const std::uint64_t value : {2047u, 1373653u, 25326001u, 3215031751u}) EXPECT_FALSE(is_prime(value)) << value;
  for (const std::uint64_t value : {2152302898747u, 3474749660383u, 341550071728321u, 3825123056546413051u})
    EXPECT_FALSE(is_prime(value)) << value;
}

TEST(IsPrime, IsExactAtTheEndOfTheRange) {
  EXPECT_TRUE(is_prime(18446744073709551557u));  // the largest below 2^64
  EXPECT_FALSE(is_prime(18446744073709551615u));
  EXPECT_TRUE(is_prime(2305843009213693951u));        // 2^61 - 1
  EXPECT_FALSE(is_prime(4294967291u * 4294967279u));  // the two largest below 2^32
}

// 17, 97, 113, 193, 241 and 257 are the primes of the form 16 k + 1 up to 2^8 and the one above.
TEST(NttPrimes, AreAsManyAsWereAskedFor) {
  EXPECT_THAT(largest_ntt_primes(8, 16, 1, {}), ElementsAre(241));
  EXPECT_THAT(largest_ntt_primes(8, 16, 2, {}), ElementsAre(241, 193));
  EXPECT_THAT(largest_ntt_primes(8, 16, 9, {}), ElementsAre(241, 193));  // no more above 2^7
  EXPECT_THAT(largest_ntt_primes(8, 16, 0, {}), ElementsAre());
}

TEST(NttPrimes, TheLargestThatIsAllowedIsOne) {
  EXPECT_THAT(largest_ntt_primes(8, 16, 1, {}, 241), ElementsAre(241));
  EXPECT_THAT(largest_ntt_primes(8, 16, 1, {}, 240), ElementsAre(193));
}

TEST(NttPrimes, FiveTimesAFastOneFitsFiftyTwoBits) {
  EXPECT_LE(5 * kFastPrimeOf50Bits, std::uint64_t{1} << 52);
  EXPECT_GT(5 * (kFastPrimeOf50Bits + 1), std::uint64_t{1} << 52);
}

}  // namespace
}  // namespace tacit::params
