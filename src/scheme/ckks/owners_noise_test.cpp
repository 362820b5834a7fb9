#include <gtest/gtest.h>

#include <cmath>

#include "params/noise.h"
#include "scheme/ckks/owners_for_test.h"
#include "scheme/ckks/serialize.h"
#include "scheme/ckks/subring.h"

namespace tacit::scheme::ckks {
namespace {

using testing::Owners;

// One special prime as large as a digit, so that the errors of keys are seen beside the roundings.
params::CkksLiteral tight_of_parts(bool real_slots) {
  return {.name = "tight",
          .log_n = 12,
          .q_bits = {45, 40, 40},
          .p_bits = {45},
          .log_scale = 40,
          .insecure = true,
          .digits = {1, 1, 1},
          .real_slots = real_slots};
}

std::vector<double> uniform_reals(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(engine);
  return values;
}

template <class F>
double rms_of(int repetitions, const F& once) {
  double sum = 0;
  for (int i = 0; i < repetitions; ++i) sum += std::pow(once(static_cast<std::uint64_t>(i)), 2);
  return std::sqrt(sum / repetitions);
}

/// Over the number of parts, and both rings.
class OwnersNoise : public ::testing::TestWithParam<std::tuple<int, bool>> {};
INSTANTIATE_TEST_SUITE_P(Parts, OwnersNoise, ::testing::Combine(::testing::Values(1, 2, 3, 5, 10), ::testing::Bool()),
                         [](const auto& of) {
                           return std::to_string(std::get<0>(of.param)) +
                                  (std::get<1>(of.param) ? "_real_slots" : "_complex_slots");
                         });

TEST_P(OwnersNoise, FollowsTheFormulas) {
  const auto [parts, real_slots] = GetParam();
  const Owners owners(tight_of_parts(real_slots), parts, testing::manifest_without_conjugation(2, {1}));
  const params::CkksParameters& p = owners.context->parameters();
  const Evaluator evaluator(owners.context, owners.keys);
  const Encryptor encryptor(owners.context, owners.public_key);
  const std::size_t slots = p.slots();
  const auto encrypt = [&](std::uint64_t seed, int level, double scale) {
    return encryptor.encrypt(owners.encoder.encode(uniform_reals(slots, seed), level, scale));
  };
  const double open = rms_of(6, [&](std::uint64_t i) {
    return testing::deviation(owners.decrypt(encrypt(i, 1, p.scale())), uniform_reals(slots, i));
  });
  EXPECT_NEAR(open / params::public_encryption_noise(p, p.scale()), 1, 0.05);
  const double rotated = rms_of(6, [&](std::uint64_t i) {
    const Ciphertext fresh = encrypt(i, 2, p.scale());
    return testing::deviation(owners.decrypt(evaluator.rotate(fresh, 1)), testing::rotated(owners.decrypt(fresh), 1));
  });
  EXPECT_NEAR(rotated / params::key_switch_noise(p, 2, p.scale()), 1, 0.05);
  // At a scale at which products of decryptions are exact enough, and the errors of the key are seen.
  double scale = 0;
  const double multiplied = rms_of(6, [&](std::uint64_t i) {
    const Ciphertext a = encrypt(i, 2, 0x1p34), b = encrypt(i + 100, 2, 0x1p34);
    const std::vector<double> x = owners.decrypt(a), y = owners.decrypt(b);
    std::vector<double> product;
    for (std::size_t k = 0; k < slots; ++k) product.push_back(x[k] * y[k]);
    const Ciphertext c = evaluator.multiply(a, b);
    scale = c.scale;
    return testing::deviation(owners.decrypt(c), product);
  });
  EXPECT_NEAR(multiplied / params::multiply_noise(p, 2, scale), 1, 0.05);
}

/// Deviation of the coefficients of b + a s - P g s^2 modulo the first prime, for the first digit of a key.
double error_of(const Owners& owners, const rlwe::SwitchingKey& key) {
  const rlwe::ModulusChain& chain = owners.context->product_chain();
  const ring::Modulus& q = chain.modulus(0);
  const std::size_t n = chain.n();
  std::vector<std::uint64_t> secret(n), error(n);
  for (const SubSecret& part : owners.secrets)
    for (std::size_t i = 0; i < n; ++i) secret[i] = q.add(secret[i], part.key().poly().limb(0)[i]);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t a = q.mul(key.held_a(0, key.level(), 0)[i], q.words().two52_inverse);
    const std::uint64_t b = q.mul(key.b(0, key.level(), 0)[i], q.words().two52_inverse);
    const std::uint64_t square = q.mul(q.mul(secret[i], secret[i]), chain.key_factor(0));
    error[i] = q.sub(q.add(b, q.mul(a, secret[i])), square);
  }
  base::AlignedVector<std::uint64_t> words(error.begin(), error.end());
  chain.ntt(0).inverse(words.data());
  double sum = 0;
  for (const std::uint64_t word : words) {
    const double centred = word > q.value() / 2 ? -static_cast<double>(q.value() - word) : static_cast<double>(word);
    sum += centred * centred;
  }
  return std::sqrt(sum / static_cast<double>(n));
}

TEST_P(OwnersNoise, OfTheRelinearisationKeyFollowsTheFormula) {
  const auto [parts, real_slots] = GetParam();
  const Owners owners(tight_of_parts(real_slots), parts, {});
  const double terms = static_cast<double>(owners.context->parameters().n()) * (real_slots ? 2 : 1);
  const double expected = 3.19 * std::sqrt(parts * (1 + 4 * parts * terms / 3));
  EXPECT_NEAR(error_of(owners, owners.relinearisation(2)) / expected, 1, 0.05);
}

// Digits of three primes of 40 bits, divided by 90 bits and a prime of 40: their margin is 10 bits, which hide the
// error of a key of one secret. That of a key of ten parts is 2^9.5 times as large.
TEST(OwnersNoise, OfTheRelinearisationKeyMakesItsDigitsSmaller) {
  params::CkksLiteral literal = tight_of_parts(false);
  literal.q_bits = {40, 40, 40, 40};
  literal.p_bits = {45, 45};
  literal.digits = {};
  literal.log_scale = 30;
  EXPECT_EQ(params::CkksParameters::check(literal).product_gadget().digits, (std::vector<std::size_t>{3, 1}));
  literal.parts = 10;
  EXPECT_EQ(params::CkksParameters::check(literal).product_gadget().digits, (std::vector<std::size_t>{2, 2}));
}

TEST(OwnersNoise, OfAFloodIsThatOfAllParts) {
  for (const int parts : {1, 2, 10}) {
    const Owners owners(testing::small_literal(12, 1, 1), parts, {});
    const Encryptor encryptor(owners.context, owners.public_key);
    const testing::Party receiver(owners.context->parameters().literal());
    const double flood = 0x1p30;
    const ResultSharing sharing(owners.context, receiver.public_key, flood);
    const std::vector<double> message = uniform_reals(owners.context->parameters().slots(), 7);
    const double scale = 0x1p45;
    const double deviation = rms_of(16, [&](std::uint64_t) {
      const Ciphertext result = encryptor.encrypt(owners.encoder.encode(message, 1, scale));
      std::vector<std::vector<std::uint8_t>> shares;
      for (const SubSecret& secret : owners.secrets) shares.push_back(sharing.share(secret, result));
      const std::vector<std::span<const std::uint8_t>> views(shares.begin(), shares.end());
      return testing::deviation(receiver.decrypt(sharing.combine(result, views)), message);
    });
    const double expected =
        params::slot_deviation(owners.context->parameters(), flood * std::sqrt(static_cast<double>(parts)), scale);
    EXPECT_NEAR(deviation / expected, 1, 0.02) << parts;
  }
}

// Messages that repeat eight times: one coefficient in eight of the first half is sent, and has the noise of a whole
// one. A slot has that of an eighth of the coefficients.
TEST(OwnersNoise, OfThinSharesIsThatOfTheirCoefficients) {
  constexpr int kLogGap = 3;
  const Owners owners(testing::small_literal(12, 1, 1), 2, {});
  const Encryptor encryptor(owners.context, owners.public_key);
  const testing::Party receiver(owners.context->parameters().literal());
  const double flood = 0x1p30, scale = 0x1p45;
  const ResultSharing thin(owners.context, receiver.public_key, flood, kLogGap);
  const std::size_t slots = owners.context->parameters().slots();
  const std::vector<double> once = uniform_reals(slots >> kLogGap, 7);
  std::vector<double> message;
  while (message.size() < slots) message.insert(message.end(), once.begin(), once.end());
  const double deviation = rms_of(64, [&](std::uint64_t) {
    Ciphertext result = encryptor.encrypt(owners.encoder.encode(message, 1, scale));
    const auto combined = [&](const Ciphertext& of) {
      std::vector<std::vector<std::uint8_t>> shares;
      for (const SubSecret& secret : owners.secrets) shares.push_back(thin.share(secret, of));
      const std::vector<std::span<const std::uint8_t>> views(shares.begin(), shares.end());
      return thin.combine(of, views);
    };
    const Ciphertext from_whole = combined(result);
    EXPECT_EQ(from_whole.log_gap, kLogGap);
    const Ciphertext from_thin = combined(thinned(*owners.context, result, kLogGap));
    EXPECT_EQ(serialize(*owners.context, from_whole), serialize(*owners.context, from_thin))
        << "a share does not depend on what the server left out";
    return testing::deviation(receiver.decrypt(from_whole), message);
  });
  const double expected =
      params::slot_deviation(owners.context->parameters(), flood * std::sqrt(2.0), scale) / std::sqrt(1 << kLogGap);
  EXPECT_NEAR(deviation / expected, 1, 0.03);
}

}  // namespace
}  // namespace tacit::scheme::ckks
