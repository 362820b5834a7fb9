#include "ring/uniform_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/cpu.h"
#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

base::Seed mixed_seed(std::uint8_t value) {
  base::Seed result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::uint8_t>(value + 37 * i);
  return result;
}

std::vector<std::uint64_t> row(const base::Seed& seed, std::uint64_t index, const Modulus& q, std::size_t n,
                               base::Isa isa = base::active_isa()) {
  std::vector<std::uint64_t> words(n);
  UniformRow(seed, index, q, isa).fill(0, words);
  return words;
}

// FIPS 197, appendix C.1: the plaintext as the seed's second half is what word 0 of row 0 encrypts.
TEST(UniformRow, StartsWithAesOfThePublishedBlock) {
  base::Seed published;
  for (std::size_t i = 0; i < 16; ++i) {
    published[i] = static_cast<std::uint8_t>(i);
    published[16 + i] = static_cast<std::uint8_t>(17 * i);
  }
  constexpr std::uint8_t kCipher[] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                      0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  std::uint64_t expected[2];
  std::memcpy(expected, kCipher, sizeof kCipher);
  for (const base::Isa isa : {base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma}) {
    if (!base::isa_supported(isa)) continue;
    for (const int bits : {20, 40, 50}) {
      const Modulus q = testing::largest_primes(bits, 16, 1)[0];
      const auto words = row(published, 0, q, 8, isa);
      EXPECT_EQ(words[0], expected[0] >> (64 - bits)) << base::isa_name(isa) << ", " << bits << " bits";
      EXPECT_EQ(words[1], expected[1] >> (64 - bits)) << base::isa_name(isa) << ", " << bits << " bits";
    }
    // A fifth of 2^52 less one: draws of 52 bits below five times it, modulo it.
    constexpr std::uint64_t kFifth = (std::uint64_t{1} << 52) / 5;
    static_assert(kFifth % 2 == 1 && 5 * kFifth + 1 == std::uint64_t{1} << 52);
    EXPECT_EQ(row(published, 0, Modulus(kFifth), 8, isa)[0], (expected[0] >> 12) % kFifth) << base::isa_name(isa);
  }
}

// 2^19 words of primes of 50 bits, of which one rejects nearly no draw and the other one in eight, and of shorter ones.
TEST(UniformRow, IsTheSameForEveryInstructionSet) {
  for (const base::Isa isa : {base::Isa::avx2, base::Isa::avx512ifma}) {
    if (!base::isa_supported(isa)) continue;
    for (const int bits : {20, 30, 48, 49, 50})
      for (const Modulus& q : {testing::largest_primes(bits, 1 << 10, 1)[0], testing::smallest_prime(bits, 1 << 10)})
        for (std::uint64_t index : {std::uint64_t{0}, (std::uint64_t{3} << 32) | 17}) {
          const std::size_t n = bits == 50 ? std::size_t{1} << 19 : std::size_t{1} << 12;
          ASSERT_EQ(row(mixed_seed(1), index, q, n, isa), row(mixed_seed(1), index, q, n, base::Isa::portable))
              << base::isa_name(isa) << ", q " << q.value();
        }
  }
}

TEST(UniformRow, AnyRunIsTheSameAsInTheWholeRow) {
  const Modulus q = testing::largest_primes(50, 1 << 12, 1)[0];
  constexpr std::size_t kN = 4096;
  const auto whole = row(mixed_seed(2), 5, q, kN);
  const UniformRow again(mixed_seed(2), 5, q);
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::size_t at = random() % (kN / 8) * 8, count = std::min<std::size_t>(kN - at, random() % 100 * 8);
    std::vector<std::uint64_t> run(count);
    again.fill(at, run);
    ASSERT_TRUE(std::equal(run.begin(), run.end(), whole.begin() + static_cast<std::ptrdiff_t>(at))) << at;
  }
}

TEST(UniformRow, RowsAndSeedsDiffer) {
  const Modulus q = testing::largest_primes(50, 16, 1)[0];
  const auto first = row(mixed_seed(3), 0, q, 64);
  base::Seed other = mixed_seed(3);
  other[31] ^= 1;
  const std::vector<std::vector<std::uint64_t>> others{row(mixed_seed(3), 1, q, 64),
                                                       row(mixed_seed(3), std::uint64_t{1} << 32, q, 64),
                                                       row(other, 0, q, 64), row(mixed_seed(4), 0, q, 64)};
  for (const auto& words : others)
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_NE(words[i], first[i]);
}

TEST(UniformRow, IsInRangeAndEven) {
  for (const std::uint64_t value : {std::uint64_t{786433}, (std::uint64_t{1} << 50) - 27}) {
    const auto words = row(mixed_seed(5), 9, Modulus(value), std::size_t{1} << 16);
    double mean = 0;
    std::vector<int> bins(16);
    for (const std::uint64_t word : words) {
      ASSERT_LT(word, value);
      const double x = static_cast<double>(word) / static_cast<double>(value);
      mean += x / static_cast<double>(words.size());
      ++bins[static_cast<std::size_t>(x * 16)];
    }
    EXPECT_NEAR(mean, 0.5, 6 * std::sqrt(1.0 / 12 / (1 << 16)));
    double chi2 = 0;
    for (const int count : bins) chi2 += (count - 4096.0) * (count - 4096.0) / 4096.0;
    EXPECT_LT(chi2, 50.0);  // 15 degrees of freedom: exceeded once in 10^5 for a fair source, and the seed is fixed
  }
}

}  // namespace
}  // namespace tacit::ring
