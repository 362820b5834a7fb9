#include "merkle/goldilocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacit::merkle::goldilocks {
namespace {

__extension__ using Wide = unsigned __int128;

/// Words around every power of two and every multiple of the modulus, where carries and borrows appear.
std::vector<std::uint64_t> words_at_edges() {
  std::vector<std::uint64_t> words{kModulus - 2, kModulus - 1, kModulus, kModulus + 1, kModulus + 2, ~std::uint64_t{0}};
  for (const int bit : {0, 1, 16, 31, 32, 33, 48, 62, 63})
    for (const int offset : {-2, -1, 0, 1, 2})
      words.push_back((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(offset));
  return words;
}

std::uint64_t residue(Wide value) { return static_cast<std::uint64_t>(value % kModulus); }

TEST(Goldilocks, HasTheNumbersOfTheField) {
  EXPECT_EQ(kModulus, 18446744069414584321u);
  EXPECT_EQ(kEpsilon, 4294967295u);
  EXPECT_EQ(residue((Wide{1} << 64)), kEpsilon);
  EXPECT_EQ(kGenerator, 7u);
  // 7 generates the group: p - 1 = 2^32 * 3 * 5 * 17 * 257 * 65537, and no power by a proper divisor of that is 1.
  for (const std::uint64_t prime : {2u, 3u, 5u, 17u, 257u, 65537u})
    EXPECT_NE(canonical(power(kGenerator, (kModulus - 1) / prime)), 1u) << prime;
  EXPECT_EQ(canonical(power(kGenerator, kModulus - 1)), 1u);
}

TEST(Goldilocks, ComputesAsIntegersModuloTheModulusOnAllWords) {
  for (const std::uint64_t a : words_at_edges()) {
    ASSERT_EQ(canonical(a), a % kModulus) << a;
    for (const std::uint64_t b : words_at_edges()) {
      ASSERT_EQ(canonical(add(a, b)), residue(Wide{a} + b)) << a << " + " << b;
      ASSERT_EQ(canonical(subtract(a, b)), residue(Wide{a} + 2 * Wide{kModulus} - b)) << a << " - " << b;
      ASSERT_EQ(canonical(multiply(a, b)), residue(Wide{a} * b)) << a << " * " << b;
      ASSERT_EQ(canonical(reduce(a, b)), residue((Wide{b} << 64) + a)) << a << " + 2^64 * " << b;
    }
  }
}

TEST(Goldilocks, RaisesToPowersAndInverts) {
  for (const std::uint64_t a : words_at_edges()) {
    std::uint64_t expected = 1;
    for (std::uint64_t exponent = 0; exponent <= 9; ++exponent) {
      ASSERT_EQ(canonical(power(a, exponent)), expected) << a << "^" << exponent;
      expected = residue(Wide{expected} * (a % kModulus));
    }
    const std::uint64_t product = residue(Wide{canonical(inverse(a))} * a);
    ASSERT_EQ(product, a % kModulus == 0 ? 0u : 1u) << a;
  }
  EXPECT_EQ(canonical(inverse(0)), 0u);
  EXPECT_EQ(canonical(power(2, 96)), kModulus - 1);
}

}  // namespace
}  // namespace tacit::merkle::goldilocks
