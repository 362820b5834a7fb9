#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/ckks/serialize.h"

// Where what is in the bytes, and the least and the most that each place may hold.
namespace tacit::scheme::ckks {
namespace {

using base::expect_refusal;
using testing::Party;
using Bytes = std::vector<std::uint8_t>;

// Behind magic, kind and hash.
constexpr std::size_t kLevel = 4 + 1 + 32, kFlag = kLevel + 2 + 8, kFirstResidue = kFlag + 1;
constexpr std::size_t kProductFlag = kLevel, kConjugationFlag = kProductFlag + 1, kRotationLevels = kProductFlag + 2,
                      kRotationCount = kRotationLevels + 2, kFirstSteps = kRotationCount + 4;

params::KeyManifest rotations_at_zero(std::initializer_list<std::int64_t> steps) {
  params::KeyManifest manifest;
  for (const std::int64_t s : steps) manifest.rotations[s] = 0;
  return manifest;
}

TEST(SerializeLayout, EveryKindHasItsNumberAndIsTakenForNoOther) {
  const Party party(testing::small_literal(6, 3, 2));
  const Context& context = *party.context;
  const Bytes kinds[] = {serialize(context, party.encrypt(party.random(1))), serialize(context, party.secret),
                         serialize(context, party.public_key), serialize(context, *party.keys)};
  for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
    const Bytes& bytes = kinds[kind];
    const Bytes begin{'T', 'C', 'K', '7', static_cast<std::uint8_t>(kind + 1)};
    EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 5), begin);
    const auto takes_its_own = [&](std::size_t own, const auto& load, const char* words) {
      if (kind == own)
        EXPECT_NO_THROW(load());
      else
        expect_refusal<base::InputError>(load, words);
    };
    takes_its_own(
        0, [&] { deserialize_ciphertext(context, bytes); }, "cannot load ciphertext: these bytes");
    takes_its_own(
        1, [&] { deserialize_secret_key(context, bytes); }, "cannot load secret key: these bytes");
    takes_its_own(
        2, [&] { deserialize_public_key(context, bytes); }, "cannot load public key: these bytes");
    takes_its_own(
        3, [&] { deserialize_evaluation_keys(context, bytes); }, "cannot load evaluation keys: these bytes");
  }
}

TEST(SerializeLayout, FlagsAreZeroOrOne) {
  const Party party(testing::small_literal(6, 3, 2));
  Bytes ciphertext = serialize(*party.context, party.encrypt(party.random(1)));
  ASSERT_EQ(ciphertext[kFlag], 1);
  Bytes keys = serialize(*party.context, *party.keys);
  for (const std::uint8_t value : {std::uint8_t{2}, std::uint8_t{255}}) {
    ciphertext[kFlag] = value;
    expect_refusal<base::InputError>([&] { deserialize_ciphertext(*party.context, ciphertext); },
                                     "a flag is neither 0 nor 1");
    Bytes other = keys;
    other[kConjugationFlag] = value;
    expect_refusal<base::InputError>([&] { deserialize_evaluation_keys(*party.context, other); },
                                     "a flag is neither 0 nor 1");
  }
  for (const std::uint8_t form : {std::uint8_t{3}, std::uint8_t{255}}) {
    keys[kProductFlag] = form;
    expect_refusal<base::InputError>([&] { deserialize_evaluation_keys(*party.context, keys); },
                                     "its relinearisation key has an unknown form");
  }
}

TEST(SerializeLayout, ResiduesAreBelowTheirPrimes) {
  const Party party(testing::small_literal(6, 3, 2));
  Bytes bytes = serialize(*party.context, party.encrypt(party.random(1)));
  const std::uint64_t prime = party.context->parameters().q()[0];
  const auto with_residue = [&](std::uint64_t value) {
    for (std::size_t i = 0; i < 7; ++i) bytes[kFirstResidue + i] = static_cast<std::uint8_t>(value >> (8 * i));
    return deserialize_ciphertext(*party.context, bytes).c0.limb(0)[0];
  };
  EXPECT_EQ(with_residue(prime - 1), prime - 1);
  EXPECT_EQ(with_residue(0), 0u);
  expect_refusal<base::InputError>([&] { with_residue(prime); }, "a residue is not below its prime");
}

