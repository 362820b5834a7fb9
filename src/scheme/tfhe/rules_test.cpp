#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/refusal_for_test.h"
#include "base/sha256.h"
#include "scheme/tfhe/bounded_noise.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/modulus_switch.h"
#include "scheme/tfhe/packing_key.h"
#include "scheme/tfhe/party_for_test.h"
#include "scheme/tfhe/rounding.h"
#include "scheme/tfhe/serialize.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {
namespace {

using testing::Party;

/// One party for all tests of this file: n = 100, k = 2, N = 256, an extension of 2, messages of 2 bits, 4 tables.
const Party& party() {
  static const Party instance(testing::small_literal());
  return instance;
}
const Context& context() { return *party().context; }
/// The same but for its 2-norm, which its hash tells.
ContextPtr other_context() {
  params::TfheLiteral literal = testing::small_literal();
  literal.norm2 = 1;
  return Context::make(params::TfheParameters::check(literal));
}

TEST(TfheTorus, MessagesAreTheNearestOfTheirPhases) {
  for (const int bits : {1, 2, 7, 16}) {
    const Torus unit = Torus{1} << (63 - bits), half = unit / 2;
    const std::uint64_t messages = std::uint64_t{2} << bits;
    for (const std::uint64_t m : {std::uint64_t{0}, std::uint64_t{1}, messages / 2 - 1, messages / 2, messages - 1}) {
      const Torus phase = encode(static_cast<std::int64_t>(m), bits);
      EXPECT_EQ(phase, m * unit) << bits;
      EXPECT_EQ(decode(phase, bits), m);
      EXPECT_EQ(decode(phase + half - 1, bits), m);
      EXPECT_EQ(decode(phase + half, bits), (m + 1) % messages);
      EXPECT_EQ(decode(phase - half, bits), m);
      EXPECT_EQ(decode(phase - half - 1, bits), (m + messages - 1) % messages);
    }
    EXPECT_EQ(encode(-1, bits), encode(static_cast<std::int64_t>(messages) - 1, bits));
  }
}

/// Balanced digits in [-B / 2, B / 2) of a word rounded to a multiple of 2^lowest, halves up.
std::vector<std::int64_t> balanced_digits(Torus word, int base_log, int levels) {
  const int lowest = 64 - base_log * levels;
  Torus rest = (word >> lowest) + (word >> (lowest - 1) & 1);
  std::vector<std::int64_t> digits(static_cast<std::size_t>(levels));
  for (std::size_t level = digits.size(); level-- > 0;) {
    auto digit = static_cast<std::int64_t>(rest % (Torus{1} << base_log));
    rest >>= base_log;
    if (digit >= std::int64_t{1} << (base_log - 1)) {
      digit -= std::int64_t{1} << base_log;
      ++rest;
    }
    digits[level] = digit;
  }
  return digits;
}

TEST(TfheDigits, AreBalancedOnesOfTheWordOrOfItsNegative) {
  std::mt19937_64 random(4);
  for (const auto& [base_log, levels] :
       {std::pair{1, 1}, {1, 14}, {2, 8}, {5, 3}, {10, 2}, {23, 1}, {30, 1}, {15, 2}, {31, 2}}) {
    const DigitsOf digits({.base_log = base_log, .levels = levels});
    ASSERT_EQ(digits.levels(), static_cast<std::size_t>(levels));
    for (int level = 0; level < levels; ++level)
      EXPECT_EQ(digits.weight(static_cast<std::size_t>(level)), Torus{1} << (64 - base_log * (level + 1)));
    const int lowest = 64 - base_log * levels;
    std::vector<Torus> words{0, 1, ~Torus{0}, Torus{1} << 63, (Torus{1} << 63) - 1, (Torus{1} << 63) + 1};
    for (const Torus halfway : {Torus{1} << (lowest - 1), Torus{3} << (lowest - 1)})
      for (const Torus offset : {~Torus{0}, Torus{0}, Torus{1}}) words.push_back(halfway + offset);
    for (int i = 0; i < 300; ++i) words.push_back(random());
    for (const Torus word : words) {
      std::vector<std::int64_t> cut(digits.levels());
      digits.cut(word, cut.data());
      const bool negative = (word >> (lowest - 2) & 1) != 0;
      std::vector<std::int64_t> expected = balanced_digits(negative ? Torus{0} - word : word, base_log, levels);
      if (negative)
        for (std::int64_t& digit : expected) digit = -digit;
      ASSERT_EQ(cut, expected) << word << ", " << levels << " of " << base_log;
    }
  }
}

TEST(TfheDraws, OfNoiseAreTheTopOfAWord) {
  for (const int bits : {0, 1, 3, 20, 40, 62}) {
    base::Csprng random(base::Seed{8}, static_cast<std::uint64_t>(bits)),
        words(base::Seed{8}, static_cast<std::uint64_t>(bits));
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t draw = words.next() >> (62 - bits);  // bits + 2 of them
      const auto expected = static_cast<std::int64_t>((draw + 1) / 2) - (std::int64_t{1} << bits);
      ASSERT_EQ(bounded_noise(random, bits), expected) << bits;
    }
  }
}

