#include "scheme/rlwe/switching_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/refusal_for_test.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::rlwe {
namespace {

using base::refusal;
using ckks::testing::Party;

params::CkksLiteral pairs_of_primes(int log_n) {
  params::CkksLiteral literal = ckks::testing::small_literal(log_n, 5, 2);
  literal.digits = {2, 2, 2};
  return literal;
}

std::vector<std::uint64_t> filled(const ring::UniformRow& row, std::size_t n) {
  std::vector<std::uint64_t> words(n);
  row.fill(0, words);
  return words;
}

// Keys and ciphertexts in files hold seeds, so that these rows are part of their format.
TEST(UniformRows, AreNumberedByPolynomialAndPrime) {
  const Party party(pairs_of_primes(6));
  const ModulusChain& chain = party.context->chain();
  const base::Seed seed{1, 2, 3};
  const auto expanded = [&](std::uint64_t number, std::size_t prime) {
    return filled(ring::UniformRow(seed, number, chain.modulus(prime)), 64);
  };
  EXPECT_EQ(filled(uniform_row(chain, seed, 0, 0), 64), expanded(0, 0));
  EXPECT_EQ(filled(uniform_row(chain, seed, 0, 3), 64), expanded(3, 3));
  EXPECT_EQ(filled(uniform_row(chain, seed, 5, 3), 64), expanded((std::uint64_t{5} << 32) + 3, 3));
  EXPECT_EQ(filled(uniform_row(chain, seed, 1, 7), 64), expanded((std::uint64_t{1} << 32) + 7, 7));
  const SwitchingKey key = SwitchingKey::generate(chain, party.secret.poly(), party.secret.poly(), 3);
  ASSERT_EQ(key.digits(), 2u);
  for (const int level : {1, 3})
    for (std::size_t digit = 0; digit < chain.digits(level); ++digit)
      for (std::size_t row = 0; row < chain.extended_rows(level); ++row) {
        const std::size_t prime = chain.prime_of(level, row);
        EXPECT_EQ(filled(key.a(chain, digit, level, row), 64),
                  filled(uniform_row(chain, key.seed(), digit, prime), 64));
      }
}

// 2^52 (e + P g from) = b + a to, with one small e for all rows of a digit.
TEST(SwitchingKeys, HoldTheirMessageWithGaussianNoise) {
  const Party party(pairs_of_primes(10)), other(pairs_of_primes(10));
  const ModulusChain& chain = party.context->chain();
  constexpr std::size_t kN = 1024;
  constexpr int kLevel = 4;
  const SwitchingKey key = SwitchingKey::generate(chain, other.secret.poly(), party.secret.poly(), kLevel);
  ASSERT_EQ(key.digits(), 3u);
  double squares = 0;
  for (std::size_t digit = 0; digit < 3; ++digit) {
    std::vector<std::int64_t> first;
    for (std::size_t row = 0; row < chain.extended_rows(kLevel); ++row) {
      const std::size_t prime = chain.prime_of(kLevel, row);
      const ring::Modulus& q = chain.modulus(prime);
      const std::uint64_t back = q.inverse(q.pow(2, 52));
      const bool own = row >= 2 * digit && row < std::min<std::size_t>(2 * digit + 2, kLevel + 1);
      const std::vector<std::uint64_t> a = filled(key.a(chain, digit, kLevel, row), kN);
      ring::CoefficientPoly noise(kN, 1);
      for (std::size_t k = 0; k < kN; ++k) {
        std::uint64_t word = q.add(key.b(digit, kLevel, row)[k], q.mul(a[k], party.secret.poly().limb(prime)[k]));
        word = q.mul(word, back);
        if (own) word = q.sub(word, q.mul(chain.key_factor(row), other.secret.poly().limb(prime)[k]));
        noise.limb(0)[k] = word;
      }
      chain.ntt(prime).inverse(noise.limb(0));
      std::vector<std::int64_t> centred;
      for (const std::uint64_t word : noise.limb_span(0))
        centred.push_back(word > q.value() / 2 ? -static_cast<std::int64_t>(q.value() - word)
                                               : static_cast<std::int64_t>(word));
      if (row == 0) first = centred;
      ASSERT_EQ(centred, first) << digit << ", " << row;
    }
    for (const std::int64_t e : first) {
      ASSERT_LE(std::abs(e), 19);
      squares += static_cast<double>(e * e);
    }
  }
  EXPECT_NEAR(squares / (3 * kN), 3.19 * 3.19, 1.5);
}

TEST(SwitchingKeys, AreRefusedInAnotherShape) {
  const Party party(pairs_of_primes(6));
  const ModulusChain& chain = party.context->chain();
  const auto words = [&](int level, std::size_t digits, std::size_t n, std::size_t rows) {
    std::vector<ring::NttPoly> b;
    for (std::size_t digit = 0; digit < digits; ++digit) b.emplace_back(n, rows);
    return refusal([&] { SwitchingKey(chain, level, base::Seed{}, std::move(b)); });
  };
  const std::size_t low = chain.extended_rows(1), top = chain.extended_rows(5);
  EXPECT_EQ(words(1, 1, 64, low), base::kNotRefused);
  EXPECT_EQ(words(0, 1, 64, chain.extended_rows(0)), base::kNotRefused);
  EXPECT_EQ(words(5, 3, 64, top), base::kNotRefused);
  const std::string refused = "switching key: its digits and rows do not fit the parameter set";
  EXPECT_EQ(words(-1, 1, 64, low), refused);
  EXPECT_EQ(words(6, 3, 64, top), refused);
  EXPECT_EQ(words(5, 2, 64, top), refused);
  EXPECT_EQ(words(1, 2, 64, low), refused);
  EXPECT_EQ(words(5, 3, 32, top), refused);
  EXPECT_EQ(words(5, 3, 64, top - 1), refused);
  EXPECT_EQ(words(5, 3, 64, top + 1), refused);
}

// The rows and digits that are left are those of the whole key, at their new places.
TEST(SwitchingKeys, WithoutSomePrimesShareTheirWords) {
  const Party party(pairs_of_primes(6));
  const ModulusChain& chain = party.context->chain();
  const auto make = [&](int level) {
    return SwitchingKey::generate(chain, party.secret.poly(), party.secret.poly(), level);
  };
  const SwitchingKey key = make(5);
  const auto one = ckks::Context::make(party.context->parameters().without(2, 1));
  const auto two = ckks::Context::make(party.context->parameters().without(2, 2));
  const auto same = [&](const ModulusChain& part, const SwitchingKey& result, const std::vector<std::size_t>& digits,
                        std::size_t missing) {
    ASSERT_EQ(result.digits(), digits.size());
    for (const int level : {result.level(), 1})
      for (std::size_t digit = 0; digit < part.digits(level); ++digit)
        for (std::size_t row = 0; row < part.extended_rows(level); ++row) {
          const bool special = row > static_cast<std::size_t>(level);
          const std::size_t held = special ? row - static_cast<std::size_t>(level) + 5 : row < 2 ? row : row + missing;
          EXPECT_EQ(result.b(digit, level, row), key.b(digits[digit], 5, held)) << digit << ", " << row;
          EXPECT_EQ(filled(result.a(part, digit, level, row), 64), filled(key.a(chain, digits[digit], 5, held), 64));
        }
  };
  const SwitchingKey without_one = key.without(chain, one->chain(), 2, 1);
  EXPECT_EQ(without_one.level(), 4);
  same(one->chain(), without_one, {0, 1, 2}, 1);
  const SwitchingKey without_two = key.without(chain, two->chain(), 2, 2);
  EXPECT_EQ(without_two.level(), 3);
  same(two->chain(), without_two, {0, 2}, 2);
  // Keys that end below the missing primes, or among them, or just above.
  EXPECT_EQ(make(1).without(chain, two->chain(), 2, 2).level(), 1);
  EXPECT_EQ(make(0).without(chain, two->chain(), 2, 2).level(), 0);
  EXPECT_EQ(make(2).without(chain, two->chain(), 2, 2).level(), 1);
  EXPECT_EQ(make(3).without(chain, two->chain(), 2, 2).level(), 1);
  EXPECT_EQ(make(4).without(chain, two->chain(), 2, 2).level(), 2);
}

TEST(SwitchingKeys, LieWithACacheLineBetweenTheirRowsWhereTheyArePlaced) {
  const Party party(pairs_of_primes(6));
  const ModulusChain& chain = party.context->chain();
  const SwitchingKey key = SwitchingKey::generate(chain, party.secret.poly(), party.secret.poly(), 5);
  const std::size_t rows = chain.extended_rows(5);
  EXPECT_EQ(key.bytes(), 3 * rows * 64 * 8);
  EXPECT_EQ(key.placed_words(), 3 * rows * (64 + 8));
  base::AlignedVector<std::uint64_t> room(key.placed_words());
  const SwitchingKey written = key.placed(room, nullptr, true), found = key.placed(room, nullptr, false);
  for (std::size_t digit = 0; digit < 3; ++digit)
    for (std::size_t row = 0; row < rows; ++row)
      for (const SwitchingKey* placed : {&written, &found}) {
        EXPECT_EQ(placed->b(digit, 5, row), room.data() + (digit * rows + row) * (64 + 8));
        EXPECT_TRUE(std::equal(key.b(digit, 5, row), key.b(digit, 5, row) + 64, placed->b(digit, 5, row)));
      }
  for (const std::size_t words : {key.placed_words() - 8, key.placed_words() + 8}) {
    base::AlignedVector<std::uint64_t> other(words);
    EXPECT_EQ(refusal<base::InternalError>([&] { key.placed(other, nullptr, true); }),
              "a key was given room of another size");
  }
}

TEST(SecretKeys, HaveOneSmallCoefficientForEveryPower) {
  const Party party(pairs_of_primes(6));
  const auto words = [&](std::size_t count, int last) {
    std::vector<std::int8_t> coefficients(count, -1);
    coefficients.back() = static_cast<std::int8_t>(last);
    return refusal([&] { SecretKey(party.context->chain(), party.context->parameters().hash(), coefficients); });
  };
  for (const int last : {-1, 0, 1}) EXPECT_EQ(words(64, last), base::kNotRefused);
  const std::string refused = "secret key: expected 64 coefficients of -1, 0 or 1";
  EXPECT_EQ(words(64, 2), refused);
  EXPECT_EQ(words(64, -2), refused);
  EXPECT_EQ(words(63, 0), refused);
  EXPECT_EQ(words(65, 0), refused);
}

}  // namespace
}  // namespace tacit::scheme::rlwe
