#include "scheme/ckks/decoding_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "params/noise.h"
#include "params/sharing.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using testing::Party;
using Slots = std::vector<std::complex<double>>;

std::vector<double> parts_of(const Slots& a, const Slots& b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences.push_back(a[i].real() - b[i].real());
    differences.push_back(a[i].imag() - b[i].imag());
  }
  return differences;
}

double root_mean_square(const std::vector<double>& numbers) {
  double squares = 0;
  for (const double number : numbers) squares += number * number;
  return std::sqrt(squares / static_cast<double>(numbers.size()));
}

/// The attack on shown slots (Li, Micciancio 2021, section 4): with c0 + c1 s = encode(shown) it solves for s. Returns
/// how many coefficients of the secret it finds.
std::size_t coefficients_found(const Party& party, const Ciphertext& ciphertext, const Slots& shown) {
  const rlwe::ModulusChain& chain = party.context->chain();
  const ring::Modulus& q = chain.modulus(0);
  const Plaintext encoded = party.encoder.encode(shown, ciphertext.level, ciphertext.scale);
  std::vector<std::uint64_t> solved(chain.n());
  for (std::size_t i = 0; i < chain.n(); ++i) {
    const std::uint64_t c1 = ciphertext.c1.limb(0)[i];
    if (c1 == 0) continue;
    const std::uint64_t difference = (encoded.poly.limb(0)[i] + q.value() - ciphertext.c0.limb(0)[i]) % q.value();
    solved[i] = q.mul(difference, q.inverse(c1));
  }
  chain.ntt(0).inverse(solved.data());
  std::size_t found = 0;
  for (std::size_t i = 0; i < chain.n(); ++i) {
    const std::int64_t coefficient = party.secret.coefficients()[i];
    found += solved[i] == static_cast<std::uint64_t>(
                              coefficient < 0 ? coefficient + static_cast<std::int64_t>(q.value()) : coefficient);
  }
  return found;
}

Slots rounded(Slots slots, int bits) {
  for (std::complex<double>& slot : slots)
    slot = {params::rounded_to(slot.real(), bits), params::rounded_to(slot.imag(), bits)};
  return slots;
}

class KeyRecovery : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(SecureSets, KeyRecovery, ::testing::Values("N13-d4", "N14-d7"),
                         [](const auto& name) { return std::string(name.param, 3) + std::string(name.param + 4); });

// The residues that the attack solves for are spread over the whole modulus, so that it finds a coefficient by chance
// once in 2^40.
TEST_P(KeyRecovery, SucceedsOnExactSlotsAndFindsNothingInThoseThatAreShown) {
  params::KeyManifest manifest;
  const params::CkksLiteral literal = params::named_literal(GetParam());
  manifest.relinearise_level = static_cast<int>(literal.q_bits.size()) - 1;
  const Party party(literal, manifest);
  const Ciphertext fresh = party.encrypt(party.random(1));
  const Ciphertext product = party.evaluator.multiply(fresh, party.encrypt(party.random(2)));
  for (const Ciphertext* ciphertext : {&fresh, &product}) {
    const Slots exact = party.decrypt_complex(*ciphertext);
    EXPECT_EQ(coefficients_found(party, *ciphertext, exact), party.context->parameters().n());
    const Slots shown = party.decryptor.decrypt(*ciphertext);
    EXPECT_LE(coefficients_found(party, *ciphertext, shown), 1u);
    const double noise = party.decryptor.estimated_noise(*ciphertext);
    const double flooded = params::flooding_deviation(noise, {});
    const Slots shared = rounded(party.decryptor.decrypt(*ciphertext, flooded), params::most_shared_bits(flooded));
    EXPECT_LE(coefficients_found(party, *ciphertext, shared), 1u);
  }
}

TEST(KeyRecovery, SucceedsOnRoundingAloneWhereItLeavesTheNoise) {
  const Party party(params::named_literal("N13-d4"));
  const Ciphertext ciphertext = party.encrypt(party.random(1));
  EXPECT_EQ(coefficients_found(party, ciphertext, rounded(party.decrypt_complex(ciphertext), 30)),
            party.context->parameters().n());
}