TEST(TfheModulusSwitch, RoundsTheMaskAndTakesHalfOfItsErrorsOffTheBody) {
  std::mt19937_64 random(6);
  for (const unsigned log_room : {0u, 1u, 2u}) {
    const std::int64_t steps = static_cast<std::int64_t>(2 * 256 * 2) >> log_room;
    const std::int64_t unit = (std::int64_t{1} << 32) / steps;
    for (int round = 0; round < 50; ++round) {
      std::vector<std::uint32_t> ciphertext(101);
      for (std::uint32_t& word : ciphertext) word = static_cast<std::uint32_t>(random());
      ciphertext[0] = 0xffffffff;
      ciphertext[1] = static_cast<std::uint32_t>(unit / 2);
      ciphertext[2] = static_cast<std::uint32_t>(unit / 2 - 1);
      if (round % 2 == 0) ciphertext[100] = static_cast<std::uint32_t>(round);
      const Rotations rotations = modulus_switch(context(), ciphertext, log_room);
      ASSERT_EQ(rotations.mask.size(), 100u);
      std::int64_t errors = 0;
      for (std::size_t i = 0; i < 100; ++i) {
        const std::int64_t word = ciphertext[i], nearest = (word + unit / 2) / unit;
        errors += word - nearest * unit;
        ASSERT_EQ(rotations.mask[i], static_cast<std::uint32_t>(nearest % steps) << log_room) << i;
      }
      const std::int64_t half = (errors - (errors % 2 != 0 && errors < 0 ? 1 : 0)) / 2;  // rounded down
      const std::int64_t body =
          ((std::int64_t{ciphertext[100]} - half) % (std::int64_t{1} << 32) + (std::int64_t{1} << 32)) %
          (std::int64_t{1} << 32);
      ASSERT_EQ(rotations.body, static_cast<std::uint32_t>(body / unit) << log_room);
    }
  }
}

