#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "params/noise.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/ckks/serialize.h"

// Keys of rotations that never happen at the top: the primes above them serve as special ones. And relinearisations,
// whose digits may be as large as P times the last prime.
namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using testing::kPrecision;
using testing::max_error;
using testing::Party;
using testing::rotated;
using ::testing::ThrowsMessage;

constexpr int kTop = 3;

/// One special prime, so that a key switch at the top has as many digits as limbs; a ring where transforms, which fewer
/// digits save, weigh more than the multiply-accumulates that borrowed primes add.
params::CkksLiteral literal_of_one_special(bool real_slots) {
  params::CkksLiteral result = testing::small_literal(13, 5, 0);
  result.q_bits[0] = 41;
  result.p_bits = {44};
  result.real_slots = real_slots;
  return result;
}

params::KeyManifest below_the_top() {
  params::KeyManifest manifest{.relinearise_level = 5, .rotations = {}};
  for (const std::int64_t steps : {1, 2, 3, 5}) manifest.rotations[steps] = steps == 5 ? 1 : kTop;
  manifest.rotation_primes.top = kTop;
  return manifest;
}

class RotationTop : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Rings, RotationTop, ::testing::Bool(),
                         [](const auto& real) { return real.param ? "real_slots" : "complex_slots"; });

TEST_P(RotationTop, EveryRotationIsRightAtEveryLevelBelow) {
  const Party party(literal_of_one_special(GetParam()), below_the_top());
  const params::CkksParameters arranged = party.context->parameters().for_rotations(kTop);
  EXPECT_GT(arranged.p().size(), 1U);
  EXPECT_LT(arranged.gadget().digits.size(), 4U);
  EXPECT_LE(arranged.log_qp(), party.context->parameters().log_qp() + 1e-9);
  const Evaluator& e = party.evaluator;
  const auto x = party.random(1);
  const std::int64_t steps[] = {1, 2, 3};
  for (int level = 0; level <= kTop; ++level) {
    const Ciphertext a = party.encrypt(x, level, party.scale());
    for (const std::int64_t step : steps)
      EXPECT_LT(max_error(party.decrypt(e.rotate(a, step)), rotated(x, step)), kPrecision) << level;
    const std::vector<Ciphertext> hoisted = e.rotate_hoisted(a, steps);
    std::vector<double> sum = x;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto turned = rotated(x, steps[i]);
      EXPECT_LT(max_error(party.decrypt(hoisted[i]), turned), kPrecision) << level;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += turned[k];
    }
    EXPECT_LT(max_error(party.decrypt(e.rotate_sum(a, steps)), sum), kPrecision) << level;
  }
  EXPECT_LT(max_error(party.decrypt(e.rotate(party.encrypt(x, 1, party.scale()), 5)), rotated(x, 5)), kPrecision);
  EXPECT_THAT([&] { e.rotate(party.encrypt(x, kTop + 1, party.scale()), 1); },
              ThrowsMessage<base::InputError>(HasSubstr("reaches up to level 3")));
}

TEST_P(RotationTop, IsRefusedAsOftenAsItIsOutside) {
  const auto context = Context::make(params::CkksParameters::check(literal_of_one_special(GetParam())));
  for (int again = 0; again < 2; ++again)
    EXPECT_THAT([&] { context->rotation_chain({99}); }, ThrowsMessage<base::InputError>(HasSubstr("outside 0 to")));
  EXPECT_EQ(&context->rotation_chain({kTop}), &context->rotation_chain({kTop}));
}

TEST_P(RotationTop, LinearMapsAreEncodedForTheirKeys) {
  const Party party(literal_of_one_special(GetParam()), below_the_top());
  params::LinearSchedule schedule;
  schedule.steps = {{0, 0, 0}, {1, 1, 0}, {3, 1, 2}};
  const std::vector<std::vector<double>> diagonals{party.random(2), party.random(3), party.random(4)};
  const auto x = party.random(1);
  for (const int level : {1, kTop}) {
    const DiagonalMatrix matrix =
        party.encoder.encode_diagonals(schedule.steps, diagonals, level, party.scale(), party.scale(), {kTop});
    const std::vector<const DiagonalMatrix*> row{&matrix};
    const Ciphertext a = party.encrypt(x, level, party.scale());
    std::vector<double> expected(x.size());
    for (std::size_t s = 0; s < 3; ++s) {
      const auto turned = rotated(x, schedule.steps[s].diagonal);
      for (std::size_t k = 0; k < x.size(); ++k) expected[k] += diagonals[s][k] * turned[k];
    }
    EXPECT_LT(max_error(party.decrypt(party.evaluator.linear({&a, 1}, {&row, 1}, schedule)[0]), expected), kPrecision);
    const DiagonalMatrix other =
        party.encoder.encode_diagonals(schedule.steps, diagonals, level, party.scale(), party.scale());
    const std::vector<const DiagonalMatrix*> wrong{&other};
    EXPECT_THAT(
        [&] {
          party.evaluator.linear({&a, 1}, {&wrong, 1}, schedule);
        },
        ThrowsMessage<base::InputError>(HasSubstr("a matrix was encoded modulo other special primes")));
  }
}

