#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/refusal_for_test.h"
#include "params/bootstrap_schedule.h"
#include "params/small_ring_for_test.h"
#include "scheme/ckks/dft.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/rlwe/division.h"

// Residues of encodings and encryptions, which tolerances of decoded slots do not hold.
namespace tacit::scheme::ckks {
namespace {

using testing::Party;

params::CkksLiteral literal_of(bool real_slots, int log_n) {
  params::CkksLiteral literal = testing::small_literal(log_n, 3, 2);
  literal.real_slots = real_slots;
  return literal;
}

/// What a ciphertext holds besides a plaintext, by coefficient; the same number modulo every prime.
std::vector<std::int64_t> noise_of(const Party& party, const Ciphertext& ciphertext, const Plaintext& plaintext) {
  const rlwe::ModulusChain& chain = party.context->chain();
  const Plaintext decrypted = party.decryptor.decrypt_exactly(ciphertext);
  std::vector<std::int64_t> noise;
  for (std::size_t row = 0; row < decrypted.poly.limbs(); ++row) {
    const ring::Modulus& q = chain.modulus(row);
    ring::CoefficientPoly difference(chain.n(), 1);
    for (std::size_t k = 0; k < chain.n(); ++k)
      difference.limb(0)[k] = q.sub(decrypted.poly.limb(row)[k], plaintext.poly.limb(row)[k]);
    chain.ntt(row).inverse(difference.limb(0));
    std::vector<std::int64_t> centred;
    for (const std::uint64_t word : difference.limb_span(0))
      centred.push_back(word > q.value() / 2 ? -static_cast<std::int64_t>(q.value() - word)
                                             : static_cast<std::int64_t>(word));
    if (row == 0) noise = centred;
    EXPECT_EQ(centred, noise) << row;
  }
  return noise;
}

class ExactResidues : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Rings, ExactResidues, ::testing::Bool(),
                         [](const auto& real) { return real.param ? "real_slots" : "complex_slots"; });

TEST_P(ExactResidues, OfAConstantAreTheRoundedNumber) {
  const Party party(literal_of(GetParam(), 8));
  for (const auto& [value, integer] :
       {std::pair<double, std::int64_t>{0.75, std::int64_t{3} << 38}, {-0.75, -(std::int64_t{3} << 38)}, {0, 0}})
    for (const int level : {0, 3}) {
      const std::vector<double> slots(party.slots(), value);
      const Plaintext plain = party.encoder.encode(slots, level, 0x1p40);
      const Plaintext expanded = party.encoder.expand(party.encoder.compact(slots, level, 0x1p40));
      EXPECT_EQ(plain.level, level);
      EXPECT_EQ(expanded.scale, 0x1p40);
      ASSERT_EQ(plain.poly.limbs(), static_cast<std::size_t>(level) + 1);
      for (std::size_t row = 0; row < plain.poly.limbs(); ++row)
        for (std::size_t k = 0; k < plain.poly.n(); ++k) {
          ASSERT_EQ(plain.poly.limb(row)[k], party.context->chain().modulus(row).reduce_signed(integer));
          ASSERT_EQ(expanded.poly.limb(row)[k], plain.poly.limb(row)[k]);
        }
    }
}

TEST_P(ExactResidues, OfFreshCiphertextsAreThoseOfTheMessageAndOneSample) {
  const Party party(literal_of(GetParam(), 11));
  const Plaintext plain = party.encoder.encode(party.random(1), 2, 0x1p40);
  double squares = 0;
  for (const std::int64_t e : noise_of(party, party.symmetric.encrypt(plain), plain)) {
    ASSERT_LE(std::abs(e), 19);
    squares += static_cast<double>(e * e);
  }
  EXPECT_NEAR(squares / 2048, 3.19 * 3.19, 2);
}

// The special primes divide all samples away; two roundings are left, of which one meets the secret.
TEST_P(ExactResidues, OfPublicEncryptionsAreThoseOfTheMessageAndRoundings) {
  const Party party(literal_of(GetParam(), 8));
  const Plaintext plain = party.encoder.encode(party.random(1), 2, 0x1p40);
  double squares = 0;
  for (const std::int64_t e : noise_of(party, party.encryptor.encrypt(plain), plain)) {
    ASSERT_LE(std::abs(e), 256 + 1);
    squares += static_cast<double>(e * e);
  }
  // 1 / 12 for every rounding; two of three coefficients of the secret count, twice in the ring of real slots.
  const double one_rounding = 1.0 / 12, of_secret = 2.0 / 3 * 256 * (GetParam() ? 2 : 1);
  EXPECT_GT(squares / 256, 0.3 * one_rounding * of_secret);
  EXPECT_LT(squares / 256, 3 * one_rounding * of_secret);
}

TEST(TransformFactors, NameTheirOwnDiagonalsAlone) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const params::DftFactor factor = params::plan_bootstrap(literal, {}).coefficients_to_slots.back();
  const auto words = [](const params::DftFactor& changed) {
    return base::refusal<base::InternalError>(
        [&] { dft_diagonals(changed, DftDirection::coefficients_to_slots, 256); });
  };
  EXPECT_EQ(words(factor), base::kNotRefused);
  params::DftFactor fewer = factor, twice = factor;
  fewer.schedule.steps.pop_back();
  EXPECT_EQ(words(fewer), "a transform factor's schedule leaves out a diagonal");
  twice.schedule.steps.push_back(factor.schedule.steps[0]);
  EXPECT_EQ(words(twice), "a transform factor's schedule names a diagonal that it has not");
}

TEST(KeySwitches, TakeKeysOfTheirLevelOrAHigherOne) {
  const Party party(literal_of(false, 6));
  const rlwe::ModulusChain& chain = party.context->chain();
  const rlwe::SwitchingKey key = rlwe::SwitchingKey::generate(chain, party.secret.poly(), party.secret.poly(), 1);
  const Ciphertext x = party.encrypt(party.random(1), 2, party.scale());
  const auto words = [&](int level) {
    const rlwe::Digits digits(chain, x.c1, level);
    ring::NttPoly c0(64, rlwe::ModulusChain::rows(level)), c1(64, rlwe::ModulusChain::rows(level));
    return base::refusal<base::InternalError>([&] {
      rlwe::switch_key(chain, digits, key, {}, rlwe::Divisor::special, rlwe::copy_runs({&c0, &c1}));
    });
  };
  EXPECT_EQ(words(0), base::kNotRefused);
  EXPECT_EQ(words(1), base::kNotRefused);
  EXPECT_EQ(words(2), "a switching key for level 1 was used at level 2");
}

}  // namespace
}  // namespace tacit::scheme::ckks
