#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "base/sha256.h"
#include "scheme/tfhe/packing_key.h"
#include "scheme/tfhe/party_for_test.h"
#include "scheme/tfhe/rounding.h"
#include "scheme/tfhe/serialize.h"

// The whole words of what is refused, with their numbers, and what is just accepted.
namespace tacit::scheme::tfhe {
namespace {

using base::refusal;
using testing::Party;

class TfheRefusals : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { party_ = new Party(testing::small_literal()); }
  static void TearDownTestSuite() {
    delete party_;
    party_ = nullptr;
  }
  static const Party& party() { return *party_; }
  static const Context& context() { return *party_->context; }
  static Party* party_;
};
Party* TfheRefusals::party_ = nullptr;

TEST_F(TfheRefusals, OfCiphertextsNameDimensionsAndParameterSets) {
  const params::ParameterHash& hash = context().parameters().hash();
  EXPECT_EQ(refusal([&] { party().decryptor.phases(LweCiphertexts(params::LweDimension{100}, 1, hash)); }),
            "decrypt: ciphertexts of dimension 100, but the parameter set 'test' has 512");
  EXPECT_EQ(refusal([&] { party().evaluator.bootstrap(SmallLweCiphertexts(params::LweDimension{512}, 0, hash), {}); }),
            "bootstrap: ciphertexts of dimension 512, but the parameter set 'test' has 100");
  params::ParameterHash other = hash;
  ++other[31];
  ++other[0];
  EXPECT_EQ(refusal<base::KeyMismatch>(
                [&] { party().decryptor.phases(LweCiphertexts(params::LweDimension{512}, 1, other)); }),
            fmt::format("decrypt: the ciphertexts belong to another parameter set ({}) than 'test' ({})",
                        base::hexadecimal(std::span(other).first(6)), base::hexadecimal(std::span(hash).first(6))));
}

TEST_F(TfheRefusals, OfMessagesNameTheFirstThatIsOutside) {
  const auto words = [](const std::vector<std::int64_t>& messages) {
    return refusal([&] { party().encryptor.encrypt_messages(messages); });
  };
  EXPECT_EQ(words({0, 1, 2, 3}), base::kNotRefused);
  for (const std::int64_t outside : {-1, 4}) {
    EXPECT_THAT(words({0, 3, outside}), ::testing::StartsWith("encrypt: message 2 is "));
    EXPECT_THAT(words({outside, 9}), ::testing::StartsWith("encrypt: message 0 is "));
    EXPECT_THAT(words({outside}), ::testing::EndsWith(", outside 0 to 3"));
  }
}

TEST_F(TfheRefusals, OfSumsCountWeightsAndNamePlaces) {
  const LweCiphertexts inputs = party().encryptor.encrypt_messages(std::vector<std::int64_t>{1, 2});
  const auto linear = [&](std::size_t weights, std::size_t results) {
    return refusal([&] {
      party().evaluator.linear(inputs, std::vector<std::int64_t>(weights, 1), std::vector<Torus>(results, 0));
    });
  };
  EXPECT_EQ(linear(4, 2), base::kNotRefused);
  EXPECT_EQ(linear(1, 1), "linear: 1 weights for 2 inputs and 1 results; expected 2");
  EXPECT_EQ(linear(5, 2), "linear: 5 weights for 2 inputs and 2 results; expected 4");
  const auto add = [&](std::uint32_t place) {
    LweCiphertexts results = party().evaluator.trivial(std::vector<Torus>{0});
    const std::vector<std::uint32_t> places{place};
    const std::vector<std::int32_t> weights{1};
    return refusal([&] {
      party().evaluator.add_sums(
          inputs, [&](std::size_t) { return Evaluator::WeightedInputs{.inputs = places, .weights = weights}; },
          results);
    });
  };
  EXPECT_EQ(add(0), base::kNotRefused);
  EXPECT_EQ(add(1), base::kNotRefused);
  EXPECT_EQ(add(2), "add_sums: there is no ciphertext 2");
}

TEST_F(TfheRefusals, OfTablesCountFunctionsAndValues) {
  const auto table = [](std::size_t functions, std::size_t values) {
    return refusal([&] { LookupTable(context(), std::vector(functions, std::vector<Torus>(values))); });
  };
  for (const std::size_t functions : {1, 2, 3, 4}) EXPECT_EQ(table(functions, 4), base::kNotRefused) << functions;
  for (const std::size_t functions : {0, 5})
    EXPECT_EQ(
        table(functions, 4),
        fmt::format("lookup table: {} functions, but the parameter set 'test' bootstraps 1 to 4 at once", functions));
  // 512 coefficients, two a value at least, and as many functions as a power of two share them.
  for (const auto& [functions, most] : {std::pair<std::size_t, std::size_t>{1, 256}, {2, 128}, {3, 64}, {4, 64}}) {
    EXPECT_EQ(table(functions, most), base::kNotRefused);
    for (const std::size_t values : {std::size_t{0}, std::size_t{2}, std::size_t{5}, 2 * most})
      EXPECT_EQ(table(functions, values),
                fmt::format("lookup table: {} values for messages of 2 bits; expected 4, or a larger power of two up "
                            "to {}",
                            values, most));
  }
  const std::vector<std::vector<Torus>> uneven{std::vector<Torus>(4), std::vector<Torus>(8)};
  EXPECT_EQ(refusal([&] { LookupTable(context(), uneven); }),
            "lookup table: 8 values for messages of 2 bits; expected 4, or a larger power of two up to 128");
}

TEST_F(TfheRefusals, OfKeysCountTheirRowsAndWords) {
  const auto evaluator = [](const SeededEvaluationKeys& keys) {
    return refusal([&] { Evaluator(party().context, keys); });
  };
  SeededEvaluationKeys keys = party().seeded;
  keys.key_switch.bodies.pop_back();
  EXPECT_EQ(evaluator(keys), "key switching key: 2047 rows, but the parameter set has 2048");
  keys = party().seeded;
  keys.bootstrap.bodies.resize(153601);
  EXPECT_EQ(evaluator(keys), "bootstrapping key: 153601 words, but the parameter set has 153600");
  const auto secret = [](std::size_t small, std::size_t large, std::uint8_t last_small, std::uint8_t last_large) {
    std::vector<std::uint8_t> bits(small, 1), more(large, 1);
    bits.back() = last_small;
    more.back() = last_large;
    return refusal([&] { SecretKey(context(), bits, more); });
  };
  EXPECT_EQ(secret(100, 512, 1, 0), base::kNotRefused);
  const std::string refused = "secret key: expected 100 and 512 words of 0 or 1";
  EXPECT_EQ(secret(99, 512, 1, 0), refused);
  EXPECT_EQ(secret(100, 513, 1, 0), refused);
  EXPECT_EQ(secret(100, 512, 2, 0), refused);
  EXPECT_EQ(secret(100, 512, 1, 2), refused);
}

TEST_F(TfheRefusals, OfPackingNameBitsWordsAndCounts) {
  const auto generate = [](int base_log, int levels) {
    return refusal(
        [&] { SeededPackingKey::generate(context(), party().secret, {.base_log = base_log, .levels = levels}); });
  };
  for (const auto& [base_log, levels] : {std::pair{0, 1}, {1, 0}, {-1, -1}, {31, 1}, {1, 31}, {16, 2}, {11, 3}})
    EXPECT_EQ(generate(base_log, levels),
              fmt::format("packing key: {} levels of {} bits; all levels have 1 to 30 bits", levels, base_log));
  EXPECT_EQ(generate(1, 1), base::kNotRefused);
  EXPECT_EQ(generate(15, 2), base::kNotRefused);
  SeededPackingKey seeded = SeededPackingKey::generate(context(), party().secret, {.base_log = 30, .levels = 1});
  const PackingKey key(party().context, seeded);
  const auto pack = [&](std::size_t count) {
    return refusal([&] { key.pack(party().evaluator.trivial(std::vector<Torus>(count))); });
  };
  EXPECT_EQ(pack(256), base::kNotRefused);
  EXPECT_EQ(pack(257), "pack: 257 ciphertexts, but a polynomial of parameter set 'test' has 256 coefficients");
  seeded.bodies.resize(seeded.bodies.size() - 1);
  EXPECT_EQ(refusal([&] { PackingKey(party().context, seeded); }),
            "packing key: 131071 words, but the parameter set has 131072");
  GlweCiphertext packed = key.pack(party().evaluator.trivial(std::vector<Torus>{encode(3, 2)}));
  packed.words.resize(767);
  EXPECT_EQ(refusal([&] { phases(context(), party().secret, packed); }),
            "decrypt: a ciphertext of 767 words; expected 768");
}

TEST_F(TfheRefusals, OfRoundingNameTheBits) {
  const LweCiphertexts none = party().encryptor.encrypt({});
  const auto round = [&](int step, int dropped) {
    return refusal([&] { round_off(party().evaluator, none, step, dropped); });
  };
  EXPECT_EQ(round(1, 1), base::kNotRefused);
  EXPECT_EQ(round(62, 1), base::kNotRefused);
  EXPECT_EQ(round(60, 3), base::kNotRefused);
  for (const auto& [step, dropped] : {std::pair{0, 2}, {62, 2}, {40, 0}, {60, 4}})
    EXPECT_EQ(
        round(step, dropped),
        fmt::format("round_off: {} bits from 2^{} on do not lie between 2^1 and the padding at 2^63", dropped, step));
}

TEST_F(TfheRefusals, OfBytesCountWhatIsThereAndWhatBelongs) {
  std::vector<std::uint8_t> bytes =
      serialize(context(), party().encryptor.encrypt_messages(std::vector<std::int64_t>{1}));
  EXPECT_EQ(bytes.size(), 4u + 1 + 32 + 4104);
  bytes.pop_back();
  EXPECT_THAT(refusal([&] { deserialize_ciphertexts(context(), bytes); }),
              ::testing::HasSubstr("4103 bytes are no whole number of ciphertexts of 4104"));
  bytes = serialize(context(), party().encryptor.encrypt_seeded(std::vector<Torus>{0}));
  bytes.push_back(0);
  EXPECT_THAT(refusal([&] { deserialize_fresh_ciphertexts(context(), bytes); }),
              ::testing::HasSubstr("9 bytes are no whole number of ciphertexts of 8"));
  bytes = serialize(context(), party().secret);
  bytes.pop_back();
  EXPECT_THAT(refusal([&] { deserialize_secret_key(context(), bytes); }),
              ::testing::HasSubstr("611 bytes follow where 612 belong"));
  bytes = serialize(context(), party().seeded);
  bytes.push_back(0);
  EXPECT_THAT(refusal([&] { deserialize_evaluation_keys(context(), bytes); }),
              ::testing::HasSubstr("1237057 bytes follow where 1237056 belong"));
  SeededEvaluationKeys mixed = party().seeded;
  ++mixed.bootstrap.parameters[0];
  EXPECT_THAT(refusal<base::KeyMismatch>([&] { serialize(context(), mixed); }),
              ::testing::StartsWith("serialise: the bootstrapping key belong to another parameter set"));
}

}  // namespace
}  // namespace tacit::scheme::tfhe
