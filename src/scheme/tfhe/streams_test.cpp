#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <random>

#include "scheme/tfhe/bounded_noise.h"
#include "scheme/tfhe/glwe_rows.h"
#include "scheme/tfhe/packing_key.h"
#include "scheme/tfhe/party_for_test.h"

namespace tacit::scheme::tfhe {
namespace {

/// What seeds expand to, which files of earlier versions rely on.
const base::Seed kSeed{3, 1, 4, 1, 5, 9, 2, 6};

ContextPtr context_of(int lwe_dimension = 100) {
  params::TfheLiteral literal = testing::small_literal();
  literal.lwe_dimension = lwe_dimension;
  return Context::make(params::TfheParameters::check(literal));
}

TEST(TfheStreams, OfFreshCiphertextsAreMaskAfterMask) {
  const ContextPtr context = context_of();
  const LweCiphertexts expanded =
      expand(*context, {.seed = kSeed, .bodies = {7, 8, 9}, .parameters = context->parameters().hash()});
  ASSERT_EQ(expanded.count(), 3u);
  base::Csprng words(kSeed);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Torus word : expanded.mask(i)) ASSERT_EQ(word, words.next()) << i;
    EXPECT_EQ(expanded.body(i), 7 + i);
  }
}

TEST(TfheStreams, OfKeySwitchRowsAreHalvesOfWordsTheLowerFirst) {
  for (const int dimension : {99, 100}) {
    const ContextPtr context = context_of(dimension);
    const std::size_t n = context->small(), large = context->large();
    const DigitsOf digits(context->parameters().key_switch());
    SeededKeySwitchKey seeded{
        .seed = kSeed, .bodies = std::vector<std::uint32_t>(4 * large), .parameters = context->parameters().hash()};
    for (std::size_t row = 0; row < seeded.bodies.size(); ++row)
      seeded.bodies[row] = static_cast<std::uint32_t>(row * row);
    const KeySwitchKey key(context, seeded);
    // A ciphertext whose mask has one digit, a one, is minus that row, and its body.
    const std::vector<std::size_t> rows{0, 1, 3, 4, 63, 64, 65, 1000, 2047};
    LweCiphertexts inputs(context->parameters().large_lwe(), rows.size(), context->parameters().hash());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::fill(inputs[i], 0);
      inputs[i][rows[i] / 4] = digits.weight(rows[i] % 4);
      inputs.body(i) = (Torus{77} << 32) + (Torus{1} << 31) - (i % 2);  // halves are rounded up
    }
    const SmallLweCiphertexts switched = key.switch_keys(inputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      base::Csprng words(kSeed, rows[i]);
      std::uint64_t word = 0;
      for (std::size_t j = 0; j < n; ++j) {
        word = j % 2 == 0 ? words.next() : word >> 32;
        ASSERT_EQ(switched[i][j], 0 - static_cast<std::uint32_t>(word)) << "row " << rows[i] << ", at " << j;
      }
      EXPECT_EQ(switched.body(i), static_cast<std::uint32_t>(i % 2 == 0 ? 78 : 77) - seeded.bodies[rows[i]]);
    }
  }
}

TEST(TfheStreams, OfGlweRowsBeginWithTheirNumber) {
  const ContextPtr context = context_of();
  GlweRows rows(*context, kSeed);
  for (const std::size_t row : {5, 0, 700, 5}) {
    std::vector<Torus> mask(context->large()), expected(context->large());
    rows.mask(row, mask);
    base::Csprng(kSeed, row).fill(expected);
    EXPECT_EQ(mask, expected) << row;
  }
}

