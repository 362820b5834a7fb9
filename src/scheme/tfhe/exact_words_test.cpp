#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "scheme/tfhe/modulus_switch.h"
#include "scheme/tfhe/packing_key.h"
#include "scheme/tfhe/party_for_test.h"

// Words of keys, tables, sums and rotations one by one: what noise hides from tests of whole lookups.
namespace tacit::scheme::tfhe {
namespace {

using testing::Party;

TEST(TorusMessages, RoundToTheNearest) {
  EXPECT_EQ(encode(3, 2), Torus{3} << 61);
  EXPECT_EQ(encode(-1, 2), Torus{7} << 61);
  constexpr Torus kHalf = Torus{1} << 60;
  EXPECT_EQ(decode(encode(3, 2) + kHalf - 1, 2), 3u);
  EXPECT_EQ(decode(encode(3, 2) + kHalf, 2), 4u);
  EXPECT_EQ(decode(encode(3, 2) - kHalf, 2), 3u);
  EXPECT_EQ(decode(encode(3, 2) - kHalf - 1, 2), 2u);
  EXPECT_EQ(decode(Torus{0} - kHalf, 2), 0u);
  EXPECT_EQ(decode(Torus{0} - kHalf - 1, 2), 7u);
}

// The second bit below the digits says which of two ways a word is cut in.
TEST(TorusDigits, AreThoseOfTheWordOrOfMinusIt) {
  const DigitsOf digits({.base_log = 4, .levels = 2});
  ASSERT_EQ(digits.levels(), 2u);
  EXPECT_EQ(digits.weight(0), Torus{1} << 60);
  EXPECT_EQ(digits.weight(1), Torus{1} << 56);
  const auto cut = [&](Torus word) {
    std::vector<int> of(2);
    digits.cut(word, of.data());
    return of;
  };
  constexpr Torus kWord = Torus{0x88} << 56;
  EXPECT_EQ(cut(kWord), (std::vector{-7, -8}));
  EXPECT_EQ(cut(kWord + (Torus{1} << 53)), (std::vector{-7, -8}));
  EXPECT_EQ(cut(kWord + (Torus{1} << 54)), (std::vector{8, 8}));
  EXPECT_EQ(cut(kWord + (Torus{1} << 55)), (std::vector{-7, -7}));
  EXPECT_EQ(cut(0), (std::vector{0, 0}));
  EXPECT_EQ(cut(Torus{0x17} << 56), (std::vector{1, 7}));
  EXPECT_EQ(cut(Torus{0x18} << 56), (std::vector{2, -8}));
}

TEST(ModulusSwitch, RoundsTheMaskAndCutsTheBodyLessHalfTheErrors) {
  // 1,024 steps of a turn: 22 bits are dropped.
  const auto context = Context::make(params::TfheParameters::check(testing::small_literal()));
  constexpr std::uint32_t kStep = 1U << 22;
  const auto switched = [&](std::vector<std::uint32_t> words, unsigned log_room = 0) {
    const Rotations rotations = modulus_switch(*context, words, log_room);
    std::vector<std::uint32_t> result = rotations.mask;
    result.push_back(rotations.body);
    return result;
  };
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(switched({5 * kStep, 7 * kStep}), (Words{5, 7}));
  EXPECT_EQ(switched({5 * kStep + kStep / 2 - 1, 0}), (Words{5, 1023}));
  EXPECT_EQ(switched({5 * kStep + kStep / 2, 0}), (Words{6, 0}));
  EXPECT_EQ(switched({0U - 1, 9 * kStep - 1}), (Words{0, 9}));
  EXPECT_EQ(switched({1023 * kStep, 8 * kStep - 1}), (Words{1023, 7}));
  // Errors of 1, 2 and 3 in sum: 0, 1 and 1 are taken off.
  EXPECT_EQ(switched({kStep + 1, 7 * kStep}), (Words{1, 7}));
  EXPECT_EQ(switched({kStep + 1, kStep + 1, 7 * kStep}), (Words{1, 1, 6}));
  EXPECT_EQ(switched({kStep + 3, 7 * kStep + 1}), (Words{1, 7}));
  EXPECT_EQ(switched({kStep + 4, 7 * kStep + 1}), (Words{1, 6}));
  EXPECT_EQ(switched({2 * kStep - 3, kStep + 5, 7 * kStep + 1}), (Words{2, 1, 7}));
  // Of two tables rotations are even.
  EXPECT_EQ(switched({4 * kStep, 7 * kStep}, 1), (Words{4, 6}));
  EXPECT_EQ(switched({5 * kStep, 0}, 1), (Words{6, 0}));
  EXPECT_EQ(switched({5 * kStep - 2, 9 * kStep}, 1), (Words{4, 8}));
}

TEST(TfheLookupTables, HaveMessagesInTheMiddleOfTheirBoxes) {
  const auto context = Context::make(params::TfheParameters::check(testing::small_literal()));
  const auto coefficient = [](const LookupTable& table, std::size_t i) { return table.component(i % 2)[i / 2]; };
  const std::vector<Torus> four{11, 22, 33, 44};
  const LookupTable one(*context, {&four, 1});
  EXPECT_EQ(one.functions(), 1u);
  EXPECT_EQ(one.log_room(), 0u);
  for (std::size_t i = 0; i < 512; ++i)
    EXPECT_EQ(coefficient(one, i), i < 448 ? four[(i + 64) / 128] : Torus{0} - 11) << i;
  std::vector<std::vector<Torus>> three(3, std::vector<Torus>(8));
  for (std::size_t f = 0; f < 3; ++f)
    for (std::size_t x = 0; x < 8; ++x) three[f][x] = 100 * (f + 1) + x;
  const LookupTable several(*context, three);
  EXPECT_EQ(several.functions(), 3u);
  EXPECT_EQ(several.log_room(), 2u);
  // Room for four: 128 places, boxes of 16.
  for (std::size_t place = 0; place < 128; ++place)
    for (std::size_t f = 0; f < 3; ++f)
      EXPECT_EQ(coefficient(several, 4 * place + f), place < 120 ? three[f][(place + 8) / 16] : 0 - three[f][0])
          << place;
}

/// The largest error of a row of a key, of which every one is uniform up to 2^bits.
class LargestNoise {
 public:
  void add(std::int64_t error) { largest_ = std::max(largest_, std::abs(error)); }
  void expect(int bits) const {
    EXPECT_LE(largest_, std::int64_t{1} << bits);
    EXPECT_GT(static_cast<double>(largest_), 0.9 * std::exp2(bits));
  }