TEST(DecodingNoise, IsGaussianWithTheDeviationThatIsStated) {
  const Party party(testing::small_literal(13));
  const Ciphertext ciphertext = party.encrypt(party.random(3));
  const Slots exact = party.decrypt_complex(ciphertext);
  for (const double stated : {0x1p-30, 0x1p-12, 4.0}) {
    const std::vector<double> added = parts_of(party.decryptor.decrypt(ciphertext, stated), exact);
    const auto count = static_cast<double>(added.size());
    // Five deviations of the estimate.
    EXPECT_NEAR(root_mean_square(added) / stated, 1, 5 / std::sqrt(2 * count));
    double sum = 0, fourth = 0, beyond_two = 0, beyond_three = 0;
    for (const double x : added) {
      const double z = x / stated;
      sum += z;
      fourth += z * z * z * z;
      beyond_two += std::abs(z) > 2;
      beyond_three += std::abs(z) > 3;
    }
    const auto near_share = [&](double found, double share) {
      EXPECT_NEAR(found / count, share, 5 * std::sqrt(share / count)) << stated;
    };
    EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
    EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96 / count));
    near_share(beyond_two, std::erfc(std::sqrt(2.0)));
    near_share(beyond_three, std::erfc(3 / std::sqrt(2.0)));
  }
}

TEST(DecodingNoise, ComesBackTheSameForTheSameCiphertextSoThatNothingAveragesIt) {
  const Party party(testing::small_literal());
  const Ciphertext ciphertext = party.encrypt(party.random(3));
  const Slots exact = party.decrypt_complex(ciphertext), first = party.decryptor.decrypt(ciphertext);
  Slots mean(exact.size());
  constexpr int kDecodings = 1024;
  for (int i = 0; i < kDecodings; ++i) {
    const Slots again = party.decryptor.decrypt(ciphertext);
    ASSERT_EQ(again, first);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += again[k] / static_cast<double>(kDecodings);
  }
  const double noise = party.decryptor.estimated_noise(ciphertext);
  EXPECT_GT(root_mean_square(parts_of(mean, exact)), 0.8 * noise);
}

/// The review's attack: a server adds constants to one ciphertext, sees the decryptions and takes their mean.
TEST(DecodingNoise, IsTheSameForCiphertextsThatDifferByAConstantOrByLimbs) {
  const Party party(testing::small_literal());
  const Ciphertext ciphertext = party.encrypt(party.random(3));
  const Slots exact = party.decrypt_complex(ciphertext);
  constexpr int kDecodings = 256;
  Slots mean(exact.size());
  for (int i = 0; i < kDecodings; ++i) {
    const double constant = i / static_cast<double>(kDecodings);
    const Plaintext plaintext = party.encoder.encode(Slots(exact.size(), constant), ciphertext.level, ciphertext.scale);
    const Ciphertext related = party.evaluator.add_plain(ciphertext, plaintext);
    const Slots shown = party.decryptor.decrypt(related);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += (shown[k] - constant) / static_cast<double>(kDecodings);
  }
  const double noise = party.decryptor.estimated_noise(ciphertext);
  EXPECT_GT(root_mean_square(parts_of(mean, exact)), 0.8 * noise);
  const Slots lower = party.decryptor.decrypt(party.evaluator.drop_to_level(ciphertext, ciphertext.level - 1));
  EXPECT_LT(root_mean_square(parts_of(lower, party.decryptor.decrypt(ciphertext))), 0.05 * noise);
}

