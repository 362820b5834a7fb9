#include "params/noise.h"

#include <gtest/gtest.h>

#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using testing::Party;

/// Root mean square over repetitions of a measured deviation.
template <class F>
double measured(int repetitions, const F& once) {
  double sum = 0;
  for (int i = 0; i < repetitions; ++i) {
    const double d = once(static_cast<std::uint64_t>(i));
    sum += d * d;
  }
  return std::sqrt(sum / repetitions);
}

// One special prime as large as a digit, so that the key errors are as large as the rounding and both are tested.
params::CkksLiteral tight(bool real_slots) {
  return {.name = "tight",
          .log_n = 12,
          .q_bits = {45, 40, 40},
          .p_bits = {45},
          .log_scale = 40,
          .insecure = true,
          .real_slots = real_slots};
}

/// Over both rings.
class Noise : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Rings, Noise, ::testing::Bool(),
                         [](const auto& real) { return real.param ? "real_slots" : "complex_slots"; });

/// How far products of ciphertexts at this level and scale are from products of what these decrypt to, and their scale.
std::pair<double, double> measured_product(const Party& party, int level, double scale, int repeats) {
  double product_scale = 0;
  const double noise = measured(repeats, [&](std::uint64_t i) {
    const Ciphertext a = party.encrypt(party.random(i), level, scale);
    const Ciphertext b = party.encrypt(party.random(i + 100), level, scale);
    const auto x = party.decrypt_complex(a), y = party.decrypt_complex(b);
    std::vector<double> product;
    for (std::size_t k = 0; k < x.size(); ++k) product.push_back((x[k] * y[k]).real());
    const Ciphertext c = party.evaluator.multiply(a, b);
    product_scale = c.scale;
    return testing::deviation(party.decrypt(c), product);
  });
  return {noise, product_scale};
}

TEST_P(Noise, OfFreshCiphertextsFollowsTheFormulas) {
  const Party party(tight(GetParam()));
  const auto& p = party.context->parameters();
  const double symmetric = measured(8, [&](std::uint64_t i) {
    const auto x = party.random(i);
    return testing::deviation(party.decrypt(party.encrypt(x, 1, party.scale())), x);
  });
  EXPECT_NEAR(symmetric / params::symmetric_encryption_noise(p, party.scale()), 1, 0.1);
  const double open = measured(8, [&](std::uint64_t i) {
    const auto x = party.random(i);
    return testing::deviation(party.decrypt(party.encryptor.encrypt(party.encoder.encode(x, 1, party.scale()))), x);
  });
  EXPECT_NEAR(open / params::public_encryption_noise(p, party.scale()), 1, 0.1);
  const double encoded = measured(8, [&](std::uint64_t i) {
    const auto x = party.random(i);
    std::vector<double> out;
    for (const auto& z : party.encoder.decode(party.encoder.encode(x, 1, 0x1p30))) out.push_back(z.real());
    return testing::deviation(out, x);
  });
  EXPECT_NEAR(encoded / params::encode_noise(p, 0x1p30), 1, 0.1);
}

TEST_P(Noise, OfRotationsFollowsTheFormula) {
  const std::vector<std::int64_t> rotations{1};
  for (const int level : {0, 2}) {
    const Party party(tight(GetParam()), testing::manifest_without_conjugation(2, rotations));
    const double d = measured(8, [&](std::uint64_t) {
      const Ciphertext fresh = party.encrypt(std::vector<double>{}, level, party.scale());
      return testing::deviation(party.decrypt(party.evaluator.rotate(fresh, 1)),
                                testing::rotated(party.decrypt(fresh), 1));
    });
    EXPECT_NEAR(d / params::key_switch_noise(party.context->parameters(), level, party.scale()), 1, 0.1) << level;
  }
}

// One key serves all levels, and each divides by as few special primes as its digits need.
TEST_P(Noise, OfLowLevelsWithFewerSpecialPrimesFollowsTheFormulas) {
  params::CkksLiteral literal = tight(GetParam());
  literal.q_bits = {45, 40, 40, 40, 40, 40};
  literal.p_bits = {45, 45, 45, 46};
  literal.digits = {4, 2};
  const std::vector<std::int64_t> rotations{1, 2};
  const Party party(literal, testing::manifest_without_conjugation(5, rotations));
  const auto& p = party.context->parameters();
  EXPECT_EQ(p.gadget().special_primes, (std::vector<std::size_t>{2, 3, 3, 4, 4, 4}));
  for (int level = 0; level <= 5; ++level) {
    const Ciphertext fresh = party.encrypt(std::vector<double>{}, level, party.scale());
    const auto turned = testing::rotated(party.decrypt(fresh), 1);
    const double rotated = measured(
        4, [&](std::uint64_t) { return testing::deviation(party.decrypt(party.evaluator.rotate(fresh, 1)), turned); });
    EXPECT_NEAR(rotated / params::key_switch_noise(p, level, party.scale()), 1, 0.1) << level;
    // From one decomposition, and with one division for both.
    EXPECT_LT(testing::deviation(party.decrypt(party.evaluator.rotate_hoisted(fresh, rotations)[0]), turned),
              1.2 * rotated);
    const auto sum = party.decrypt(party.evaluator.rotate_sum(fresh, rotations));
    const auto own = party.decrypt(fresh), twice = testing::rotated(own, 2);
    std::vector<double> expected;
    for (std::size_t i = 0; i < own.size(); ++i) expected.push_back(own[i] + turned[i] + twice[i]);
    EXPECT_LT(testing::deviation(sum, expected), 1.2 * rotated) << level;
    if (level == 0) continue;
    const auto [multiplied, scale] = measured_product(party, level, 0x1p32, 4);
    EXPECT_NEAR(multiplied / params::multiply_noise(p, level, scale), 1, 0.1) << level;
  }
  // A key for a low level alone holds fewer rows.
  const Party low(literal, testing::manifest_without_conjugation(1, {}));
  EXPECT_EQ(low.keys->bytes(), (2 + 3) * p.n() * sizeof(std::uint64_t));
}

TEST_P(Noise, OfRescalingAndMultiplyingFollowsTheFormulas) {
  const Party party(tight(GetParam()), testing::manifest_without_conjugation(2, {}));
  const auto& p = party.context->parameters();
  const double rescaled = measured(8, [&](std::uint64_t i) {
    const Ciphertext fresh = party.encrypt(party.random(i), 1, 0x1p72);
    return testing::deviation(party.decrypt(party.evaluator.rescale(fresh)), party.decrypt(fresh));
  });
  EXPECT_NEAR(rescaled / params::rounding_noise(p, 0x1p72 / static_cast<double>(p.q()[1])), 1, 0.1);
  // Small products at level 1, so that exact products of the decryptions are representable.
  const auto [multiplied, scale] = measured_product(party, 2, 0x1p36, 8);
  EXPECT_NEAR(multiplied / params::multiply_noise(p, 2, scale), 1, 0.1);
}

}  // namespace
}  // namespace tacit::scheme::ckks