 private:
  std::int64_t largest_ = 0;
};

// Stored as a seed and bodies: how masks expand is part of the format.
TEST(KeySwitchRows, EncryptWeightedBitsUnderMasksOfWholeWords) {
  const Party party(testing::small_literal());
  const SeededKeySwitchKey& key = party.seeded.key_switch;
  ASSERT_EQ(key.bodies.size(), 512u * 4);
  LargestNoise noise;
  base::Csprng masks(key.seed);
  for (std::size_t row = 0; row < key.bodies.size(); ++row) {
    masks.begin_stream(row);
    std::uint32_t phase = key.bodies[row];
    for (std::size_t i = 0; i < 100; i += 2) {
      const std::uint64_t word = masks.next();
      phase -= static_cast<std::uint32_t>(word) * party.secret.small()[i];
      phase -= static_cast<std::uint32_t>(word >> 32) * party.secret.small()[i + 1];
    }
    const std::uint32_t weight = 1U << (28 - 4 * (row % 4));
    phase -= weight * party.secret.large()[row / 4];
    noise.add(static_cast<std::int32_t>(phase));
  }
  noise.expect(12);
}

/// Row `row` of a key of GLWE ciphertexts, without its message.
std::vector<Torus> glwe_errors(const Party& party, const base::Seed& seed, std::span<const Torus> bodies,
                               std::size_t row, std::span<const Torus> message) {
  GlweCiphertext ciphertext{.words = {}, .parameters = party.context->parameters().hash()};
  ciphertext.words.resize(3 * 256);
  base::Csprng masks(seed);
  masks.begin_stream(row);
  masks.fill(std::span(ciphertext.words).first(512));
  std::copy_n(bodies.begin() + static_cast<std::ptrdiff_t>(row * 256), 256, ciphertext.words.begin() + 512);
  std::vector<Torus> errors = phases(*party.context, party.secret, ciphertext);
  for (std::size_t i = 0; i < 256; ++i) errors[i] -= message[i];
  return errors;
}

TEST(BootstrapRows, EncryptBitsTimesMinusTheKeyOrOne) {
  const Party party(testing::small_literal());
  const SeededBootstrapKey& key = party.seeded.bootstrap;
  ASSERT_EQ(key.bodies.size(), 100u * 6 * 256);
  LargestNoise noise;
  for (std::size_t row = 0; row < 600; row += 5) {
    const std::size_t component = row % 6 / 2;
    const Torus weight = (Torus{1} << (54 - 10 * (row % 2))) * party.secret.small()[row / 6];
    std::vector<Torus> message(256);
    if (component == 2)
      message[0] = weight;
    else
      for (std::size_t j = 0; j < 256; ++j) message[j] = 0 - weight * party.secret.large()[component * 256 + j];
    for (const Torus error : glwe_errors(party, key.seed, key.bodies, row, message))
      noise.add(static_cast<std::int64_t>(error));
  }
  noise.expect(20);
}

TEST(PackingRows, EncryptBitsAsConstants) {
  const Party party(testing::small_literal());
  const SeededPackingKey key = SeededPackingKey::generate(*party.context, party.secret, {.base_log = 15, .levels = 2});
  ASSERT_EQ(key.bodies.size(), 512u * 2 * 256);
  LargestNoise noise;
  for (std::size_t row = 0; row < 1024; row += 11) {
    std::vector<Torus> message(256);
    message[0] = (Torus{1} << (49 - 15 * (row % 2))) * party.secret.large()[row / 2];
    for (const Torus error : glwe_errors(party, key.seed, key.bodies, row, message))
      noise.add(static_cast<std::int64_t>(error));
  }
  noise.expect(20);
}

TEST(FreshCiphertexts, HaveTheMasksOfTheirSeedAndBoundedNoise) {
  const Party party(testing::small_literal());
  std::vector<Torus> messages;
  for (std::int64_t i = 0; i < 300; ++i) messages.push_back(encode(i % 8, 2));
  const FreshLweCiphertexts sent = party.encryptor.encrypt_seeded(messages);
  const LweCiphertexts all = expand(*party.context, sent);
  ASSERT_EQ(all.count(), 300u);
  base::Csprng masks(sent.seed);
  std::vector<Torus> mask(512);
  const std::vector<Torus> phases = party.decryptor.phases(all);
  LargestNoise noise;
  for (std::size_t i = 0; i < all.count(); ++i) {
    masks.fill(mask);
    EXPECT_TRUE(std::ranges::equal(all.mask(i), mask)) << i;
    EXPECT_EQ(all.body(i), sent.bodies[i]);
    noise.add(static_cast<std::int64_t>(phases[i] - messages[i]));
  }
  noise.expect(20);
}

TEST(TrivialCiphertexts, AreTheirMessagesWithoutNoise) {
  const Party party(testing::small_literal());
  const std::vector<Torus> messages{5, 0, Torus{0} - 3};
  const LweCiphertexts trivial = party.evaluator.trivial(messages);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::ranges::all_of(trivial.mask(i), [](Torus word) { return word == 0; }));
    EXPECT_EQ(trivial.body(i), messages[i]);
  }
  EXPECT_EQ(party.decryptor.phases(trivial), messages);
  EXPECT_EQ(party.evaluator.trivial({}).count(), 0u);
}

