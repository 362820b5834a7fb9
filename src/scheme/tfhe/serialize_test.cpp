#include "scheme/tfhe/serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "scheme/tfhe/party_for_test.h"

namespace tacit::scheme::tfhe {
namespace {

using ::testing::HasSubstr;
using testing::Party;
using ::testing::ThrowsMessage;

TEST(TfheSerialize, KeysAndCiphertextsServeAsBefore) {
  const Party party(testing::small_literal());
  const std::vector<std::int64_t> messages = {0, 1, 2, 3};
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(messages);
  EXPECT_EQ(deserialize_ciphertexts(*party.context, serialize(*party.context, inputs)), inputs);

  const FreshLweCiphertexts sent = party.encryptor.encrypt_seeded(std::vector<Torus>{encode(2, 2), encode(1, 2)});
  const std::vector<std::uint8_t> sent_bytes = serialize(*party.context, sent);
  EXPECT_EQ(sent_bytes.size(), 4 + 1 + 32 + 32 + 2 * 8);
  const LweCiphertexts arrived = expand(*party.context, deserialize_fresh_ciphertexts(*party.context, sent_bytes));
  EXPECT_EQ(arrived, expand(*party.context, sent));
  EXPECT_EQ(party.decryptor.decrypt(arrived), (std::vector<std::uint64_t>{2, 1}));

  const SecretKey secret = deserialize_secret_key(*party.context, serialize(*party.context, party.secret));
  const std::vector<std::uint8_t> stored = serialize(*party.context, party.seeded);
  // A seed instead of masks: 4 bytes a row of the key switch, N words a row of the bootstrapping key.
  EXPECT_EQ(stored.size(), 4 + 1 + 32 + 64 + 512 * 4 * 4 + 100 * 6 * 256 * 8);
  const Evaluator evaluator(party.context, deserialize_evaluation_keys(*party.context, stored));
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return 3 - x; });
  const LweCiphertexts results = evaluator.lookup(inputs, table);
  EXPECT_EQ(results, party.evaluator.lookup(inputs, table));
  EXPECT_EQ(Decryptor(party.context, secret).decrypt(results), (std::vector<std::uint64_t>{3, 2, 1, 0}));
}

TEST(TfheSerialize, KeysThatAreMadeInPiecesServeAndAreTheSameInEveryWalk) {
  const Party party(testing::small_literal());
  const KeySeries series(party.context, party.secret);
  const auto written = [&] {
    std::vector<std::uint8_t> bytes;
    serialize(series, base::Progress::silent(),
              [&](std::span<const std::uint8_t> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
    return bytes;
  };
  const std::vector<std::uint8_t> stored = written();
  EXPECT_EQ(stored.size(), serialize(*party.context, party.seeded).size());
  EXPECT_EQ(written(), stored);
  const SeededEvaluationKeys keys = deserialize_evaluation_keys(*party.context, stored);
  EXPECT_NE(keys.key_switch.seed, keys.bootstrap.seed);
  const Evaluator evaluator(party.context, keys);
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return 3 - x; });
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(std::vector<std::int64_t>{0, 1, 2, 3});
  EXPECT_EQ(party.decryptor.decrypt(evaluator.lookup(inputs, table)), (std::vector<std::uint64_t>{3, 2, 1, 0}));
  EXPECT_NE(written(), [&] {
    std::vector<std::uint8_t> other;
    serialize(KeySeries(party.context, party.secret), base::Progress::silent(),
              [&](std::span<const std::uint8_t> piece) { other.insert(other.end(), piece.begin(), piece.end()); });
    return other;
  }());
}

// Errors that come from seeds are as wide as the others, and different in all rows.
TEST(TfheSerialize, KeysThatAreMadeInPiecesHaveTheNoiseOfOthers) {
  const Party party(testing::small_literal());
  std::vector<std::uint32_t> bodies;
  const KeySeries series(party.context, party.secret);
  series.key_switch_bodies([&](std::span<const std::uint32_t> some) { bodies.assign(some.begin(), some.end()); });
  const auto whole = [&](base::Csprng noise) {
    std::vector<std::uint32_t> made(bodies.size());
    SeededKeySwitchKey::make_bodies(*party.context, party.secret, series.key_switch_seed(), 0, made, noise);
    return made;
  };
  const std::vector<std::uint32_t> other = whole(base::Csprng(base::Seed{1}));
  const double bound = 2 * std::exp2(party.context->parameters().literal().lwe_noise_bits);
  std::size_t equal = 0;
  double squares = 0;
  for (std::size_t row = 0; row < bodies.size(); ++row) {
    const auto difference = static_cast<std::int32_t>(bodies[row] - other[row]);
    EXPECT_LE(std::abs(static_cast<double>(difference)), bound) << row;
    equal += difference == 0 ? 1 : 0;
    squares += static_cast<double>(difference) * difference;
  }
  EXPECT_LT(equal, bodies.size() / 4);
  EXPECT_GT(squares, 0);
}

