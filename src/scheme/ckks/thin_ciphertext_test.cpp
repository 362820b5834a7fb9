#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "params/noise.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/ckks/residue_bits.h"
#include "scheme/ckks/serialize.h"
#include "scheme/ckks/subring.h"

namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using testing::Party;
using testing::small_literal;

constexpr int kLogGap = 3;

params::KeyManifest trace_keys(std::int64_t slots, int level) {
  params::KeyManifest manifest;
  for (int i = 1; i <= kLogGap; ++i) manifest.rotations[slots >> i] = level;
  return manifest;
}

/// Repeats the first slots / 2^kLogGap numbers.
std::vector<double> repeated(std::vector<double> values) {
  const std::size_t period = values.size() >> kLogGap;
  for (std::size_t i = period; i < values.size(); ++i) values[i] = values[i - period];
  return values;
}

Ciphertext trace(const Party& party, Ciphertext c) {
  for (int i = kLogGap; i > 0; --i) {
    const std::int64_t step = static_cast<std::int64_t>(party.slots()) >> i;
    c = party.evaluator.rotate_sum(c, {&step, 1});
  }
  return c;
}

class ThinCiphertextTest : public ::testing::TestWithParam<bool> {
 protected:
  static params::CkksLiteral literal() {
    params::CkksLiteral set = small_literal(8, 3, 2);
    set.real_slots = GetParam();
    return set;
  }
  ThinCiphertextTest() : party_(literal(), trace_keys(GetParam() ? 256 : 128, 2)) {}
  Ciphertext thin(const Encryptor& encryptor, std::span<const double> values, int log_gap = kLogGap) const {
    return encryptor.encrypt_thin(party_.encoder.encode(values, 2, party_.scale()), log_gap);
  }
  Party party_;
};

TEST_P(ThinCiphertextTest, TheTraceIsTheMessageUnderBothKeysAndAfterTravelling) {
  const std::vector<double> values = repeated(party_.random(1));
  for (const Encryptor* encryptor : {&party_.symmetric, &party_.encryptor}) {
    const Ciphertext sent = thin(*encryptor, values);
    EXPECT_EQ(sent.c1_seed.has_value(), encryptor == &party_.symmetric);
    const auto bytes = serialize(*party_.context, sent);
    EXPECT_EQ(bytes.size(), ciphertext_bytes(*party_.context, 2, sent.c1_seed.has_value(), kLogGap));
    const Ciphertext received = deserialize_ciphertext(*party_.context, bytes);
    EXPECT_EQ(received.log_gap, kLogGap);
    for (const Ciphertext& c : {sent, received}) {
      const Ciphertext whole = trace(party_, c);
      EXPECT_EQ(whole.log_gap, 0);
      const std::vector<double> found = party_.decrypt(whole);
      for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(found[i], values[i], testing::kPrecision) << i;
    }
  }
}

TEST_P(ThinCiphertextTest, TheNoiseIsThatOfTheRotations) {
  // Every rotation adds the noise of a key switch, which the later ones double.
  const params::CkksParameters& parameters = party_.context->parameters();
  const double expected = std::sqrt((1 << kLogGap) - 1) * params::key_switch_noise(parameters, 2, party_.scale());
  double variance = 0;
  constexpr int kRuns = 40;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<double> values = repeated(party_.random(static_cast<std::uint64_t>(run)));
    const double found = testing::deviation(party_.decrypt(trace(party_, thin(party_.symmetric, values))), values);
    variance += found * found / kRuns;
  }
  EXPECT_NEAR(std::sqrt(variance) / expected, 1, 0.15);
}

TEST_P(ThinCiphertextTest, ItDecryptsToNothingBeforeTheTrace) {
  const std::vector<double> values = repeated(party_.random(2));
  EXPECT_GT(testing::deviation(party_.decrypt(thin(party_.symmetric, values)), values), 1e3);
}

TEST_P(ThinCiphertextTest, ThinnedOnesDecryptToTheMessageWithTheNoiseOfWhatIsLeft) {
  double whole = 0, left = 0;
  for (std::uint64_t run = 0; run < 40; ++run) {
    const std::vector<double> values = repeated(party_.random(run));
    const Ciphertext c = party_.encrypt(values, 1, party_.scale());
    const Ciphertext small = thinned(*party_.context, c, kLogGap);
    const auto bytes = serialize(*party_.context, small);
    EXPECT_EQ(bytes.size(), ciphertext_bytes(*party_.context, 1, true, kLogGap));
    const auto found = party_.decrypt(deserialize_ciphertext(*party_.context, bytes));
    whole += std::pow(testing::deviation(party_.decrypt(c), values), 2);
    left += std::pow(testing::deviation(found, values), 2);
    // All copies are equal, but for the rounding of the transforms.
    for (std::size_t i = 0; i < values.size() / 2; ++i) ASSERT_NEAR(found[i], found[i + values.size() / 2], 1e-11);
  }
  EXPECT_NEAR(left / whole * (1 << kLogGap), 1, 0.35);
}