TEST(TfheModulusSwitch, TakesHalfOfTheErrorsOffRoundedDown) {
  constexpr std::uint32_t kUnit = std::uint32_t{1} << 22;  // 2^32 over 1,024 steps
  struct Case {
    std::int32_t error;  // of one word of the mask, whose others are multiples
    std::uint32_t body, box;
  };
  for (const Case& each :
       {Case{0, 5 * kUnit, 5}, Case{0, 5 * kUnit - 1, 4}, Case{1, 5 * kUnit, 5}, Case{2, 5 * kUnit, 4},
        Case{2, 5 * kUnit + 1, 5}, Case{3, 5 * kUnit + 1, 5}, Case{4, 5 * kUnit + 1, 4}, Case{-1, 5 * kUnit - 1, 5},
        Case{-1, 5 * kUnit - 2, 4}, Case{-2, 5 * kUnit - 1, 5}, Case{-2, 5 * kUnit - 2, 4}, Case{-3, 5 * kUnit - 2, 5},
        Case{2, 0, 1023}}) {
    std::vector<std::uint32_t> ciphertext(101, 3 * kUnit);
    ciphertext[99] = static_cast<std::uint32_t>(each.error);
    ciphertext[100] = each.body;
    const Rotations rotations = modulus_switch(context(), ciphertext, 0);
    EXPECT_EQ(rotations.body, each.box) << each.error << ", " << each.body;
    EXPECT_EQ(rotations.mask[0], 3u);
    EXPECT_EQ(rotations.mask[99], 0u);
  }
}

TEST(TfheBatches, LieInWholeTilesAndAreEqualByTheirWords) {
  const params::ParameterHash hash = context().parameters().hash();
  for (const auto& [dimension, stride] :
       {std::pair<std::size_t, std::size_t>{1, 64}, {63, 64}, {64, 128}, {127, 128}}) {
    LweCiphertexts batch(params::LweDimension(dimension), 3, hash);
    EXPECT_EQ(batch.stride(), stride) << dimension;
    EXPECT_EQ(batch.dimension(), dimension);
    EXPECT_EQ(batch[2].size(), dimension + 1);
    EXPECT_EQ(batch.mask(2).size(), dimension);
    EXPECT_EQ(batch[2].data() - batch.data(), static_cast<std::ptrdiff_t>(2 * stride));
    EXPECT_EQ(&batch.body(1), &batch[1].back());
    for (std::size_t i = 0; i < 3; ++i) std::ranges::fill(batch[i], i);
    EXPECT_EQ(std::as_const(batch).body(1), 1u);
    LweCiphertexts copy = batch;
    EXPECT_EQ(copy, batch);
    copy[2][dimension] = 9;
    EXPECT_NE(copy, batch);
    LweCiphertexts fewer(params::LweDimension(dimension), 2, hash);
    for (std::size_t i = 0; i < 2; ++i) std::ranges::fill(fewer[i], i);
    EXPECT_NE(fewer, batch);
    LweCiphertexts foreign(params::LweDimension(dimension), 3, params::ParameterHash{});
    for (std::size_t i = 0; i < 3; ++i) std::ranges::fill(foreign[i], i);
    EXPECT_NE(foreign, batch);
  }
}

TEST(TfheBounds, NameBothParameterSets) {
  const auto first = [](const params::ParameterHash& hash) { return base::hexadecimal(hash).substr(0, 12); };
  const ContextPtr other = other_context();
  EXPECT_EQ(base::refusal<base::KeyMismatch>([&] { Encryptor(other, party().secret); }),
            fmt::format("encrypt: the secret key's bits belong to another parameter set ({}) than 'test' ({})",
                        first(context().parameters().hash()), first(other->parameters().hash())));
  const LweCiphertexts short_ones(params::LweDimension(5), 1, context().parameters().hash());
  EXPECT_EQ(base::refusal([&] { party().decryptor.phases(short_ones); }),
            "decrypt: ciphertexts of dimension 5, but the parameter set 'test' has 512");
  const SmallLweCiphertexts small(params::LweDimension(512), 0, context().parameters().hash());
  EXPECT_EQ(base::refusal([&] { party().evaluator.bootstrap(small, {}); }),
            "bootstrap: ciphertexts of dimension 512, but the parameter set 'test' has 100");
}

