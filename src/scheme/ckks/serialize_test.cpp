#include "scheme/ckks/serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using testing::max_error;
using testing::Party;
using Bytes = std::vector<std::uint8_t>;

class SerializeTest : public ::testing::Test {
 protected:
  SerializeTest()
      : party_(testing::small_literal(6, 3, 2),
               {.relinearise_level = 2, .conjugate_level = 1, .rotations = {{1, 3}, {30, 0}}}),
        stranger_(testing::small_literal(6, 2, 2)) {}
  const Context& context() const { return *party_.context; }
  Party party_, stranger_;
};

bool equal(const ring::NttPoly& a, const ring::NttPoly& b) {
  bool same = a.limbs() == b.limbs();
  for (std::size_t row = 0; same && row < a.limbs(); ++row)
    same = std::ranges::equal(a.limb_span(row), b.limb_span(row));
  return same;
}

TEST_F(SerializeTest, CiphertextsRoundTripAndFreshOnesAreHalfTheSize) {
  const auto x = party_.random(1);
  const Ciphertext fresh = party_.encrypt(x, 2, party_.scale() * 1.1);
  const Ciphertext full = party_.encryptor.encrypt(party_.encoder.encode(x, 2, party_.scale() * 1.1));
  const Bytes small = serialize(context(), fresh), large = serialize(context(), full);
  EXPECT_EQ(large.size(), 37 + 11 + 2 * 64 * (7 + 5 + 5));
  EXPECT_EQ(small.size(), 37 + 11 + 64 * (7 + 5 + 5) + 32);
  for (const Ciphertext* c : {&fresh, &full}) {
    const Ciphertext back = deserialize_ciphertext(context(), serialize(context(), *c));
    EXPECT_EQ(back.level, c->level);
    EXPECT_EQ(back.scale, c->scale);
    EXPECT_EQ(back.c1_seed, c->c1_seed);
    EXPECT_TRUE(equal(back.c0, c->c0) && equal(back.c1, c->c1));
  }
}

TEST_F(SerializeTest, KeysRoundTripAndStillWork) {
  const SecretKey secret = deserialize_secret_key(context(), serialize(context(), party_.secret));
  EXPECT_TRUE(std::ranges::equal(secret.coefficients(), party_.secret.coefficients()));
  const PublicKey pk = deserialize_public_key(context(), serialize(context(), party_.public_key));
  EXPECT_TRUE(equal(pk.a, party_.public_key.a) && equal(pk.b, party_.public_key.b));
  const Bytes bytes = serialize(context(), *party_.keys);
  const auto keys = std::make_shared<const EvaluationKeys>(deserialize_evaluation_keys(context(), bytes));
  EXPECT_EQ(keys->manifest(), party_.keys->manifest());
  EXPECT_EQ(keys->bytes(), party_.keys->bytes());
  EXPECT_LT(bytes.size(), keys->bytes());  // residues in as many bytes as they need
  const auto x = party_.random(2);
  const Evaluator evaluator(party_.context, keys);
  const Encryptor encryptor(party_.context, pk);
  const Ciphertext c = evaluator.rotate(encryptor.encrypt(party_.encoder.encode(x, 3, party_.scale())), 1);
  const auto decoded = party_.encoder.decode(Decryptor(party_.context, secret).decrypt_exactly(c));
  const auto expected = testing::rotated(x, 1);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(decoded[i].real(), expected[i], 1e-6);
}

TEST_F(SerializeTest, EveryTruncationAndExtensionIsRefused) {
  const Bytes bytes = serialize(context(), party_.encrypt(party_.random(3), 0, party_.scale()));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(deserialize_ciphertext(context(), std::span(bytes).first(size)), base::InputError) << size;
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_THROW(deserialize_ciphertext(context(), longer), base::InputError);
  const Bytes keys = serialize(context(), *party_.keys);
  for (std::size_t size = 0; size < keys.size(); size += 997)
    EXPECT_THROW(deserialize_evaluation_keys(context(), std::span(keys).first(size)), base::InputError) << size;
}

TEST_F(SerializeTest, DamageIsRefusedOrHarmless) {
  const Bytes bytes = serialize(context(), party_.encrypt(party_.random(4), 1, party_.scale()));
  int refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 5) {
    Bytes damaged = bytes;
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ (1 << (bit % 8)));
    try {
      const Ciphertext c = deserialize_ciphertext(context(), damaged);
      party_.decrypt(c);  // whatever it holds now, it is well formed
    } catch (const base::Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 60);  // the whole header at least
  Bytes big = bytes;
  for (std::size_t i = 48; i < 55; ++i) big[i] = 0xff;  // the first residue
  EXPECT_THAT([&] { deserialize_ciphertext(context(), big); },
              ThrowsMessage<base::InputError>(HasSubstr("not below its prime")));
  Bytes level = bytes;
  level[37] = 4;
  EXPECT_THAT([&] { deserialize_ciphertext(context(), level); },
              ThrowsMessage<base::InputError>(HasSubstr("level 4 is above 3")));
  Bytes secret = serialize(context(), party_.secret);
  secret[40] = 2;
  EXPECT_THROW(deserialize_secret_key(context(), secret), base::InputError);
}

TEST_F(SerializeTest, NamesAnotherFormatAndOtherDigits) {
  constexpr std::size_t kFormat = 3, kSpecialPrimes = 4 + 1 + 32 + 1 + 2;
  Bytes older = serialize(context(), party_.secret);
  older[kFormat] = '1';
  EXPECT_THAT([&] { deserialize_secret_key(context(), older); },
              ThrowsMessage<base::InputError>(HasSubstr("have format '1'")));
  for (const std::size_t at : {kSpecialPrimes, kSpecialPrimes + 1, kSpecialPrimes + 2}) {
    Bytes keys = serialize(context(), *party_.keys);
    ++keys[at];
    EXPECT_THAT([&] { deserialize_evaluation_keys(context(), keys); },
                ThrowsMessage<base::InputError>(HasSubstr("make the keys again")))
        << at;
  }
}

TEST_F(SerializeTest, OtherKindsAndOtherParameterSetsAreRefused) {
  const Bytes secret = serialize(context(), party_.secret);
  EXPECT_THROW(deserialize_evaluation_keys(context(), secret), base::InputError);
  EXPECT_THROW(deserialize_public_key(context(), secret), base::InputError);
  EXPECT_THROW(deserialize_secret_key(*stranger_.context, secret), base::KeyMismatch);
  EXPECT_THROW(deserialize_public_key(*stranger_.context, serialize(context(), party_.public_key)), base::KeyMismatch);
  EXPECT_THROW(deserialize_evaluation_keys(*stranger_.context, serialize(context(), *party_.keys)), base::KeyMismatch);
  EXPECT_THROW(serialize(*stranger_.context, party_.public_key), base::KeyMismatch);
}

}  // namespace
}  // namespace tacit::scheme::ckks
