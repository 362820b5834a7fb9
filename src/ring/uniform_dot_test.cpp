#include "ring/uniform_dot.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;
constexpr std::uint64_t kLowBits = (std::uint64_t{1} << 52) - 1;

/// Sums of so many uniform terms and more products on words [at, at + n), against one product at a time.
void check_dot(const Modulus& q, std::size_t terms, std::size_t more0, std::size_t more1, std::size_t at,
               std::size_t n) {
  std::mt19937_64 random(terms + 10 * more0 + 100 * more1 + n);
  const std::size_t products = more0 + more1;
  std::vector<Words> left, right;
  for (std::size_t i = 0; i < terms + products; ++i) {
    left.push_back(testing::words(n, q, random));
    right.push_back(testing::words(n, q, random));
    if (i % 3 == 0) left.back().assign(n, q.value() - 1);
    // Of lazy words only 52 bits count.
    if (i % 3 == 1 && i < terms && base::active_isa() == base::Isa::avx512ifma)
      left.back().assign(n, ~std::uint64_t{0});
    if (i % 3 != 2) right.back().assign(n, q.value() - 1);
  }
  std::vector<UniformRow> uniform;
  std::vector<UniformTerm> sum;
  for (std::size_t i = 0; i < terms; ++i) uniform.emplace_back(base::Seed{std::uint8_t(i), 5}, i << 32, q);
  for (std::size_t i = 0; i < terms; ++i) sum.push_back({left[i].data(), right[i].data(), &uniform[i]});
  std::vector<ProductTerm> more;
  for (std::size_t i = 0; i < products; ++i)
    more.push_back({{left[terms + i].data(), i % 12}, right[terms + i].data()});

  Words expected[] = {Words(n, 0), Words(n, 0)}, out[] = {Words(n), Words(n)};
  const auto add = [&](std::size_t half, std::size_t k, std::uint64_t x, std::uint64_t y) {
    expected[half][k] = q.add(expected[half][k], q.mul(q.reduce(x & kLowBits), y));
  };
  for (std::size_t i = 0; i < terms; ++i) {
    Words words(n);
    uniform[i].fill(at, words);
    for (std::size_t k = 0; k < n; ++k) {
      add(0, k, left[i][k], right[i][k]);
      add(1, k, left[i][k], words[k]);
    }
  }
  for (std::size_t i = 0; i < products; ++i)
    for (std::size_t k = 0; k < n; ++k) add(i < more0 ? 0 : 1, k, left[terms + i][k >> (i % 12)], right[terms + i][k]);
  for (Words& half : expected)
    for (std::uint64_t& word : half) word = q.mul(word, q.inverse(q.reduce(std::uint64_t{1} << 52)));
  const std::span<const ProductTerm> all(more);
  const std::uint64_t* next[] = {left[0].data()};
  const std::string what = std::to_string(terms) + " terms, " + std::to_string(more0) + " and " +
                           std::to_string(more1) + " more, n " + std::to_string(n);
  uniform_dot_pair(out[0].data(), out[1].data(), sum, {all.first(more0), all.subspan(more0)}, at, n, q, next);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(out[k], expected[k]) << what;

  if (!std::has_single_bit(n) || n > limb::kPermutedWords) return;
  const limb::AffineMap map = {static_cast<std::uint32_t>(random() % 1024 * 2 + 1),
                               static_cast<std::uint32_t>(random() % n)};
  uniform_dot_pair(out[0].data(), out[1].data(), sum, {all.first(more0), all.subspan(more0)}, at, n, q, next, &map);
  for (std::size_t k = 0; k < 2; ++k) {
    Words permuted(n);
    limb::permute({permuted.data()}, expected[k].data(), map, n);
    for (std::uint64_t& word : out[k]) word = (word & kLowBits) % q.value();
    EXPECT_EQ(out[k], permuted) << what << ", permuted";
  }
}

TEST(UniformDotPair, EqualsOneProductAtATime) {
  for (const int bits : {20, 40, 47, 50})
    for (const Modulus& q : {testing::largest_primes(bits, 64, 1)[0], testing::smallest_prime(bits, 64)})
      for (const std::size_t terms : {1u, 2u, 4u, 5u, 10u, 70u})
        for (const std::size_t more : {0u, 1u, 3u}) {
          check_dot(q, terms, more, 0, 1024, 512);
          check_dot(q, terms, 1, more, 32, 96);
          check_dot(q, terms, 1, more, 64, 32);
        }
}

// All words are the largest there are, for as many terms as quotients below 2^52 allow, one fewer and one more.
TEST(UniformDotPair, StaysInItsBounds) {
  for (const int bits : {45, 48, 50}) {
    const Modulus q = testing::largest_primes(bits, 64, 1)[0];
    constexpr std::size_t kN = 64;
    const std::size_t most = (std::uint64_t{1} << 52) / q.value();
    const Words left(kN, base::active_isa() == base::Isa::avx512ifma ? ~std::uint64_t{0} : q.value() - 1);
    const Words right(kN, q.value() - 1);
    const UniformRow uniform(base::Seed{9}, 1, q);
    Words drawn(kN);
    uniform.fill(0, drawn);
    for (const std::size_t terms : {most / 2, most - 1, most, most + 1}) {
      if (terms == 0 || terms > 64) continue;
      const std::vector<UniformTerm> sum(terms, {left.data(), right.data(), &uniform});
      const ProductTerm product{limb::constant(right[0]), right.data()};
      Words out0(kN), out1(kN);
      uniform_dot_pair(out0.data(), out1.data(), sum, {std::span(&product, 1), {}}, 0, kN, q, {});
      const std::uint64_t half = q.inverse(q.reduce(std::uint64_t{1} << 52)), count = q.reduce(terms);
      const std::uint64_t word = q.mul(q.reduce(left[0] & kLowBits), count);
      const std::uint64_t expected = q.mul(q.add(q.mul(word, right[0]), q.mul(right[0], right[0])), half);
      for (std::size_t i = 0; i < kN; ++i) {
        ASSERT_EQ(out0[i], expected) << bits << " bits, " << terms << " terms";
        ASSERT_EQ(out1[i], q.mul(q.mul(word, drawn[i]), half)) << bits << " bits, " << terms << " terms";
      }
    }
  }
}

TEST(UniformDotPair, TakesRunsShorterThanATile) {
  const Modulus q = testing::largest_primes(50, 64, 1)[0];
  for (const std::size_t n : {8u, 24u, 40u}) check_dot(q, 2, 1, 1, 64, n);
  check_dot(q, 2, 1, 1, 8, 64);
}

}  // namespace
}  // namespace tacit::ring