TEST(TfheBounds, CountRowsAndWordsOfKeys) {
  SeededEvaluationKeys keys = party().seeded;
  ASSERT_EQ(keys.key_switch.bodies.size(), 2048u);  // 512 bits of 4 levels
  keys.key_switch.bodies.pop_back();
  EXPECT_EQ(base::refusal([&] { KeySwitchKey(party().context, keys.key_switch); }),
            "key switching key: 2047 rows, but the parameter set has 2048");
  ASSERT_EQ(keys.bootstrap.bodies.size(), 153600u);  // 100 bits of 3 * 2 rows of 256 words
  keys.bootstrap.bodies.push_back(0);
  EXPECT_EQ(base::refusal([&] { BootstrapKey(context(), keys.bootstrap); }),
            "bootstrapping key: 153601 words, but the parameter set has 153600");
  EXPECT_EQ(SeededBootstrapKey::rows(context()), 600u);
  const std::vector<std::uint8_t> small(100, 1), large(512, 0);
  const auto secret = [&](std::span<const std::uint8_t> of_small, std::span<const std::uint8_t> of_large) {
    return base::refusal([&] { SecretKey(context(), of_small, of_large); });
  };
  const std::string words = "secret key: expected 100 and 512 words of 0 or 1";
  EXPECT_EQ(secret(small, large), base::kNotRefused);
  EXPECT_EQ(secret(std::span(small).first(99), large), words);
  EXPECT_EQ(secret(small, std::span(large).first(511)), words);
  std::vector<std::uint8_t> two = small;
  two[99] = 2;
  EXPECT_EQ(secret(two, large), words);
  two = large;
  two[511] = 2;
  EXPECT_EQ(secret(small, two), words);
}

TEST(TfheBounds, StateTheMessagesThatTablesTake) {
  const auto why = [](std::vector<std::int64_t> messages) {
    return base::refusal([&] { party().encryptor.encrypt_messages(messages); });
  };
  EXPECT_EQ(why({0, 3}), base::kNotRefused);
  EXPECT_EQ(why({0, 4}), "encrypt: message 1 is a private value (--verbose shows it), outside 0 to 3");
  EXPECT_EQ(why({-1, 0}), "encrypt: message 0 is a private value (--verbose shows it), outside 0 to 3");
}

TEST(TfheBounds, CountFunctionsAndValuesOfTables) {
  const auto why = [](const std::vector<std::vector<Torus>>& functions) {
    return base::refusal([&] { LookupTable(context(), functions); });
  };
  const auto of = [](std::size_t functions, std::size_t values) {
    return std::vector<std::vector<Torus>>(functions, std::vector<Torus>(values, 5));
  };
  EXPECT_EQ(why({}), "lookup table: 0 functions, but the parameter set 'test' bootstraps 1 to 4 at once");
  EXPECT_EQ(why(of(5, 4)), "lookup table: 5 functions, but the parameter set 'test' bootstraps 1 to 4 at once");
  EXPECT_EQ(why(of(4, 4)), base::kNotRefused);
  const auto values = [](std::size_t count, std::size_t most) {
    return fmt::format("lookup table: {} values for messages of 2 bits; expected 4, or a larger power of two up to {}",
                       count, most);
  };
  EXPECT_EQ(why(of(1, 2)), values(2, 256));
  EXPECT_EQ(why(of(1, 6)), values(6, 256));
  EXPECT_EQ(why(of(1, 0)), values(0, 256));
  EXPECT_EQ(why(of(1, 256)), base::kNotRefused);
  EXPECT_EQ(why(of(1, 512)), values(512, 256));
  EXPECT_EQ(why(of(2, 128)), base::kNotRefused);
  EXPECT_EQ(why(of(2, 256)), values(256, 128));
  EXPECT_EQ(why(of(3, 64)), base::kNotRefused);
  EXPECT_EQ(why(of(3, 128)), values(128, 64));
  EXPECT_EQ(why({std::vector<Torus>(4), std::vector<Torus>(8)}), values(8, 128));
}

