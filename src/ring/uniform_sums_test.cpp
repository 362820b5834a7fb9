#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ring/limb.h"
#include "ring/primes_for_test.h"
#include "ring/uniform_dot.h"
#include "ring/uniform_row.h"

namespace tacit::ring {
namespace {

using Row = base::AlignedVector<std::uint64_t>;
constexpr std::uint64_t kLow52 = (std::uint64_t{1} << 52) - 1;

/// All words as great as they may be, in so many uniform terms and so many products on either side that quotients by
/// 2^52 just stay below 2^52, and just do not.
TEST(UniformSums, OfTheGreatestWordsOnEitherSide) {
  constexpr std::size_t kN = 32;
  const bool lazy = base::active_isa() == base::Isa::avx512ifma;
  for (const Modulus& q : {testing::largest_primes(48, 64, 1)[0], testing::smallest_prime(50, 64),
                           testing::largest_primes(50, 64, 1)[0]}) {
    const std::uint64_t top = q.value() - 1, of_left = lazy ? kLow52 : top;
    const Row left(kN, lazy ? ~std::uint64_t{0} : top), right(kN, top);
    const UniformRow uniform(base::Seed{4}, 2, q);
    Row drawn(kN);
    uniform.fill(64, drawn);
    const std::uint64_t divided = q.inverse(q.reduce(std::uint64_t{1} << 52));
    const limb::AffineMap map{13, 5};
    for (std::size_t terms = 1; terms <= 17; ++terms)
      for (const auto& [more0, more1] : {std::pair<std::size_t, std::size_t>{0, 0},
                                         {1, 0},
                                         {0, 1},
                                         {2, 1},
                                         {1, 2},
                                         {3, 0},
                                         {0, 3},
                                         {7, 0},
                                         {0, 7},
                                         {15, 0},
                                         {0, 15},
                                         {40, 40}}) {
        const std::vector<UniformTerm> sum(terms, {left.data(), right.data(), &uniform});
        const std::vector<ProductTerm> more(40, {limb::constant(right[0]), right.data()});
        const auto total = [&](std::uint64_t other, std::size_t products) {
          const std::uint64_t term = q.mul(q.mul(q.reduce(of_left), other), q.reduce(terms));
          return q.mul(q.add(term, q.mul(q.mul(top, top), q.reduce(products))), divided);
        };
        Row expected[2] = {Row(kN, total(top, more0)), Row(kN)}, out[2] = {Row(kN), Row(kN)};
        for (std::size_t i = 0; i < kN; ++i) expected[1][i] = total(drawn[i], more1);
        const std::array<std::span<const ProductTerm>, 2> products{std::span(more).first(more0),
                                                                   std::span(more).first(more1)};
        uniform_dot_pair(out[0].data(), out[1].data(), sum, products, 64, kN, q, {});
        for (std::size_t half = 0; half < 2; ++half)
          ASSERT_EQ(out[half], expected[half])
              << fmt::format("{} terms, {} and {} more, q {}", terms, more0, more1, q.value());
        uniform_dot_pair(out[0].data(), out[1].data(), sum, products, 64, kN, q, {}, &map);
        for (std::size_t half = 0; half < 2; ++half) {
          Row permuted(kN);
          limb::permute({permuted.data()}, expected[half].data(), map, kN);
          for (std::uint64_t& word : out[half]) word = (word & kLow52) % q.value();
          ASSERT_EQ(out[half], permuted) << fmt::format("{} terms, {} and {} more, q {}, permuted", terms, more0, more1,
                                                        q.value());
        }
      }
  }
}

TEST(LimbSums, OfPairsAreThoseOfEachAlone) {
  const Modulus q = testing::largest_primes(50, 64, 1)[0];
  std::mt19937_64 random(3);
  constexpr std::size_t kN = 48, kCount = 3, kPairs = 2;
  std::vector<Row> rows;
  for (int i = 0; i < 12; ++i) rows.push_back(testing::words(kN, q, random));
  std::vector<limb::FactorRow> factors;
  for (std::size_t k = 0; k < kPairs * kCount; ++k) factors.push_back({rows[k].data()});
  const std::vector<const std::uint64_t*> b0{rows[6].data(), rows[7].data(), rows[8].data()},
      b1{rows[9].data(), rows[10].data(), rows[11].data()};
  std::vector<Row> expected(2 * kPairs, Row(kN)), out = expected;
  for (std::size_t p = 0; p < kPairs; ++p) {
    const auto own = std::span(factors).subspan(p * kCount, kCount);
    limb::dot(expected[2 * p].data(), own, b0, kN, q);
    limb::dot(expected[2 * p + 1].data(), own, b1, kN, q);
  }
  std::vector<std::uint64_t*> to;
  for (Row& row : out) to.push_back(row.data());
  limb::dot_pairs(to, factors, b0, b1, kN, q);
  EXPECT_EQ(out, expected);
  Row first(kN), second(kN);
  limb::dot_pair(first.data(), second.data(), std::span(factors).first(kCount), b0, b1, kN, q);
  EXPECT_EQ(first, expected[0]);
  EXPECT_EQ(second, expected[1]);
  EXPECT_GE(limb::pairs_together(), 1u);
  // A constant stands at the last position, too.
  const std::uint64_t word = 7;
  const limb::FactorRow constant[] = {limb::constant(word)};
  EXPECT_EQ(constant[0].at((std::size_t{1} << 40) + 5), &word);
  const std::uint64_t* other[] = {rows[0].data()};
  limb::dot(first.data(), constant, other, kN, q);
  for (std::size_t i = 0; i < kN; ++i) ASSERT_EQ(first[i], q.mul(7, rows[0][i]));
  for (const bool around : {false, true}) {
    limb::copy({second.data(), around}, rows[1].data(), kN);
    EXPECT_EQ(second, rows[1]);
  }
}

}  // namespace
}  // namespace tacit::ring
