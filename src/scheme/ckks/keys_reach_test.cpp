#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "base/refusal_for_test.h"
#include "params/small_ring_for_test.h"
#include "scheme/ckks/bootstrapper.h"
#include "scheme/ckks/party_for_test.h"

// What keys and encoded transforms weigh, what making them tells, and the words about a key that does not do.
namespace tacit::scheme::ckks {
namespace {

using base::refusal;
using testing::Party;

/// Its stage, and how much of it was done.
class Steps final : public base::Progress {
 public:
  std::string stage;
  std::uint64_t planned = 0;
  std::atomic<std::uint64_t> done{0};

 private:
  void stage_began(std::string_view name, std::uint64_t steps) override {
    stage = name;
    planned = steps;
  }
  void steps_done(std::uint64_t steps) override { done += steps; }
  void stage_ended() override {}
  bool cancelled() const override { return false; }
};

TEST(EvaluationKeysReach, IsSaidWithTheKeyTheLevelAndWhatIsThere) {
  const Party party(testing::small_literal(6, 3, 2),
                    {.relinearise_level = 0, .conjugate_level = 1, .rotations = {{2, 0}}});
  const EvaluationKeys& keys = *party.keys;
  EXPECT_EQ(refusal([&] { keys.relinearise(0, "turn"); }), base::kNotRefused);
  EXPECT_EQ(refusal([&] { keys.conjugate(1, "turn"); }), base::kNotRefused);
  EXPECT_EQ(refusal([&] { keys.rotation(2, 0, "turn"); }), base::kNotRefused);
  EXPECT_EQ(refusal([&] { keys.relinearise(1, "turn"); }),
            "turn: the relinearisation key reaches up to level 0, but it is needed at level 1");
  EXPECT_EQ(refusal([&] { keys.conjugate(2, "turn"); }),
            "turn: the conjugation key reaches up to level 1, but it is needed at level 2");
  EXPECT_EQ(refusal([&] { keys.rotation(2, 1, "turn"); }),
            "turn: the rotation-by-2 key reaches up to level 0, but it is needed at level 1");
  EXPECT_EQ(refusal([&] { keys.rotation(3, 1, "turn"); }),
            "turn: the rotation-by-3 key is missing (needed at level 1)");
  EXPECT_EQ(refusal([&] { keys.to_ephemeral("turn"); }),
            "turn: the bootstrapping to-ephemeral key is missing (needed at level 0)");
  EXPECT_EQ(refusal([&] { keys.raised_rotation(0, 3, "turn"); }),
            "turn: the bootstrapping rotation-by-0 key is missing (needed at level 3)");
}

TEST(EvaluationKeysReach, ConjugationsOfRealSlotsAreRefusedAtEveryLevel) {
  params::CkksLiteral literal = testing::small_literal(6, 3, 2);
  literal.real_slots = true;
  const Party party(literal);
  for (const int level : {0, 3})
    EXPECT_EQ(
        refusal([&] { party.generator.evaluation_keys(party.secret, {.conjugate_level = level, .rotations = {}}); }),
        "conjugation key: the parameter set 'test' has real slots, which conjugation leaves alone; use one with "
        "complex slots");
}

TEST(EvaluationKeysReach, RotationsGoUpToTheLevelWhoseHigherPrimesServeThem) {
  const Party party(testing::small_literal(6, 3, 2));
  params::KeyManifest manifest{.rotations = {{5, 2}}};
  manifest.rotation_primes.top = 2;
  EXPECT_EQ(party.generator.evaluation_keys(party.secret, manifest).manifest(), manifest);
  manifest.rotation_primes.top = 1;
  EXPECT_EQ(refusal([&] { party.generator.evaluation_keys(party.secret, manifest); }),
            "rotation key: one by 5 steps is wanted at level 2, and the primes above level 1 shall serve as special "
            "ones");
  manifest.rotation_primes.top = 4;
  EXPECT_EQ(refusal([&] { party.generator.evaluation_keys(party.secret, manifest); }),
            "rotation keys: level 4 is outside 0 to 3");
}

TEST(EvaluationKeysReach, BytesAreThoseOfAllRowsOfAllDigits) {
  params::CkksLiteral literal = testing::small_literal(10, 5, 2);
  literal.digits = {2, 2, 2};
  const Party party(literal);
  EXPECT_EQ(party.keys->bytes(), 0u);
  const rlwe::ModulusChain& chain = party.context->chain();
  const auto weighs = [&](const params::KeyManifest& manifest, std::size_t rows) {
    EXPECT_EQ(party.generator.evaluation_keys(party.secret, manifest).bytes(), rows * 1024 * 8);
  };
  const std::size_t top = 3 * (6 + chain.special_primes(5)), low = 2 + chain.special_primes(1);
  weighs({.rotations = {{1, 5}}}, top);
  weighs({.rotations = {{1, 5}, {2, 1}}}, top + low);
  weighs({.conjugate_level = 1, .rotations = {}}, low);
  weighs({.conjugate_level = 5, .rotations = {{7, 1}}}, top + low);
  const rlwe::ModulusChain& products = party.context->product_chain();
  weighs({.relinearise_level = 5, .rotations = {{2, 1}}}, products.digits(5) * products.extended_rows(5) + low);
}

TEST(EvaluationKeysReach, EveryRotationIsAStepOfMakingThem) {
  const Party party(params::insecure_on_small_ring("S8", 8));
  Steps steps;
  const EvaluationKeys keys = party.generator.evaluation_keys(
      party.secret,
      {.relinearise_level = 2, .rotations = {{1, 2}, {2, 0}}, .raised_rotations = {{0, 3}, {1, 3}, {127, 0}}}, steps);
  EXPECT_EQ(steps.stage, "generating keys");
  EXPECT_EQ(steps.planned, 5u);
  EXPECT_EQ(steps.done, 5u);
  ASSERT_EQ(keys.raise.to_secret.size(), 3u);
  EXPECT_EQ(keys.raise.to_secret.at(127).key.level(), 0);
  EXPECT_EQ(refusal([&] { keys.to_ephemeral("turn"); }), base::kNotRefused);
  EXPECT_EQ(refusal([&] { keys.raised_rotation(1, 3, "turn"); }), base::kNotRefused);
  EXPECT_EQ(refusal([&] { keys.raised_rotation(127, 1, "turn"); }),
            "turn: the bootstrapping rotation-by-127 key reaches up to level 0, but it is needed at level 1");
  EXPECT_EQ(refusal([&] {
              party.generator.evaluation_keys(party.secret, {.rotations = {}, .raised_rotations = {{128, 0}}});
            }),
            "bootstrapping key: 128 steps are outside 0 to 127");
}

TEST(BootstrapperTransforms, AreOneStepAFactorAndWeighTheirDistinctWords) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const params::BootstrapSchedule schedule = params::plan_bootstrap(literal, {});
  ASSERT_EQ(schedule.chain.skipped, 0);
  const auto context = Context::make(params::CkksParameters::check(literal));
  Steps steps;
  const Bootstrapper bootstrapper(context, schedule, steps);
  EXPECT_EQ(steps.stage, "encode bootstraps");
  EXPECT_EQ(steps.planned, schedule.slots_to_coefficients.size() + schedule.coefficients_to_slots.size());
  EXPECT_EQ(steps.done, steps.planned);
  // Two real numbers a slot of a period, in every row.
  std::size_t words = 0;
  const auto add = [&](const params::DftFactor& factor, const rlwe::ModulusChain& chain) {
    words += factor.schedule.steps.size() * (std::size_t{2} << (factor.first_stage + factor.stages)) *
             chain.extended_rows(factor.level);
  };
  for (const params::DftFactor& factor : schedule.slots_to_coefficients) add(factor, context->chain());
  for (std::size_t i = 0; i < schedule.coefficients_to_slots.size(); ++i)
    add(schedule.coefficients_to_slots[i], i == 0 ? context->raising_chain() : context->chain());
  EXPECT_EQ(bootstrapper.bytes(), 8 * words);
}

TEST(CkksContext, RotationsUpToTheTopUseTheChainItself) {
  const auto context = Context::make(params::CkksParameters::check(testing::small_literal(6, 3, 2)));
  EXPECT_EQ(&context->rotation_chain({3}), &context->chain());
  EXPECT_EQ(&context->rotation_chain({}), &context->chain());
}

TEST(CkksContext, ProductsHaveTheirOwnDigits) {
  const params::CkksLiteral literal{.name = "large digits",
                                    .log_n = 13,
                                    .q_bits = {45, 40, 40, 40, 40, 40, 40, 40},
                                    .p_bits = {48},
                                    .log_scale = 40,
                                    .insecure = true};
  const auto context = Context::make(params::CkksParameters::check(literal));
  EXPECT_EQ(context->chain().digits(7), context->parameters().gadget().digits.size());
  EXPECT_EQ(context->product_chain().digits(7), 4u);
  EXPECT_EQ(context->product_chain().digit_first(1), 2u);
  const auto same = Context::make(params::CkksParameters::check(testing::small_literal(6, 3, 2)));
  EXPECT_EQ(same->product_chain().digits(3), same->parameters().product_gadget().digits.size());
}

}  // namespace
}  // namespace tacit::scheme::ckks