// More results than a task has rows, and ciphertexts of several pieces.
TEST(WeightedSums, AddEveryWordToWhatIsThere) {
  const Party party(testing::small_literal());
  const LweCiphertexts inputs = party.encryptor.encrypt_messages(std::vector<std::int64_t>{1, 2, 3});
  const std::vector<std::uint32_t> places{2, 0, 2};
  std::vector<Torus> before;
  for (Torus r = 0; r < 70; ++r) before.push_back(r << 40);
  LweCiphertexts results = party.evaluator.trivial(before);
  std::vector<std::vector<std::int32_t>> weights;
  for (std::int32_t r = 0; r < 70; ++r) weights.push_back({r - 35, 2, -1});
  party.evaluator.add_sums(
      inputs, [&](std::size_t r) { return Evaluator::WeightedInputs{.inputs = places, .weights = weights[r]}; },
      results);
  std::vector<std::int64_t> whole;
  for (std::size_t r = 0; r < 70; ++r) whole.insert(whole.end(), {2, 0, std::int64_t{weights[r][0]} - 1});
  for (std::size_t r = 0; r < 70; ++r)
    for (std::size_t j = 0; j <= 512; ++j) {
      const Torus weight = static_cast<Torus>(std::int64_t{weights[r][0]} - 1);
      ASSERT_EQ(results[r][j], (j == 512 ? before[r] : 0) + 2 * inputs[0][j] + weight * inputs[2][j]) << r << ", " << j;
    }
  EXPECT_EQ(results, party.evaluator.linear(inputs, whole, before));
}

