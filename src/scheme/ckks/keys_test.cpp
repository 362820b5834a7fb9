#include "scheme/ckks/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using testing::Party;
using ::testing::ThrowsMessage;

/// Six ciphertext primes in digits of two.
params::CkksLiteral literal_of_digits() {
  params::CkksLiteral result = testing::small_literal(10, 5, 2);
  result.digits = {2, 2, 2};
  return result;
}

/// The keys of a manifest for the set without q_2, which those above it serve.
std::shared_ptr<const EvaluationKeys> without_one(const params::KeyManifest& manifest) {
  const Party party(literal_of_digits(), manifest);
  const ContextPtr part = Context::make(party.context->parameters().without(2, 1));
  const auto keys = party.keys->without(*party.context, *part, 2, 1);
  EXPECT_EQ(keys->parameters, part->parameters().hash());
  return keys;
}

TEST(EvaluationKeys, OfASetWithoutSomePrimesAreThoseThatReachAboveThem) {
  const auto low_conjugation =
      without_one({.relinearise_level = 5, .conjugate_level = 2, .rotations = {{1, 5}, {2, 2}, {3, 3}}});
  EXPECT_TRUE(low_conjugation->relinearisation);
  EXPECT_FALSE(low_conjugation->conjugation);
  EXPECT_TRUE(low_conjugation->rotations.contains(1));
  EXPECT_FALSE(low_conjugation->rotations.contains(2));
  EXPECT_TRUE(low_conjugation->rotations.contains(3));
  EXPECT_FALSE(low_conjugation->raise.to_ephemeral);
  const auto low_product = without_one({.relinearise_level = 2, .conjugate_level = 3, .rotations = {}});
  EXPECT_FALSE(low_product->relinearisation);
  EXPECT_TRUE(low_product->conjugation);
  EXPECT_TRUE(low_product->rotations.empty());
}

TEST(EvaluationKeys, RefusalsNameTheStepsAndLevelsThatThereAre) {
  const Party party(literal_of_digits());
  const auto refuses = [&](const params::KeyManifest& manifest, const char* reason) {
    EXPECT_THAT([&] { party.generator.evaluation_keys(party.secret, manifest); },
                ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses({.rotations = {{512, 1}}}, "512 steps are outside 1 to 511");
  refuses({.rotations = {{0, 1}}}, "0 steps are outside 1 to 511");
  refuses({.rotations = {{-1, 1}}}, "-1 steps are outside 1 to 511");
  refuses({.rotations = {}, .raised_rotations = {{512, 1}}}, "512 steps are outside 0 to 511");
  refuses({.rotations = {}, .raised_rotations = {{0, 1}}}, "is leveled");
  EXPECT_NO_THROW(party.generator.evaluation_keys(party.secret, {.rotations = {{1, 0}, {511, 5}}}));
  for (const params::KeyManifest& manifest :
       {params::KeyManifest{.relinearise_level = 6, .rotations = {}},
        params::KeyManifest{.conjugate_level = 6, .rotations = {}}, params::KeyManifest{.rotations = {{1, 6}}}})
    EXPECT_THROW(party.generator.evaluation_keys(party.secret, manifest), base::InputError);
}

// Products of scales carry their errors in the last bits of doubles, and scales of other levels differ by far more.
TEST(Scales, AreTheSameUpToAPartInTwoToTheThirty) {
  const Party party(testing::small_literal());
  const auto x = party.random(1);
  const auto at = [&](double scale) { return party.encrypt(x, 1, scale); };
  const Ciphertext one = at(0x1p40);
  EXPECT_NO_THROW(party.evaluator.add(one, at(0x1p40 * (1 + 0x1.6p-31))));
  EXPECT_NO_THROW(party.evaluator.add(one, at(0x1p40 * (1 - 0x1.6p-31))));
  for (const double factor : {1 + 0x1.6p-30, 1 - 0x1.6p-30, 2.0})
    EXPECT_THAT([&] { party.evaluator.add(one, at(0x1p40 * factor)); },
                ThrowsMessage<base::InputError>(HasSubstr("bring them to the same scale first")));
}

TEST(EvaluationKeys, ReachTheLevelsThatAreAskedForDownToTheLowest) {
  const Party party(literal_of_digits());
  const EvaluationKeys keys = party.generator.evaluation_keys(
      party.secret, {.relinearise_level = 0, .conjugate_level = 0, .rotations = {{1, 0}, {2, 5}}});
  ASSERT_TRUE(keys.relinearisation && keys.conjugation);
  EXPECT_EQ(keys.relinearisation->level(), 0);
  EXPECT_EQ(keys.conjugation->key.level(), 0);
  ASSERT_EQ(keys.rotations.size(), 2u);
  EXPECT_EQ(keys.rotations.at(1).key.level(), 0);
  EXPECT_EQ(keys.rotations.at(2).key.level(), 5);
  const EvaluationKeys none =
      party.generator.evaluation_keys(party.secret, {.relinearise_level = -1, .conjugate_level = -1, .rotations = {}});
  EXPECT_FALSE(none.relinearisation || none.conjugation);
  EXPECT_TRUE(none.rotations.empty());
}

TEST(EvaluationKeys, RefusalsNameTheKeyWhoseLevelThereIsNot) {
  const Party party(literal_of_digits());
  const auto refuses = [&](const params::KeyManifest& manifest, const char* reason) {
    EXPECT_THAT([&] { party.generator.evaluation_keys(party.secret, manifest); },
                ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses({.relinearise_level = 6, .rotations = {}}, "relinearisation key: level 6 is outside 0 to 5");
  refuses({.conjugate_level = 6, .rotations = {}}, "conjugation key: level 6 is outside 0 to 5");
  refuses({.rotations = {{1, 6}}}, "rotation key: level 6 is outside 0 to 5");
  refuses({.rotations = {{1, -1}}}, "rotation key: level -1 is outside 0 to 5");
  refuses({.rotations = {}, .raised_rotations = {{1, 6}}}, "bootstrapping key: level 6 is outside 0 to 5");
}

}  // namespace
}  // namespace tacit::scheme::ckks