TEST(TfheSerialize, KeysForSumsAreTwoSeeds) {
  const Party party(params::sums_literal(-128));
  const std::vector<std::uint8_t> stored = serialize(*party.context, party.seeded);
  EXPECT_EQ(stored.size(), 4u + 1 + 32 + 64);
  std::vector<std::uint8_t> pieces;
  serialize(KeySeries(party.context, party.secret), base::Progress::silent(),
            [&](std::span<const std::uint8_t> piece) { pieces.insert(pieces.end(), piece.begin(), piece.end()); });
  EXPECT_EQ(pieces.size(), stored.size());
  EXPECT_EQ(serialize(*party.context, party.secret).size(), 4u + 1 + 32 + 2048);
  const Evaluator evaluator(party.context, deserialize_evaluation_keys(*party.context, stored));
  EXPECT_EQ(evaluator.bootstrap_key_bytes() + evaluator.key_switch_key_bytes(), 0u);
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(std::vector<std::int64_t>{1, 5});
  const LweCiphertexts sums = evaluator.linear(inputs, std::vector<std::int64_t>{3, 2}, std::vector<Torus>{0});
  EXPECT_EQ(party.decryptor.decrypt(sums), std::vector<std::uint64_t>{13});
  EXPECT_THAT([&] { evaluator.key_switch(sums); }, ThrowsMessage<base::InputError>(HasSubstr("for sums alone")));
  EXPECT_THAT([&] { LookupTable::of(*party.context, [](std::int64_t x) { return x; }); },
              ThrowsMessage<base::InputError>(HasSubstr("for sums alone")));
}

TEST(TfheSerialize, RefusesOtherBytes) {
  const Party party(testing::small_literal());
  const Context& context = *party.context;
  const std::vector<std::uint8_t> ciphertexts =
      serialize(context, party.encryptor.encrypt_messages(std::vector<std::int64_t>{1}));
  std::vector<std::uint8_t> bytes = ciphertexts;
  bytes.pop_back();
  EXPECT_THAT([&] { deserialize_ciphertexts(context, bytes); },
              ThrowsMessage<base::InputError>(HasSubstr("no whole number of ciphertexts")));
  bytes = serialize(context, party.encryptor.encrypt_seeded(std::vector<Torus>{0}));
  bytes.push_back(0);
  EXPECT_THAT([&] { deserialize_fresh_ciphertexts(context, bytes); },
              ThrowsMessage<base::InputError>(HasSubstr("no whole number of ciphertexts")));
  EXPECT_THAT([&] { deserialize_secret_key(context, ciphertexts); },
              ThrowsMessage<base::InputError>(HasSubstr("these bytes are not one")));
  std::vector<std::uint8_t> later = ciphertexts;
  later[3] = '2';
  EXPECT_THAT([&] { deserialize_ciphertexts(context, later); },
              ThrowsMessage<base::InputError>(HasSubstr("have format '2', and this version reads '1'")));
  std::vector<std::uint8_t> secret = serialize(context, party.secret);
  secret.back() = 2;
  EXPECT_THAT([&] { deserialize_secret_key(context, secret); },
              ThrowsMessage<base::InputError>(HasSubstr("words of 0 or 1")));
  std::vector<std::uint8_t> keys = serialize(context, party.seeded);
  keys.push_back(0);
  EXPECT_THAT([&] { deserialize_evaluation_keys(context, keys); },
              ThrowsMessage<base::InputError>(HasSubstr("bytes follow where")));
  params::TfheLiteral literal = testing::small_literal();
  literal.norm2 = 1;
  const ContextPtr other = Context::make(params::TfheParameters::check(literal));
  EXPECT_THAT([&] { deserialize_ciphertexts(*other, ciphertexts); },
              ThrowsMessage<base::KeyMismatch>(HasSubstr("another parameter set")));
}

// Files of earlier versions begin with these bytes.
TEST(TfheSerialize, EveryKindHasItsNumberAndIsNotTakenForAnother) {
  const Party party(testing::small_literal());
  const Context& context = *party.context;
  const std::vector<std::uint8_t> kinds[] = {
      serialize(context, party.encryptor.encrypt_messages(std::vector<std::int64_t>{1})),
      serialize(context, party.secret), serialize(context, party.seeded),
      serialize(context, party.encryptor.encrypt_seeded(std::vector<Torus>{0}))};
  for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
    const std::vector<std::uint8_t>& bytes = kinds[kind];
    const std::vector<std::uint8_t> expected{'T', 'F', 'H', '1', static_cast<std::uint8_t>(kind + 1)};
    EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.begin() + 5), expected);
    const auto refuses = [&](std::size_t own, const auto& load, const char* what) {
      if (kind == own)
        EXPECT_NO_THROW(load());
      else
        EXPECT_THAT(load, ThrowsMessage<base::InputError>(HasSubstr(what)));
    };
    refuses(
        0, [&] { deserialize_ciphertexts(context, bytes); }, "cannot load TFHE ciphertexts: these bytes");
    refuses(
        1, [&] { deserialize_secret_key(context, bytes); }, "cannot load TFHE secret key: these bytes");
    refuses(
        2, [&] { deserialize_evaluation_keys(context, bytes); }, "cannot load TFHE evaluation keys: these bytes");
    refuses(
        3, [&] { deserialize_fresh_ciphertexts(context, bytes); }, "cannot load TFHE fresh ciphertexts: these bytes");
  }
}

}  // namespace
}  // namespace tacit::scheme::tfhe