TEST_P(RotationTop, KeysKeepTheirPrimesInFiles) {
  const Party party(literal_of_one_special(GetParam()), below_the_top());
  const auto keys = std::make_shared<const EvaluationKeys>(
      deserialize_evaluation_keys(*party.context, serialize(*party.context, *party.keys)));
  EXPECT_EQ(keys->manifest(), party.keys->manifest());
  EXPECT_EQ(keys->rotation_primes.top, kTop);
  const auto x = party.random(1);
  const Ciphertext a = party.encrypt(x, kTop, party.scale());
  const Evaluator evaluator(party.context, keys);
  EXPECT_LT(max_error(party.decrypt(evaluator.rotate(a, 2)), rotated(x, 2)), kPrecision);
  EXPECT_LT(max_error(party.decrypt(evaluator.multiply(a, a)), party.decrypt(party.evaluator.square(a))), kPrecision);
  params::KeyManifest above = below_the_top();
  above.rotations[1] = kTop + 1;
  EXPECT_THAT([&] { party.generator.evaluation_keys(party.secret, above); },
              ThrowsMessage<base::InputError>(HasSubstr("the primes above level 3 shall serve as special ones")));
}

TEST_P(RotationTop, NoiseFollowsTheFormulas) {
  params::CkksLiteral large{.name = "large digits",
                            .log_n = 13,
                            .q_bits = {45, 40, 40, 40, 40, 40, 40, 40},
                            .p_bits = {48},
                            .log_scale = 40,
                            .insecure = true,
                            .real_slots = GetParam()};
  params::KeyManifest manifest{.relinearise_level = 3, .rotations = {{1, kTop}}};
  manifest.rotation_primes.top = kTop;
  const Party party(large, manifest);
  const params::CkksParameters& p = party.context->parameters();
  EXPECT_EQ(p.product_gadget().digits, (std::vector<std::size_t>{2, 2, 2, 2}));
  const double scale = 0x1p36;  // exact products of the decryptions are representable
  double products = 0, rotations[kTop + 1] = {}, result_scale = 0;
  constexpr int kRuns = 8;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const Ciphertext a = party.encrypt(party.random(i), 2, scale), b = party.encrypt(party.random(i + 100), 2, scale);
    const auto x = party.decrypt_complex(a), y = party.decrypt_complex(b);
    std::vector<double> product;
    for (std::size_t k = 0; k < x.size(); ++k) product.push_back((x[k] * y[k]).real());
    const Ciphertext c = party.evaluator.multiply(a, b);
    result_scale = c.scale;
    products += std::pow(testing::deviation(party.decrypt(c), product), 2) / kRuns;
    for (int level = 0; level <= kTop; ++level) {
      const Ciphertext fresh = party.encrypt(std::vector<double>{}, level, party.scale());
      rotations[level] += std::pow(testing::deviation(party.decrypt(party.evaluator.rotate(fresh, 1)),
                                                      rotated(party.decrypt(fresh), 1)),
                                   2) /
                          kRuns;
    }
  }
  EXPECT_NEAR(std::sqrt(products) / params::multiply_noise(p, 2, result_scale), 1, 0.1);
  // Of what is borrowed and the special prime, low levels need less.
  const params::CkksParameters arranged = p.for_rotations(kTop);
  EXPECT_GT(arranged.gadget().special_primes[kTop], 2u);
  EXPECT_EQ(arranged.gadget().special_primes[0], 2u);
  for (int level = 0; level <= kTop; ++level)
    EXPECT_NEAR(std::sqrt(rotations[level]) / params::key_switch_noise(arranged, level, party.scale()), 1, 0.1);
}

}  // namespace
}  // namespace tacit::scheme::ckks