TEST(TfheTables, HoldEveryMessageInTheMiddleOfItsBox) {
  for (std::size_t count = 1; count <= 4; ++count)
    for (const std::size_t entries : {4, 16}) {
      std::vector<std::vector<Torus>> functions(count);
      for (std::size_t f = 0; f < count; ++f)
        for (std::size_t x = 0; x < entries; ++x) functions[f].push_back(1000 * (f + 1) + x);
      const LookupTable table(context(), functions);
      const unsigned log_room = std::array{0u, 1u, 2u, 2u}[count - 1];
      EXPECT_EQ(table.log_room(), log_room);
      EXPECT_EQ(table.functions(), count);
      const std::size_t room = std::size_t{1} << log_room, box = 512 / room / entries;
      for (std::size_t at = 0; at < 512; ++at) {
        // Coefficient `at` of the extended polynomial; function 0 fills places of functions that are not there.
        const std::size_t f = at % room < count ? at % room : 0, place = at / room;
        Torus expected = 0 - functions[f][0];
        for (std::size_t x = 0; x < entries; ++x)
          if (place + box / 2 >= x * box && place + box / 2 < (x + 1) * box) expected = functions[f][x];
        ASSERT_EQ(table.component(at % 2)[at / 2], expected) << count << " functions of " << entries << ", at " << at;
      }
    }
  const LookupTable twice = LookupTable::of(context(), [](std::int64_t x) { return 2 * x; });
  EXPECT_EQ(twice.functions(), 1u);
  for (std::int64_t x = 0; x < 4; ++x)
    EXPECT_EQ(twice.component(0)[static_cast<std::size_t>(64 * x)], encode(2 * x, 2)) << x;
}

TEST(TfheRounding, LiesBetweenTheLowestBitAndThePadding) {
  const LweCiphertexts none = party().encryptor.encrypt({});
  const auto why = [&](int step, int dropped) {
    return base::refusal([&] { round_off(party().evaluator, none, step, dropped); });
  };
  const auto refused = [](int step, int dropped) {
    return fmt::format("round_off: {} bits from 2^{} on do not lie between 2^1 and the padding at 2^63", dropped, step);
  };
  EXPECT_EQ(why(1, 1), base::kNotRefused);
  EXPECT_EQ(why(1, 62), base::kNotRefused);
  EXPECT_EQ(why(62, 1), base::kNotRefused);
  EXPECT_EQ(why(0, 1), refused(0, 1));
  EXPECT_EQ(why(1, 0), refused(1, 0));
  EXPECT_EQ(why(1, 63), refused(1, 63));
  EXPECT_EQ(why(63, 1), refused(63, 1));
}

// A bit is told rightly while what lies below it stays within a quarter of the torus.
TEST(TfheRounding, TellsBitsUpToAQuarterFromTheirMiddle) {
  const Party precise({.name = "precise",
                       .bits = 1,
                       .norm2 = 1,
                       .lwe_dimension = 16,
                       .glwe_dimension = 1,
                       .log_polynomial = 8,
                       .log_extension = 0,
                       .lwe_noise_bits = 3,
                       .glwe_noise_bits = 3,
                       .bootstrap = {.base_log = 15, .levels = 2},
                       .key_switch = {.base_log = 4, .levels = 6},
                       .log_tables = 0,
                       .log2_failure = -40,
                       .insecure = true});
  constexpr int kStep = 60, kDropped = 2;
  // The lowest bit is multiplied by eight: to a 32nd of the torus less than a quarter.
  constexpr Torus kMost = ((Torus{1} << 62) - (Torus{1} << 59)) / 8;
  std::vector<Torus> inputs, expected;
  for (Torus m = 0; m < 8; ++m)
    for (const Torus offset : {Torus{0} - kMost, Torus{0}, kMost}) {
      inputs.push_back((m << kStep) + offset);
      expected.push_back(((m + 2) / 4 << (kStep + kDropped)) + offset);
    }
  const std::vector<Torus> found =
      precise.decryptor.phases(round_off(precise.evaluator, precise.encryptor.encrypt(inputs), kStep, kDropped));
  ASSERT_EQ(found.size(), 24u);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LT(std::abs(testing::difference(found[i], expected[i])), 0x1p-12) << i / 3 << ", " << i % 3;
}