TEST_P(ThinCiphertextTest, MeansOfCopiesAreWhatIsLeft) {
  std::vector<double> values = party_.random(7), means(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) means[i % (values.size() >> kLogGap)] += values[i] / (1 << kLogGap);
  means = repeated(means);
  const auto found = party_.decrypt(thinned(*party_.context, party_.encrypt(values), kLogGap));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(found[i], means[i], testing::kPrecision);
}

TEST_P(ThinCiphertextTest, WithoutAGapItIsAnOrdinaryOne) {
  const std::vector<double> values = party_.random(3);
  const Ciphertext c = thin(party_.symmetric, values, 0);
  EXPECT_EQ(c.log_gap, 0);
  EXPECT_LT(testing::deviation(party_.decrypt(c), values), testing::kPrecision);
}

TEST_P(ThinCiphertextTest, FirstHalvesAreAnEighth) {
  const auto bytes = [&](int log_gap) { return ciphertext_bytes(*party_.context, 2, true, log_gap); };
  const std::uint64_t heads = bytes(0) - 256 * (7 + 5 + 5);
  EXPECT_EQ(bytes(kLogGap), heads + 1 + 32 * (50 + 40 + 40) / 8);
}

TEST_P(ThinCiphertextTest, EveryTruncationAndImpossibleGapIsRefused) {
  const auto bytes = serialize(*party_.context, thin(party_.symmetric, repeated(party_.random(4))));
  for (std::size_t size = 0; size < bytes.size(); size += 3)
    EXPECT_THROW(deserialize_ciphertext(*party_.context, std::span(bytes).first(size)), base::InputError) << size;
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_THROW(deserialize_ciphertext(*party_.context, longer), base::InputError);
  const std::size_t place = 48;  // after the kind, the set, the level, the scale and the flag
  ASSERT_EQ(bytes[place], kLogGap);
  for (const int gap : {0, 8, 255}) {
    auto changed = bytes;
    changed[place] = static_cast<std::uint8_t>(gap);
    EXPECT_THAT([&] { deserialize_ciphertext(*party_.context, changed); },
                ThrowsMessage<base::InputError>(HasSubstr("slots cannot repeat 2^")));
  }
  auto large = bytes;
  for (std::size_t i = place + 1; i < place + 9; ++i) large[i] = 0xff;
  EXPECT_THAT([&] { deserialize_ciphertext(*party_.context, large); },
              ThrowsMessage<base::InputError>(HasSubstr("not below its prime")));
  for (const int gap : {-1, 8})
    EXPECT_THAT([&] { thin(party_.symmetric, party_.random(5), gap); },
                ThrowsMessage<base::InputError>(HasSubstr("slots cannot repeat 2^")));
}

INSTANTIATE_TEST_SUITE_P(ComplexAndReal, ThinCiphertextTest, ::testing::Bool());

TEST(ResidueBits, RoundTripAtEveryWidth) {
  std::mt19937_64 engine(1);
  for (std::size_t bits = 1; bits <= 50; ++bits)
    for (const std::size_t count : {1, 7, 8, 33}) {
      std::vector<std::uint64_t> words(count);
      for (std::uint64_t& word : words) word = engine() >> (64 - bits);
      words.back() = (std::uint64_t{1} << bits) - 1;
      const std::vector<std::uint8_t> bytes = packed_bits(words, bits);
      ASSERT_EQ(bytes.size(), packed_bytes(count, bits));
      EXPECT_EQ(unpacked_bits(bytes, count, bits, std::uint64_t{1} << bits), words) << bits;
      EXPECT_EQ(unpacked_bits(bytes, count, bits, words.back()), std::nullopt) << bits;
      if (count * bits % 8 == 0) continue;
      std::vector<std::uint8_t> filled = bytes;
      filled.back() |= 0x80;
      EXPECT_EQ(unpacked_bits(filled, count, bits, std::uint64_t{1} << bits), std::nullopt) << bits;
    }
}

}  // namespace
}  // namespace tacit::scheme::ckks