TEST(TfheStreams, GlweRowsEncryptExactlyUpToTheirNoise) {
  const ContextPtr context = context_of();
  const std::size_t n = context->polynomial(), k = context->glwe();
  std::mt19937_64 random(3);
  std::vector<std::uint8_t> small(context->small(), 1), large(context->large());
  for (const int share : {2, 1}) {  // half of the bits are set, then all of them
    for (std::uint8_t& bit : large) bit = share == 1 || random() % 2 == 0 ? 1 : 0;
    const SecretKey secret(*context, small, large);
    GlweRows rows(*context, kSeed);
    std::vector<Torus> body(n), expected;
    for (Torus& word : body) word = random();
    expected = body;
    base::Csprng noise(base::Seed{9}), draws(base::Seed{9}), masks(kSeed, 12);
    std::vector<Torus> mask(k * n);
    masks.fill(mask);
    for (std::size_t u = 0; u < k; ++u)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          const Torus product = mask[u * n + i] * large[u * n + j];
          expected[(i + j) % n] += i + j < n ? product : 0 - product;
        }
    for (Torus& word : expected) word += static_cast<Torus>(bounded_noise(draws, 20));
    rows.encrypt(secret, 12, body, noise);
    EXPECT_EQ(body, expected);
  }
}

TEST(TfheSecrets, HaveBitsOfEitherValueEverywhere) {
  const ContextPtr context = context_of();
  constexpr int kKeys = 40;  // a fair bit is the same in all of them once in 2^39
  constexpr std::size_t kDistances[] = {1, 2, 31, 32, 63, 64, 65, 66};
  std::vector<int> ones(612);
  std::vector<std::array<int, std::size(kDistances)>> same(612);
  for (int i = 0; i < kKeys; ++i) {
    const SecretKey key = SecretKey::generate(*context);
    ASSERT_EQ(key.small().size(), 100u);
    ASSERT_EQ(key.large().size(), 512u);
    std::vector<std::uint8_t> bits(key.small().begin(), key.small().end());
    bits.insert(bits.end(), key.large().begin(), key.large().end());
    for (std::size_t b = 0; b < bits.size(); ++b) {
      ASSERT_LE(bits[b], 1);
      ones[b] += bits[b];
      for (std::size_t d = 0; d < std::size(kDistances); ++d)
        same[b][d] += bits[b] == bits[(b + kDistances[d]) % bits.size()] ? 1 : 0;
    }
  }
  for (std::size_t b = 0; b < ones.size(); ++b) {
    EXPECT_TRUE(ones[b] > 0 && ones[b] < kKeys) << "bit " << b;
    for (std::size_t d = 0; d < std::size(kDistances); ++d)
      EXPECT_TRUE(same[b][d] > 0 && same[b][d] < kKeys)
          << "bits " << b << " and the one " << kDistances[d] << " behind";
  }
}

/// "+name total" for a stage, a sum for its steps, "-" for its end.
class StagesAndSteps final : public base::Progress {
 public:
  std::string told;
  std::uint64_t steps = 0;

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override {
    told += fmt::format("+{} {} ", stage, total);
  }
  void steps_done(std::uint64_t done) override {
    const std::lock_guard lock(mutex_);
    steps += done;
  }
  void stage_ended() override { told += "-"; }
  std::mutex mutex_;
};

TEST(TfheKeys, TellTheirStepsAndTheirBytes) {
  const ContextPtr context = context_of();
  const SecretKey secret = SecretKey::generate(*context);
  StagesAndSteps progress;
  const SeededEvaluationKeys keys = SeededEvaluationKeys::generate(*context, secret, progress);
  EXPECT_EQ(progress.told, "+generating keys 100 +generating the bootstrapping key 100 --");
  EXPECT_EQ(progress.steps, 100u);
  const Evaluator evaluator(context, keys);
  EXPECT_EQ(evaluator.bootstrap_key_bytes(), 3686400u);   // 100 bits, 6 rows of 3 spectra of 256 doubles
  EXPECT_EQ(evaluator.key_switch_key_bytes(), 1048576u);  // 2,048 rows of 2 tiles of 64 words of 4 bytes
  const PackingKey packing(context, SeededPackingKey::generate(*context, secret, {.base_log = 8, .levels = 3}));
  EXPECT_EQ(packing.bytes(), 9437184u);  // 512 bits of 3 levels, each 3 spectra of 256 doubles
}

}  // namespace
}  // namespace tacit::scheme::tfhe