TEST(TfheSums, AreTheSameInPiecesAndInBlocks) {
  std::mt19937_64 random(12);
  constexpr std::size_t kInputs = 5, kRows = 65;  // more rows than a block has; 513 words are five pieces
  std::vector<Torus> messages(kInputs);
  for (Torus& message : messages) message = random();
  const LweCiphertexts inputs = party().encryptor.encrypt(messages);
  std::vector<std::int64_t> weights(kRows * kInputs);
  std::vector<std::vector<std::int32_t>> row_weights(kRows);
  const std::vector<std::uint32_t> positions{0, 1, 2, 3, 4};
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t i = 0; i < kInputs; ++i) {
      weights[r * kInputs + i] = static_cast<std::int64_t>(random() % 2001) - 1000;
      row_weights[r].push_back(static_cast<std::int32_t>(weights[r * kInputs + i]));
    }
  std::vector<Torus> offsets(kRows);
  for (Torus& offset : offsets) offset = random();
  const LweCiphertexts expected = party().evaluator.linear(inputs, weights, offsets);
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t j = 0; j <= 512; ++j) {
      Torus sum = j == 512 ? offsets[r] : 0;
      for (std::size_t i = 0; i < kInputs; ++i) sum += static_cast<Torus>(weights[r * kInputs + i]) * inputs[i][j];
      ASSERT_EQ(expected[r][j], sum) << r << ", " << j;
    }
  LweCiphertexts sums = party().evaluator.trivial(offsets);
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSERT_EQ(sums.body(r), offsets[r]);
    ASSERT_EQ(sums.mask(r)[511], 0u);
  }
  party().evaluator.add_sums(
      inputs,
      [&](std::size_t r) {
        return Evaluator::WeightedInputs{positions, row_weights[r]};
      },
      sums);
  EXPECT_EQ(sums, expected);
}

TEST(TfheSums, AreRefusedWithoutTheirInputsAndWeights) {
  const LweCiphertexts inputs = party().encryptor.encrypt(std::vector<Torus>{1, 2});
  LweCiphertexts sums = party().evaluator.trivial(std::vector<Torus>{0});
  const std::vector<std::int32_t> weights{1};
  const auto add = [&](std::uint32_t position) {
    const std::vector<std::uint32_t> positions{position};
    return base::refusal([&] {
      party().evaluator.add_sums(
          inputs,
          [&](std::size_t) {
            return Evaluator::WeightedInputs{positions, weights};
          },
          sums);
    });
  };
  EXPECT_EQ(add(1), base::kNotRefused);
  EXPECT_EQ(add(2), "add_sums: there is no ciphertext 2");
  EXPECT_EQ(base::refusal([&] {
              party().evaluator.linear(inputs, std::vector<std::int64_t>{1, 2, 3}, std::vector<Torus>{0, 0});
            }),
            "linear: 3 weights for 2 inputs and 2 results; expected 4");
  const SmallLweCiphertexts small = party().evaluator.key_switch(inputs);
  EXPECT_EQ(base::refusal([&] { party().evaluator.bootstrap(small, {}); }), "bootstrap: 0 tables for 2 ciphertexts");
}

