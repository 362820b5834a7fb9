#include "scheme/rlwe/modulus_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/refusal_for_test.h"
#include "params/ckks_parameters.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/rlwe/combination.h"
#include "scheme/rlwe/division.h"

namespace tacit::scheme::rlwe {
namespace {

using base::refusal;
using Sizes = std::vector<std::size_t>;

/// Six ciphertext primes and two special ones of the ring of degree 64.
struct Primes {
  const params::CkksParameters parameters = params::CkksParameters::check(ckks::testing::small_literal(6, 5, 2));
  ModulusChain chain(const Sizes& digits, const Sizes& special) const {
    return {64, parameters.q(), parameters.p(), digits, special};
  }
};

TEST(ModulusChain, SplitsItsPrimesIntoDigitsOfEveryLevel) {
  const ModulusChain chain = Primes().chain({2, 1, 3}, {1, 1, 2, 2, 2, 2});
  EXPECT_EQ(chain.max_level(), 5);
  EXPECT_EQ(chain.primes(), 8u);
  const std::size_t digits[] = {1, 1, 2, 3, 3, 3}, of[] = {0, 0, 1, 2, 2, 2}, last[] = {1, 2, 3, 4, 5, 6};
  for (int level = 0; level <= 5; ++level) {
    const auto row = static_cast<std::size_t>(level);
    EXPECT_EQ(ModulusChain::rows(level), row + 1);
    EXPECT_EQ(chain.digits(level), digits[row]) << level;
    EXPECT_EQ(chain.digit_of(row), of[row]) << level;
    EXPECT_EQ(chain.digit_last(level, digits[row] - 1), last[row]) << level;
    EXPECT_EQ(chain.special_primes(level), level < 2 ? 1u : 2u);
    EXPECT_EQ(chain.extended_rows(level), row + 1 + (level < 2 ? 1 : 2));
    EXPECT_EQ(chain.spares(level), level < 2);
  }
  EXPECT_EQ(chain.digit_first(0), 0u);
  EXPECT_EQ(chain.digit_first(1), 2u);
  EXPECT_EQ(chain.digit_first(2), 3u);
  EXPECT_EQ(chain.digit_last(5, 0), 2u);
  EXPECT_EQ(chain.digit_last(5, 1), 3u);
  EXPECT_EQ(chain.prime_of(1, 1), 1u);
  EXPECT_EQ(chain.prime_of(1, 2), 6u);
  EXPECT_EQ(chain.prime_of(3, 3), 3u);
  EXPECT_EQ(chain.prime_of(3, 4), 6u);
  EXPECT_EQ(chain.prime_of(3, 5), 7u);
}

TEST(ModulusChain, PrecomputesProductsAndInverses) {
  const Primes primes;
  const ModulusChain chain = primes.chain({2, 1, 3}, {1, 1, 2, 2, 2, 2});
  const std::vector<std::uint64_t>& p = primes.parameters.p();
  EXPECT_EQ(chain.special_values(1), std::vector<std::uint64_t>{p[0]});
  EXPECT_EQ(chain.special_values(2), p);
  for (int level = 0; level <= 5; ++level)
    for (std::size_t row = 0; row <= static_cast<std::size_t>(level); ++row) {
      const ring::Modulus& q = chain.modulus(row);
      const std::uint64_t first = q.reduce(p[0]), second = q.reduce(p[1]), all = q.mul(first, second);
      const std::uint64_t of_level = level < 2 ? first : all;
      EXPECT_EQ(chain.key_factor(row), all);
      EXPECT_EQ(chain.special_product(level, row), of_level);
      EXPECT_EQ(q.mul(chain.divide_factor(level, row), of_level), 1u);
      EXPECT_EQ(q.mul(chain.digit_factor(level, row), all), of_level);
      if (row == static_cast<std::size_t>(level)) continue;
      const std::uint64_t last = q.reduce(chain.modulus(static_cast<std::size_t>(level)).value());
      EXPECT_EQ(q.mul(chain.rescale_factor(level, row), last), 1u);
      EXPECT_EQ(q.mul(chain.divide_rescale_factor(level, row), q.mul(last, of_level)), 1u);
    }
}

TEST(ModulusChain, RefusesDigitsAndSpecialPrimesThatAreNotThere) {
  const Primes primes;
  const auto words = [&](const Sizes& digits, const Sizes& special) {
    return refusal([&] { primes.chain(digits, special); });
  };
  const Sizes twos{2, 2, 2}, both(6, 2);
  EXPECT_EQ(words(twos, both), base::kNotRefused);
  EXPECT_EQ(words(twos, {1, 1, 1, 1, 1, 1}), base::kNotRefused);
  EXPECT_EQ(words({2, 2, 1}, both), "modulus chain: the digits hold 5 primes in all and there are 6");
  EXPECT_EQ(words({2, 2, 3}, both), "modulus chain: the digits hold 7 primes in all and there are 6");
  EXPECT_EQ(words({3, 0, 3}, both), "modulus chain: the digits hold 6 primes in all and there are 6");
  for (const Sizes& special :
       {Sizes(5, 2), Sizes(7, 2), Sizes{1, 2, 1, 2, 2, 2}, Sizes{0, 1, 1, 2, 2, 2}, Sizes{1, 1, 2, 2, 2, 3}})
    EXPECT_EQ(words(twos, special),
              "modulus chain: the numbers of special primes of 6 levels are not 1 to 2 and rising");
}

// Constants near multiples of the divisor: what is left of them is known to the last unit.
TEST(Divisions, BySpecialPrimesRoundToTheNearest) {
  const ModulusChain chain = Primes().chain({2, 1, 3}, {1, 1, 2, 2, 2, 2});
  for (const int level : {1, 2, 5})
    for (const Divisor divisor : {Divisor::special, Divisor::special_and_last})
      for (const std::int64_t quotient : {0, 1, -1, 98765})
        for (const std::int64_t rest : {0, 1, -1, 123456789, -123456789}) {
          const std::size_t all = chain.extended_rows(level), rows = ModulusChain::rows(level);
          const std::size_t kept = divisor == Divisor::special ? rows : rows - 1;
          ring::NttPoly value(64, all), result(64, kept);
          for (std::size_t row = 0; row < all; ++row) {
            const ring::Modulus& q = chain.modulus(chain.prime_of(level, row));
            std::uint64_t product = q.reduce_signed(quotient);
            for (std::size_t k = kept; k < all; ++k)
              product = q.mul(product, q.reduce(chain.modulus(chain.prime_of(level, k)).value()));
            std::ranges::fill(value.limb_span(row), q.add(product, q.reduce_signed(rest)));
          }
          const ring::NttPoly* polys[] = {&value};
          divide(chain, level, polys, divisor, copy_runs({&result}));
          for (std::size_t row = 0; row < kept; ++row)
            for (std::size_t k = 0; k < 64; ++k)
              ASSERT_EQ(result.limb(row)[k], chain.modulus(row).reduce_signed(quotient))
                  << level << ", " << quotient << ", " << rest;
        }
}

TEST(Combinations, ResiduesOfSignedNumbersAreThoseOfIntegers) {
  const ring::Modulus q((std::uint64_t{1} << 40) - 87);
  const Int128 many = Int128{5} * static_cast<Int128>(q.value());
  EXPECT_EQ(residue(0, q), 0u);
  EXPECT_EQ(residue(3, q), 3u);
  EXPECT_EQ(residue(-1, q), q.value() - 1);
  EXPECT_EQ(residue(many + 3, q), 3u);
  EXPECT_EQ(residue(-(many + 3), q), q.value() - 3);
  EXPECT_EQ(residue(-many, q), 0u);
  EXPECT_EQ(residue(Int128{1} << 100, q), q.pow(2, 100));
  EXPECT_EQ(residue(-(Int128{1} << 100), q), q.negate(q.pow(2, 100)));
}

TEST(Combinations, RowsAreWeightedProductsMultiplesAndAConstant) {
  const ModulusChain chain = Primes().chain({2, 2, 2}, Sizes(6, 2));
  ring::NttPoly x(64, 6), y(64, 6), z(64, 6);
  std::uint64_t number = 1;
  for (ring::NttPoly* poly : {&x, &y, &z})
    for (std::size_t row = 0; row < 6; ++row)
      for (std::uint64_t& word : poly->limb_span(row)) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        word = number % chain.modulus(row).value();
      }
  EXPECT_TRUE(Combination{}.empty());
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{3}})
    for (const std::int64_t constant : {0, 7, -7}) {
      Combination sum;
      sum.constant = constant;
      EXPECT_EQ(sum.empty(), constant == 0);
      sum.multiples = {{&z, -5}};
      EXPECT_FALSE(sum.empty());
      sum.products = {{&x, &y}, {&x, &z}};
      sum.weight = weight;
      for (std::size_t row = 0; row < 6; ++row) {
        const ring::Modulus& q = chain.modulus(row);
        std::vector<std::uint64_t> out(64);
        evaluate_row(chain, sum, row, out.data());
        for (std::size_t k = 0; k < 64; ++k) {
          const std::uint64_t a = x.limb(row)[k], b = y.limb(row)[k], c = z.limb(row)[k];
          const std::uint64_t products = q.mul(q.add(q.mul(a, b), q.mul(a, c)), weight);
          const std::uint64_t expected = q.add(q.sub(products, q.mul(5, c)), q.reduce_signed(constant));
          ASSERT_EQ(out[k], expected) << row << ", " << k;
        }
      }
    }
}

}  // namespace
}  // namespace tacit::scheme::rlwe