TEST(DecodingNoise, IsAnotherOneForAnotherCiphertextDeviationOrKey) {
  const Party party(testing::small_literal()), stranger(testing::small_literal());
  const Ciphertext ciphertext = party.encrypt(party.random(3)), other = party.encrypt(party.random(3));
  const auto noise = [](const Party& owner, const Ciphertext& of, double stated) {
    Slots slots(owner.slots());
    owner.decryptor.noise().add_to(slots, of, stated);
    for (std::complex<double>& slot : slots) slot /= stated;
    return slots;
  };
  const Slots one = noise(party, ciphertext, 1);
  const auto independent = [&](const Slots& two) {
    // Of two independent vectors the difference has sqrt(2) times the deviation.
    EXPECT_NEAR(root_mean_square(parts_of(one, two)), std::sqrt(2.0), 0.2);
  };
  independent(noise(party, other, 1));
  independent(noise(party, ciphertext, 2));
  independent(noise(stranger, ciphertext, 1));
}

TEST(DecodingNoise, CostsLessThanSixTenthsOfABit) {
  params::KeyManifest manifest;
  manifest.relinearise_level = 4;
  manifest.rotations = {{1, 4}};
  const Party party(testing::small_literal(13), manifest);
  const std::vector<double> x = party.random(4), y = party.random(5);
  const auto cost = [&](const Ciphertext& ciphertext, auto expected) {
    const Slots exact = party.decrypt_complex(ciphertext), shown = party.decryptor.decrypt(ciphertext);
    double before = 0, after = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      before += std::norm(exact[i].real() - expected(i));
      after += std::norm(shown[i].real() - expected(i));
    }
    EXPECT_LT(std::log2(after / before) / 2, 0.6);
    EXPECT_GT(std::log2(after / before) / 2, 0.3);
  };
  const Ciphertext a = party.encrypt(x), b = party.encrypt(y);
  cost(a, [&](std::size_t i) { return x[i]; });
  cost(party.evaluator.multiply(a, b), [&](std::size_t i) { return x[i] * y[i]; });
  cost(party.evaluator.rotate(a, 1), [&](std::size_t i) { return x[(i + 1) % x.size()]; });
}

TEST(EstimatedNoise, IsTheRootMeanSquareOfImaginaryPartsOrWhatAFewOfThemTell) {
  const auto parameters = params::CkksParameters::check(testing::small_literal());
  const double scale = 0x1p40;
  const auto estimate = [&](const Slots& slots) { return estimated_noise(parameters, 2, scale, slots); };
  EXPECT_DOUBLE_EQ(estimate({{7, -0.5}}), 0.5);
  EXPECT_DOUBLE_EQ(estimate({{7, 0.3}, {-7, -0.4}}), std::sqrt(0.125));
  EXPECT_DOUBLE_EQ(estimate(Slots(1000, {3, 0.25})), 0.25);
  // The largest of a thousand parts of Laplace's distribution exceeds ln(1000 * 1000) / sqrt(2) deviations once in a
  // thousand cases.
  Slots one_stands_out(1000, {3, 0});
  one_stands_out[999] = {3, -1};
  EXPECT_NEAR(estimate(one_stands_out), std::sqrt(2.0) / std::log(1e6), 1e-12);
}

TEST(EstimatedNoise, IsNeverBelowThatOfAFreshCiphertext) {
  const auto parameters = params::CkksParameters::check(testing::small_literal());
  for (const double scale : {0x1p30, 0x1p40}) {
    const double fresh = params::symmetric_encryption_noise(parameters, scale);
    EXPECT_EQ(estimated_noise(parameters, 2, scale, Slots{}), fresh);
    EXPECT_EQ(estimated_noise(parameters, 2, scale, Slots(8, {1, fresh / 2})), fresh);
  }
}

TEST(EstimatedNoise, OfRealSlotsIsThatOfAKeySwitchAtTheirLevel) {
  params::CkksLiteral literal = testing::small_literal();
  literal.real_slots = true;
  const auto parameters = params::CkksParameters::check(literal);
  for (const int level : {0, 3})
    EXPECT_EQ(estimated_noise(parameters, level, 0x1p40, Slots(8, {1, 1})),
              params::key_switch_noise(parameters, level, 0x1p40));
}

}  // namespace
}  // namespace tacit::scheme::ckks