TEST(TfhePacking, TakesDigitsOfUpToThirtyBits) {
  const auto why = [](int base_log, int levels) {
    SeededPackingKey key{.cut = {.base_log = base_log, .levels = levels},
                         .seed = {},
                         .bodies = {},
                         .parameters = context().parameters().hash()};
    return base::refusal([&] { PackingKey(party().context, key); });
  };
  const auto digits = [](int base_log, int levels) {
    return fmt::format("packing key: {} levels of {} bits; all levels have 1 to 30 bits", levels, base_log);
  };
  const auto words = [](std::size_t levels) {
    return fmt::format("packing key: 0 words, but the parameter set has {}", 512 * levels * 256);
  };
  for (const auto& [base_log, levels] : {std::pair{0, 1}, {1, 0}, {31, 1}, {1, 31}, {16, 2}, {-1, 1}, {8, 4}})
    EXPECT_EQ(why(base_log, levels), digits(base_log, levels));
  for (const auto& [base_log, levels] : {std::pair{1, 1}, {30, 1}, {1, 30}, {15, 2}, {10, 3}})
    EXPECT_EQ(why(base_log, levels), words(static_cast<std::size_t>(levels)));
  EXPECT_EQ(base::refusal([] { SeededPackingKey::generate(context(), party().secret, {.base_log = 31, .levels = 1}); }),
            digits(31, 1));
}

TEST(TfhePacking, PutsEveryMessageIntoItsCoefficient) {
  const PackingKey key(party().context,
                       SeededPackingKey::generate(context(), party().secret, {.base_log = 12, .levels = 2}));
  for (const std::size_t count : {0, 1, 3, 256}) {
    std::vector<Torus> messages;
    for (std::size_t i = 0; i < count; ++i) messages.push_back(encode(static_cast<std::int64_t>(i * 5 % 8), 2));
    const GlweCiphertext packed = key.pack(party().encryptor.encrypt(messages));
    ASSERT_EQ(packed.words.size(), 768u);
    const std::vector<Torus> found = phases(context(), party().secret, packed);
    ASSERT_EQ(found.size(), 256u);
    for (std::size_t i = 0; i < 256; ++i)
      ASSERT_EQ(decode(found[i], 2), i < count ? i * 5 % 8 : 0) << i << " of " << count;
  }
  const LweCiphertexts many = party().evaluator.trivial(std::vector<Torus>(257, 0));
  EXPECT_EQ(base::refusal([&] { key.pack(many); }),
            "pack: 257 ciphertexts, but a polynomial of parameter set 'test' has 256 coefficients");
  const GlweCiphertext cut{.words = base::AlignedVector<Torus>(767, 0), .parameters = context().parameters().hash()};
  EXPECT_EQ(base::refusal([&] { phases(context(), party().secret, cut); }),
            "decrypt: a ciphertext of 767 words; expected 768");
}

TEST(TfheBytes, AreCountedInWhatIsRefused) {
  std::vector<std::uint8_t> ciphertexts = serialize(context(), party().evaluator.trivial(std::vector<Torus>{1, 2}));
  ASSERT_EQ(ciphertexts.size(), 37u + 2 * 513 * 8);
  ciphertexts.pop_back();
  EXPECT_EQ(base::refusal([&] { deserialize_ciphertexts(context(), ciphertexts); }),
            "cannot load TFHE ciphertexts: 8207 bytes are no whole number of ciphertexts of 4104 (byte 37 of 8244)");
  std::vector<std::uint8_t> fresh = serialize(context(), party().encryptor.encrypt_seeded(std::vector<Torus>{1}));
  fresh.push_back(0);
  EXPECT_EQ(base::refusal([&] { deserialize_fresh_ciphertexts(context(), fresh); }),
            "cannot load TFHE fresh ciphertexts: 9 bytes are no whole number of ciphertexts of 8 (byte 69 of 78)");
  std::vector<std::uint8_t> secret = serialize(context(), party().secret);
  secret.push_back(0);
  EXPECT_EQ(base::refusal([&] { deserialize_secret_key(context(), secret); }),
            "cannot load TFHE secret key: 613 bytes follow where 612 belong (byte 37 of 650)");
  std::vector<std::uint8_t> keys = serialize(context(), party().seeded);
  keys.pop_back();
  EXPECT_EQ(base::refusal([&] { deserialize_evaluation_keys(context(), keys); }),
            "cannot load TFHE evaluation keys: 1237055 bytes follow where 1237056 belong (byte 37 of 1237092)");
}

}  // namespace
}  // namespace tacit::scheme::tfhe
