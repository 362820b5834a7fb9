#include <gtest/gtest.h>

#include "params/noise.h"
#include "params/small_ring_for_test.h"
#include "scheme/ckks/party_for_test.h"

// Every operation with a key at every level of sets that bootstrap: the lower the level, the fewer special primes it
// divides by, with one key for all.
namespace tacit::scheme::ckks {
namespace {

using testing::max_error;
using testing::Party;
using testing::rotated;
using Complex = std::complex<double>;

constexpr std::int64_t kSteps[] = {1, 2, 3, 8};

params::CkksLiteral small(const std::string& set) { return params::insecure_on_small_ring(set, 9); }

/// Keys of several lengths: those of rotations by 3 and 8 end at low levels.
params::KeyManifest keys(int top) {
  return {
      .relinearise_level = top, .conjugate_level = top - 1, .rotations = {{1, top}, {2, top}, {3, top / 2}, {8, 3}}};
}

class LowLevels : public ::testing::TestWithParam<const char*> {
 protected:
  LowLevels() : party(small(GetParam()), keys(Party(small(GetParam())).top())), manifest(party.keys->manifest()) {}
  double error(const Ciphertext& got, std::span<const double> expected) const {
    return max_error(party.decrypt(got), expected);
  }
  /// What no slot of an operation exceeds that ends with one division: forty deviations, since the error of a slot
  /// meets that of the secret, which is itself some deviations large somewhere.
  double bound(int level) const {
    return 40 * params::key_switch_noise(party.context->parameters(), level, party.scale());
  }
  double prime(int level) const {
    return static_cast<double>(party.context->parameters().q()[static_cast<std::size_t>(level)]);
  }
  /// The rotations that have keys at this level.
  std::vector<std::int64_t> steps(int level) const {
    std::vector<std::int64_t> result;
    for (const std::int64_t step : kSteps)
      if (level <= manifest.rotations.at(step)) result.push_back(step);
    return result;
  }

  const Party party;
  const params::KeyManifest manifest;
};
INSTANTIATE_TEST_SUITE_P(Sets, LowLevels, ::testing::Values("S8", "S11", "S15", "N15-S5"), [](const auto& set) {
  std::string name = set.param;
  std::erase(name, '-');
  return name;
});

TEST_P(LowLevels, RotationsAreRightPlainHoistedAndSummed) {
  for (int level = 0; level <= party.top(); ++level) {
    const auto x = party.random(static_cast<std::uint64_t>(level));
    const Ciphertext a = party.encrypt(x, level, party.scale());
    const std::vector<std::int64_t> steps = this->steps(level);
    const std::vector<Ciphertext> hoisted = party.evaluator.rotate_hoisted(a, steps);
    std::vector<double> sum = x;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto turned = rotated(x, steps[i]);
      EXPECT_LT(error(party.evaluator.rotate(a, steps[i]), turned), bound(level)) << level << " by " << steps[i];
      EXPECT_LT(error(hoisted[i], turned), bound(level)) << level << " by " << steps[i];
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += turned[k];
    }
    EXPECT_LT(error(party.evaluator.rotate_sum(a, steps), sum), bound(level)) << level;
  }
}

TEST_P(LowLevels, ConjugationsAndProductsAreRight) {
  for (int level = 0; level <= party.top(); ++level) {
    const auto seed = static_cast<std::uint64_t>(level);
    const auto x = party.random(seed), y = party.random(seed + 100);
    if (level <= manifest.conjugate_level) {
      std::vector<Complex> z;
      for (std::size_t k = 0; k < x.size(); ++k) z.emplace_back(x[k], y[k]);
      const Ciphertext a =
          party.symmetric.encrypt(party.encoder.encode(std::span<const Complex>(z), level, party.scale()));
      const auto got = party.decrypt_complex(party.evaluator.conjugate(a));
      for (std::size_t k = 0; k < z.size(); ++k) ASSERT_LT(std::abs(got[k] - std::conj(z[k])), bound(level)) << level;
    }
    if (level == 0) continue;
    const double scale = std::sqrt(party.scale() * std::max(party.scale(), prime(level)));
    std::vector<double> product;
    for (std::size_t k = 0; k < x.size(); ++k) product.push_back(x[k] * y[k]);
    const Ciphertext a = party.encrypt(x, level, scale), b = party.encrypt(y, level, scale);
    EXPECT_LT(error(party.evaluator.multiply(a, b), product), bound(level)) << level;
  }
}

TEST_P(LowLevels, LinearMapsAreRight) {
  for (int level = 1; level <= party.top(); ++level) {
    const auto seed = static_cast<std::uint64_t>(level);
    params::LinearSchedule schedule{.steps = {{0, 0, 0}, {1, 1, 0}, {2, 0, 2}, {3, 1, 2}}, .folds = {1}};
    // Enough giant steps that rows of digits are finished beforehand, and keys that end here.
    if (level <= 3) schedule.steps.insert(schedule.steps.end(), {{8, 0, 8}, {9, 1, 8}, {11, 3, 8}});
    std::vector<std::vector<double>> diagonals;
    for (std::size_t i = 0; i < schedule.steps.size(); ++i)
      diagonals.push_back(party.random(seed + 50 * (i + 1), 0.25));
    // Diagonals have at least the scale of the set, by small primes, too.
    const double target = party.scale() * std::max(1.0, party.scale() / prime(level));
    const DiagonalMatrix matrix =
        party.encoder.encode_diagonals(schedule.steps, diagonals, level, party.scale(), target);
    const auto x = party.random(seed);
    const Ciphertext a = party.encrypt(x, level, party.scale());
    std::vector<double> expected(x.size());
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
      const auto turned = rotated(x, schedule.steps[i].diagonal);
      for (std::size_t k = 0; k < x.size(); ++k) expected[k] += diagonals[i][k] * turned[k];
    }
    const auto turned = rotated(expected, 1);
    for (std::size_t k = 0; k < x.size(); ++k) expected[k] += turned[k];
    const std::vector<const DiagonalMatrix*> row{&matrix};
    EXPECT_LT(error(party.evaluator.linear({&a, 1}, {&row, 1}, schedule)[0], expected), 4 * bound(level)) << level;
  }
}

TEST_P(LowLevels, PublicEncryptionsAreRight) {
  for (int level = 0; level <= party.top(); ++level) {
    const auto x = party.random(static_cast<std::uint64_t>(level));
    const Plaintext plain = party.encoder.encode(x, level, party.scale());
    EXPECT_LT(error(party.encryptor.encrypt(plain), x), bound(level)) << level;
  }
}

}  // namespace
}  // namespace tacit::scheme::ckks