TEST(SerializeLayout, ResiduesAreTheLowBytesOfTheirWordsOneAfterTheOther) {
  const Party party(testing::small_literal(6, 3, 2));
  const Ciphertext fresh = party.encrypt(party.random(1));
  Bytes bytes = serialize(*party.context, fresh);
  std::size_t at = kFirstResidue, last = 0, wide = 0;
  for (std::size_t row = 0; row < fresh.c0.limbs(); ++row) {
    wide = row == 0 ? 7 : 5;
    for (std::size_t i = 0; i < fresh.c0.n(); ++i) {
      std::uint64_t value = 0;
      for (std::size_t k = 0; k < wide; ++k) value |= static_cast<std::uint64_t>(bytes[at + k]) << (8 * k);
      ASSERT_EQ(value, fresh.c0.limb(row)[i]) << row << " " << i;
      last = at;
      at += wide;
    }
  }
  EXPECT_EQ(at, bytes.size() - sizeof(base::Seed));
  // The last one is checked, too.
  for (std::size_t k = 0; k < wide; ++k) bytes[last + k] = 0xff;
  expect_refusal<base::InputError>([&] { deserialize_ciphertext(*party.context, bytes); },
                                   "a residue is not below its prime");
}

TEST(SerializeLayout, ScalesArePositiveNumbers) {
  const Party party(testing::small_literal(6, 3, 2));
  Bytes bytes = serialize(*party.context, party.encrypt(party.random(1)));
  for (std::size_t i = kLevel + 2; i < kFlag; ++i) bytes[i] = 0;
  expect_refusal<base::InputError>([&] { deserialize_ciphertext(*party.context, bytes); },
                                   "load ciphertext: the scale 0 is not a positive number");
}

TEST(SerializeLayout, NoKeysAreTwoFlagsLevelsAndACount) {
  const Party party(testing::small_literal(6, 3, 2));
  const Bytes bytes = serialize(*party.context, *party.keys);
  EXPECT_EQ(bytes.size(), kFirstSteps);
  for (std::size_t i = kProductFlag; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], 0) << i;
  EXPECT_EQ(deserialize_evaluation_keys(*party.context, bytes).manifest(), params::KeyManifest{});
}

TEST(SerializeLayout, RotationsReachNoMoreLevelsThanThereAre) {
  params::KeyManifest manifest{.rotations = {{1, 3}}};
  manifest.rotation_primes.top = 3;
  const Party party(testing::small_literal(6, 3, 2), manifest);
  Bytes bytes = serialize(*party.context, *party.keys);
  EXPECT_EQ(bytes[kRotationLevels], 4);
  EXPECT_EQ(deserialize_evaluation_keys(*party.context, bytes).manifest(), manifest);
  bytes[kRotationLevels] = 5;
  expect_refusal<base::InputError>([&] { deserialize_evaluation_keys(*party.context, bytes); },
                                   "its rotations reach 5 levels, and there are 4");
}

TEST(SerializeLayout, StepsOfRotationsRiseWithinTheSlots) {
  const auto survives = [](std::initializer_list<std::int64_t> steps) {
    const Party party(testing::small_literal(6, 3, 2), rotations_at_zero(steps));
    const EvaluationKeys keys = deserialize_evaluation_keys(*party.context, serialize(*party.context, *party.keys));
    EXPECT_EQ(keys.manifest(), party.keys->manifest());
  };
  survives({1, 2, 3});
  survives({31});
  const Party party(testing::small_literal(6, 3, 2), rotations_at_zero({1, 30}));
  const Bytes bytes = serialize(*party.context, *party.keys);
  EXPECT_EQ(bytes[kRotationCount], 2);
  const std::size_t second = kFirstSteps + (bytes.size() - kFirstSteps) / 2;
  ASSERT_EQ(bytes[kFirstSteps], 1);
  ASSERT_EQ(bytes[second], 30);
  const auto refuses = [&](std::uint8_t one, std::uint8_t two, const char* words) {
    Bytes changed = bytes;
    changed[kFirstSteps] = one;
    changed[second] = two;
    expect_refusal<base::InputError>([&] { deserialize_evaluation_keys(*party.context, changed); }, words);
  };
  refuses(0, 30, "rotation steps 0 are out of order or range");
  refuses(32, 30, "rotation steps 32 are out of order or range");
  refuses(30, 30, "rotation steps 30 are out of order or range");
  refuses(31, 30, "rotation steps 30 are out of order or range");
  refuses(1, 32, "rotation steps 32 are out of order or range");
}

TEST(SerializeLayout, RealSlotsHaveNoConjugationKey) {
  params::CkksLiteral literal = testing::small_literal(6, 3, 2);
  literal.real_slots = true;
  const Party party(literal);
  Bytes bytes = serialize(*party.context, *party.keys);
  bytes[kConjugationFlag] = 1;
  expect_refusal<base::InputError>([&] { deserialize_evaluation_keys(*party.context, bytes); },
                                   "it holds a conjugation key, and the slots are real");
}

}  // namespace
}  // namespace tacit::scheme::ckks
