#include <gtest/gtest.h>

#include "scheme/tfhe/bounded_noise.h"
#include "scheme/tfhe/packing_key.h"
#include "scheme/tfhe/party_for_test.h"

namespace tacit::scheme::tfhe {
namespace {

using testing::chi_square_interval, testing::difference, testing::mean_square, testing::Party;

TEST(BoundedNoise, HasTheStatedVarianceBoundsAndEnds) {
  base::Csprng random(base::Seed{1});
  constexpr std::size_t kSamples = 200000;
  std::vector<double> draws;
  std::size_t low = 0, high = 0, inner = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::int64_t draw = bounded_noise(random, 3);
    ASSERT_LE(std::abs(draw), 8);
    low += draw == -8;
    high += draw == 8;
    inner += draw == 1;
    draws.push_back(std::ldexp(static_cast<double>(draw), -64));
  }
  const double variance = params::bounded_uniform_variance(3, 64);
  EXPECT_NEAR(mean_square(draws) / variance, 1, chi_square_interval(kSamples));
  const double each = kSamples / 16.0, tolerance = 5 * std::sqrt(each);
  EXPECT_NEAR(static_cast<double>(low), each / 2, tolerance);
  EXPECT_NEAR(static_cast<double>(high), each / 2, tolerance);
  EXPECT_NEAR(static_cast<double>(inner), each, tolerance);
}

TEST(DigitsOf, ComposeToTheWordAndHaveNoMean) {
  std::mt19937_64 random(5);
  for (const params::Decomposition cut : {params::Decomposition{.base_log = 2, .levels = 8},
                                          {.base_log = 1, .levels = 14},
                                          {.base_log = 5, .levels = 3},
                                          {.base_log = 23, .levels = 1}}) {
    const DigitsOf digits(cut);
    std::vector<std::int64_t> of(digits.levels());
    std::vector<double> sums(digits.levels(), 0);
    constexpr int kWords = 100000;
    const double base = std::exp2(cut.base_log);
    for (int i = 0; i < kWords; ++i) {
      const Torus word = random();
      digits.cut(word, of.data());
      Torus sum = 0;
      for (std::size_t level = 0; level < of.size(); ++level) {
        ASSERT_LE(2 * std::abs(of[level]), std::int64_t{1} << cut.base_log);
        sum += static_cast<Torus>(of[level]) * digits.weight(level);
        sums[level] += static_cast<double>(of[level]);
      }
      ASSERT_LE(std::abs(difference(word, sum)), std::exp2(-1 - cut.base_log * cut.levels));
    }
    for (const double sum : sums)
      EXPECT_LT(std::abs(sum / kWords), 5 * base / std::sqrt(12.0 * kWords)) << cut.base_log;
  }
}

/// The phase of rotations, in turns.
double phase_of(const Context& context, const SecretKey& secret, const Rotations& rotations) {
  const auto steps = static_cast<std::int64_t>(2 * context.polynomial() * context.extension());
  std::int64_t sum = rotations.body;
  for (std::size_t i = 0; i < rotations.mask.size(); ++i) sum -= std::int64_t{rotations.mask[i]} * secret.small()[i];
  return static_cast<double>((sum % steps + steps) % steps) / static_cast<double>(steps);
}

/// The phases of ciphertexts between key switch and bootstrap, in the upper half of each word.
std::vector<Torus> phases_of(const SecretKey& secret, const SmallLweCiphertexts& ciphertexts) {
  std::vector<Torus> result;
  for (std::size_t i = 0; i < ciphertexts.count(); ++i) {
    std::uint32_t phase = ciphertexts.body(i);
    for (std::size_t j = 0; j < ciphertexts.dimension(); ++j) phase -= ciphertexts.mask(i)[j] * secret.small()[j];
    result.push_back(Torus{phase} << 32);
  }
  return result;
}

class LookupNoise : public ::testing::TestWithParam<const char*> {};

// Every step of a lookup at real parameters. Sums over many samples: where errors share a key they are almost
// independent.
TEST_P(LookupNoise, OfEveryStepIsThatOfItsFormula) {
  const Party party(GetParam());
  const params::LookupShape& shape = party.context->parameters().shape();
  const std::size_t count = party.bits() <= 4 ? 1000 : 64;
  const std::vector<Torus> messages(count, encode(1, party.bits()));
  const LweCiphertexts fresh = party.encryptor.encrypt(messages);
  const SmallLweCiphertexts switched = party.evaluator.key_switch(fresh);
  const LookupTable table = LookupTable::of(*party.context, [](std::int64_t x) { return x; });
  const std::vector<const LookupTable*> tables(count, &table);
  const LweCiphertexts results = party.evaluator.bootstrap(switched, tables);
  const auto before = party.decryptor.phases(fresh), after = phases_of(party.secret, switched);
  const auto out = party.decryptor.phases(results);
  // The body is cut off at steps: on average half of one.
  const double step = 0.5 / static_cast<double>(party.context->polynomial() * party.context->extension());
  std::vector<double> encryption, key_switch, modulus, bootstrap;
  for (std::size_t i = 0; i < count; ++i) {
    encryption.push_back(difference(before[i], messages[i]));
    key_switch.push_back(difference(after[i], before[i]));
    const double rounded = phase_of(*party.context, party.secret, modulus_switch(*party.context, switched[i], 0)) -
                           std::ldexp(static_cast<double>(after[i]), -64) + step / 2;
    modulus.push_back(rounded - std::round(rounded));
    bootstrap.push_back(difference(out[i], messages[i]));
  }
  const double interval = chi_square_interval(count);
  EXPECT_NEAR(mean_square(encryption) / shape.glwe_variance, 1, interval);
  EXPECT_NEAR(mean_square(key_switch) / params::key_switch_variance(shape), 1, interval);
  EXPECT_NEAR(mean_square(modulus) / (params::modulus_switch_variance(shape) + step * step / 12), 1, interval);
  EXPECT_NEAR(mean_square(bootstrap) / params::bootstrap_variance(shape), 1, interval);
}

INSTANTIATE_TEST_SUITE_P(Sets, LookupNoise,
                         ::testing::Values("T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T1-40", "T4-40"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

struct PackingCase {
  const char* set;
  params::Decomposition cut;
};
class PackingNoise : public ::testing::TestWithParam<PackingCase> {};

TEST_P(PackingNoise, IsThatOfItsFormula) {
  const auto [set, cut] = GetParam();
  const Party party(set);
  const PackingKey key(party.context, SeededPackingKey::generate(*party.context, party.secret, cut));
  const params::LookupShape& shape = party.context->parameters().shape();
  const std::size_t n = party.context->polynomial();
  // The transform's error meets a secret whose mean is not zero, so that neighbours in one polynomial share most of it:
  // many polynomials are needed, and the interval is wider than that of independent errors.
  constexpr std::size_t kPackings = 32;
  constexpr double kInterval = 0.35;
  for (const std::size_t count : {n, n / 8}) {
    // What digits leave out is in the packed places alone, and the noise of the key in all.
    std::vector<double> packed, others;
    for (std::size_t packing = 0; packing < kPackings; ++packing) {
      const LweCiphertexts fresh = party.encryptor.encrypt(std::vector<Torus>(count, encode(1, 1)));
      std::vector<Torus> before = party.decryptor.phases(fresh);
      before.resize(n, 0);
      const auto after = phases(*party.context, party.secret, key.pack(fresh));
      for (std::size_t i = 0; i < n; ++i) (i < count ? packed : others).push_back(difference(after[i], before[i]));
    }
    const double variance = params::packing_variance(shape, cut, count);
    EXPECT_NEAR(mean_square(packed) / variance, 1, kInterval) << count;
    if (others.empty()) continue;
    EXPECT_NEAR(mean_square(others) / (variance - params::packing_variance(shape, cut, 0)), 1, kInterval) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, PackingNoise,
                         ::testing::Values(PackingCase{"T1", {5, 3}}, PackingCase{"T4", {12, 2}},
                                           PackingCase{"T4", {23, 1}}, PackingCase{"T4", {15, 2}},
                                           PackingCase{"T3", {15, 2}}),
                         [](const auto& test) {
                           return std::string(test.param.set) + "_b" + std::to_string(test.param.cut.base_log);
                         });

/// Lookups of a test-only set, small enough that more than one in a hundred fails: in the modulus switch, where all
/// noise has come together. Those that are modelled draw the noise of what came before from the formulas.
class LookupFailures : public ::testing::Test {
 protected:
  static params::TfheLiteral literal() {
    params::TfheLiteral literal = testing::small_literal();
    literal.bits = 5;
    literal.norm2 = 1;
    literal.lwe_dimension = 120;
    literal.log_extension = 0;
    literal.log_tables = 0;
    literal.lwe_noise_bits = 15;
    literal.log2_failure = -4;
    return literal;
  }
  /// Whether the table's box that the rotation ends in is another message's. A box has its lower end, and not its upper
  /// one.
  bool fails(std::span<const std::uint32_t> ciphertext, std::int64_t message) const {
    const double phase = phase_of(*party_.context, party_.secret, modulus_switch(*party_.context, ciphertext, 0));
    const double error = phase - std::ldexp(static_cast<double>(message), -party_.bits() - 1);
    const double wrapped = error - std::round(error), half = std::exp2(-party_.bits() - 2);
    return wrapped >= half || wrapped < -half;
  }
  double tolerance(double count) const { return 5 * std::sqrt(predicted_ * (1 - predicted_) / count); }

  Party party_{literal()};
  double predicted_ = std::exp2(party_.context->parameters().log2_failure());
  std::mt19937_64 random_{3};
};

TEST_F(LookupFailures, OfAMillionModelledLookupsAreAsManyAsPredicted) {
  ASSERT_GT(predicted_, 0.01);
  ASSERT_LT(predicted_, 0.02);
  const params::NoiseBudget budget = params::noise_budget(party_.context->parameters().shape(), 1);
  std::normal_distribution<double> noise(0, std::sqrt(budget.bootstraps + budget.key_switch));
  constexpr int kLookups = 1000000;
  int failed = 0;
  std::vector<std::uint32_t> ciphertext(party_.context->small() + 1);
  for (int i = 0; i < kLookups; ++i) {
    const auto message = static_cast<std::int64_t>(random_() % 32);
    auto body = static_cast<std::uint32_t>(static_cast<std::int64_t>(std::ldexp(noise(random_), 32)));
    body += static_cast<std::uint32_t>(encode(message, party_.bits()) >> 32);
    for (std::size_t j = 0; j < party_.context->small(); ++j) {
      ciphertext[j] = static_cast<std::uint32_t>(random_());
      body += ciphertext[j] * party_.secret.small()[j];
    }
    ciphertext.back() = body;
    failed += fails(ciphertext, message);
  }
  EXPECT_NEAR(failed / double{kLookups}, predicted_, tolerance(kLookups) + 0.02 * predicted_);
}

TEST_F(LookupFailures, OfEncryptedKeySwitchesAreAsManyAsPredicted) {
  constexpr std::size_t kLookups = 40000;
  std::vector<std::int64_t> messages;
  for (std::size_t i = 0; i < kLookups; ++i) messages.push_back(static_cast<std::int64_t>(random_() % 32));
  const SmallLweCiphertexts switched = party_.evaluator.key_switch(party_.encryptor.encrypt_messages(messages));
  std::size_t failed = 0;
  for (std::size_t i = 0; i < kLookups; ++i) failed += fails(switched[i], messages[i]);
  // Errors of one key switching key are not wholly independent.
  EXPECT_NEAR(static_cast<double>(failed) / kLookups, predicted_, tolerance(kLookups) + 0.1 * predicted_);
}

}  // namespace
}  // namespace tacit::scheme::tfhe
