#include "scheme/tfhe/public_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "params/tfhe_noise.h"
#include "scheme/tfhe/party_for_test.h"
#include "scheme/tfhe/serialize.h"

namespace tacit::scheme::tfhe {
namespace {

using testing::chi_square_interval, testing::difference, testing::mean_square;

/// Keys alone, of one set.
struct Owner {
  explicit Owner(const params::TfheLiteral& literal)
      : context(Context::make(params::TfheParameters::check(literal))),
        secret(SecretKey::generate(*context)),
        key(PublicKey::generate(*context, secret)),
        sender(context, key),
        decryptor(context, secret) {}

  /// Errors of `count` fresh ciphertexts of zero, in turns.
  std::vector<double> errors(std::size_t count) const {
    std::vector<double> result;
    for (const Torus phase : decryptor.phases(expand(*context, sender.encrypt(std::vector<Torus>(count, 0)))))
      result.push_back(difference(phase, 0));
    return result;
  }

  ContextPtr context;
  SecretKey secret;
  PublicKey key;
  PublicEncryptor sender;
  Decryptor decryptor;
};

std::vector<Torus> ramp(std::size_t count, int bits) {
  std::vector<Torus> messages;
  for (std::size_t i = 0; i < count; ++i) messages.push_back(encode(static_cast<std::int64_t>(i) % (1 << bits), bits));
  return messages;
}

TEST(PublicKey, DecryptsToWhatItEncrypts) {
  for (const char* name : {"T1", "T4"}) {
    const Owner owner(params::named_tfhe_literal(name));
    const int bits = owner.context->parameters().bits();
    const std::size_t n = owner.context->polynomial();
    for (const std::size_t count : {std::size_t{1}, n - 1, n, n + 3}) {
      const std::vector<Torus> messages = ramp(count, bits);
      const FreshLweCiphertexts sent = owner.sender.encrypt(messages);
      EXPECT_EQ(sent.bodies.size(), count);
      EXPECT_EQ(sent.masks.size(), (count + n - 1) / n * owner.context->large());
      const std::vector<std::uint64_t> found = owner.decryptor.decrypt(expand(*owner.context, sent));
      ASSERT_EQ(found.size(), count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found[i], decode(messages[i], bits)) << name << ' ' << i;
    }
  }
}

/// The mean square of errors of `ciphertexts` GLWE ciphertexts under each of `keys` keys, over that of the formula.
double measured_over_stated(const params::TfheLiteral& literal, int keys, std::size_t ciphertexts) {
  std::vector<double> errors;
  double variance = 0;
  for (int i = 0; i < keys; ++i) {
    const Owner owner(literal);
    const params::LookupShape& shape = owner.context->parameters().shape();
    variance = shape.glwe_variance * params::public_encryption_factor(shape);
    const std::vector<double> more = owner.errors(ciphertexts * owner.context->polynomial());
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return mean_square(errors) / variance;
}

// Errors of one ciphertext are correlated: a fifth of their variance lies in a few directions.
TEST(PublicKey, LeavesTheNoiseOfTheFormula) {
  const double small = measured_over_stated(testing::small_literal(), 16, 16);
  const double secure = measured_over_stated(params::named_tfhe_literal("T4"), 2, 4);
  RecordProperty("small", std::to_string(small));
  RecordProperty("T4", std::to_string(secure));
  EXPECT_NEAR(small, 1, 0.1);
  EXPECT_NEAR(secure, 1, 0.4);
}

// The bits of the secret have the mean 1/2: weights with the signs of a root of X^N + 1 add their noise up.
TEST(PublicKey, SumsStayWithinTheBound) {
  const Owner owner(testing::small_literal());
  const params::LookupShape& shape = owner.context->parameters().shape();
  const std::size_t n = owner.context->polynomial();
  constexpr int kSums = 400;
  const auto measured_over_bound = [&](double next_sign) {
    std::vector<double> sums;
    for (int i = 0; i < kSums; ++i) {
      double sum = 0, sign = 1;
      for (const double error : owner.errors(n)) {
        sum += sign * error;
        sign *= next_sign;
      }
      sums.push_back(sum / std::sqrt(static_cast<double>(n)));
    }
    return mean_square(sums) / (shape.glwe_variance * params::public_sum_factor(shape));
  };
  const double ones = measured_over_bound(1), alternating = measured_over_bound(-1);
  RecordProperty("ones", std::to_string(ones));
  EXPECT_LT(ones, 1 + chi_square_interval(kSums));
  EXPECT_LT(alternating, 1 + chi_square_interval(kSums));
  // Ones reach pi^2 / 12 of the bound's largest term, which independent errors do not.
  EXPECT_GT(ones, 0.4);
  EXPECT_GT(ones * params::public_sum_factor(shape), 8 * params::public_encryption_factor(shape));
}

TEST(PublicKey, EncryptsAnewEachTime) {
  const Owner owner(testing::small_literal());
  const std::vector<Torus> zero(3, 0);
  const FreshLweCiphertexts a = owner.sender.encrypt(zero), b = owner.sender.encrypt(zero);
  EXPECT_NE(a.masks, b.masks);
  EXPECT_NE(a.bodies, b.bodies);
  EXPECT_NE(PublicKey::generate(*owner.context, owner.secret).bodies, owner.key.bodies);
}

TEST(PublicKey, IsLookedUpAsOtherFreshCiphertexts) {
  const testing::Party party("T2");
  const PublicEncryptor sender(party.context, PublicKey::generate(*party.context, party.secret));
  const std::vector<Torus> messages = ramp(4, party.bits());
  const LookupTable squares = LookupTable::of(*party.context, [](std::int64_t m) { return m * m % 4; });
  EXPECT_THAT(
      party.decryptor.decrypt(party.evaluator.lookup(expand(*party.context, sender.encrypt(messages)), squares)),
      ::testing::ElementsAre(0, 1, 0, 1));
}

TEST(PublicKey, ComesBackFromBytes) {
  const Owner owner(testing::small_literal());
  const std::vector<std::uint8_t> bytes = serialize(*owner.context, owner.key);
  EXPECT_EQ(bytes.size(), 5 + 32 + 32 + 8 * owner.context->large());
  const PublicKey again = deserialize_public_key(*owner.context, bytes);
  EXPECT_EQ(again.seed, owner.key.seed);
  EXPECT_EQ(again.bodies, owner.key.bodies);
  for (const std::size_t count : {1U, 256U, 257U}) {
    const FreshLweCiphertexts sent = owner.sender.encrypt(ramp(count, 2));
    const std::vector<std::uint8_t> packed = serialize(*owner.context, sent);
    EXPECT_EQ(packed.size(), packed_ciphertexts_bytes(*owner.context, count));
    const FreshLweCiphertexts back = deserialize_fresh_ciphertexts(*owner.context, packed);
    EXPECT_EQ(back.masks, sent.masks);
    EXPECT_EQ(back.bodies, sent.bodies);
  }
}

TEST(PublicKey, DamagedBytesAreRefused) {
  const Owner owner(testing::small_literal());
  const std::vector<std::uint8_t> key = serialize(*owner.context, owner.key),
                                  sent = serialize(*owner.context, owner.sender.encrypt(ramp(3, 2)));
  for (std::size_t size = 0; size < sent.size(); size += 7)
    EXPECT_THROW(deserialize_fresh_ciphertexts(*owner.context, std::span(sent).first(size)), base::InputError);
  for (std::size_t size = 0; size < key.size(); size += 7)
    EXPECT_THROW(deserialize_public_key(*owner.context, std::span(key).first(size)), base::InputError);
  const auto with_count = [&](std::uint64_t count) {
    std::vector<std::uint8_t> changed = sent;
    std::memcpy(changed.data() + 5 + 32, &count, sizeof count);
    return changed;
  };
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{4}, ~std::uint64_t{0}, std::uint64_t{1} << 61})
    EXPECT_THROW(deserialize_fresh_ciphertexts(*owner.context, with_count(count)), base::InputError) << count;
  EXPECT_THROW(deserialize_secret_key(*owner.context, key), base::InputError);
}

TEST(PublicKey, OfAnotherSetIsRefused) {
  const Owner owner(testing::small_literal());
  params::TfheLiteral literal = testing::small_literal();
  literal.norm2 = 1.5;
  const Owner stranger(literal);
  EXPECT_THROW(PublicEncryptor(stranger.context, owner.key), base::KeyMismatch);
  EXPECT_THROW(PublicKey::generate(*stranger.context, owner.secret), base::KeyMismatch);
  EXPECT_THROW(serialize(*stranger.context, owner.key), base::KeyMismatch);
  EXPECT_THROW(deserialize_public_key(*stranger.context, serialize(*owner.context, owner.key)), base::KeyMismatch);
}

}  // namespace
}  // namespace tacit::scheme::tfhe