/// Bit i of 64 keys, as a word.
std::vector<std::uint64_t> bits_of_keys(const Context& context) {
  std::vector<std::uint64_t> bits(context.small() + context.large());
  for (int key = 0; key < 64; ++key) {
    const SecretKey secret = SecretKey::generate(context);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const std::uint8_t bit = i < context.small() ? secret.small()[i] : secret.large()[i - context.small()];
      bits[i] |= std::uint64_t{bit} << key;
    }
  }
  return bits;
}

TEST(TfheSecretKeys, HaveBitsOfWhichNoneFollowsFromAnother) {
  const auto context = Context::make(params::TfheParameters::check(testing::small_literal()));
  std::vector<std::uint64_t> bits = bits_of_keys(*context);
  // Neither constant nor another one or its opposite.
  bits.push_back(0);
  const std::size_t count = bits.size();
  for (std::size_t i = 0; i < count; ++i) bits.push_back(~bits[i]);
  std::ranges::sort(bits);
  EXPECT_EQ(std::ranges::adjacent_find(bits), bits.end());
}

TEST(LweBatches, AreEqualWordByWordAndStartOnWholeTiles) {
  params::ParameterHash hash{}, other_hash{};
  other_hash[0] = 1;
  const auto batch = [](std::size_t dimension, std::size_t count, const params::ParameterHash& parameters) {
    SmallLweCiphertexts result(params::LweDimension{dimension}, count, parameters);
    std::fill_n(result.data(), result.stride() * count, 7);
    return result;
  };
  for (const auto& [dimension, stride] : {std::pair<std::size_t, std::size_t>{1, 64}, {63, 64}, {64, 128}, {127, 128}})
    EXPECT_EQ(batch(dimension, 1, hash).stride(), stride);
  const SmallLweCiphertexts one = batch(10, 2, hash);
  EXPECT_EQ(one, batch(10, 2, hash));
  EXPECT_FALSE(one == batch(11, 2, hash));
  EXPECT_FALSE(one == batch(10, 1, hash));
  EXPECT_FALSE(one == batch(10, 2, other_hash));
  for (const std::size_t i : {0, 1}) {
    SmallLweCiphertexts changed = one;
    changed.body(i) = 8;
    EXPECT_FALSE(one == changed);
    changed = one;
    changed.mask(i)[9] = 8;
    EXPECT_FALSE(one == changed);
  }
  EXPECT_EQ(one[1].size(), 11u);
  EXPECT_EQ(one.mask(1).size(), 10u);
  EXPECT_EQ(SmallLweCiphertexts{}.count(), 0u);
}

/// The last stage, and how much of it was done.
class KeySteps final : public base::Progress {
 public:
  std::uint64_t planned = 0;
  std::atomic<std::uint64_t> done{0};

 private:
  void stage_began(std::string_view, std::uint64_t steps) override { planned = steps; }
  void steps_done(std::uint64_t steps) override { done += steps; }
  void stage_ended() override {}
  bool cancelled() const override { return false; }
};

TEST(TfheEvaluationKeys, AreMadeInAStepForEveryBitOfTheSmallKey) {
  const Party party(testing::small_literal());
  KeySteps steps;
  SeededEvaluationKeys::generate(*party.context, party.secret, steps);
  EXPECT_EQ(steps.planned, 100u);
  EXPECT_EQ(steps.done, 100u);
}

}  // namespace
}  // namespace tacit::scheme::tfhe
