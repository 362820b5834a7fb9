#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/ckks.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/refusal_for_test.h"

namespace tacit::ckks {
namespace {

using base::refusal;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A ring that is too small to be secure: 512 slots, 3 levels.
const std::string kLiteral = R"({"name": "tiny", "log_n": 10, "q_bits": [50, 40, 40, 40], "p_bits": [50],
                                 "log_scale": 40, "insecure": true)";

struct Owner {
  explicit Owner(const KeyRequest& request = {}, const std::string& literal = kLiteral + "}")
      : context(Parameters::from_json(literal, InsecureParameters::allow)),
        generator(context),
        secret(generator.secret_key()),
        evaluator(context, generator.evaluation_keys(secret, request)),
        decryptor(context, secret) {}
  Ciphertext encrypt(const std::vector<double>& values) const { return Encryptor(context, secret).encrypt(values); }

  Context context;
  KeyGenerator generator;
  SecretKey secret;
  Evaluator evaluator;
  Decryptor decryptor;
};

TEST(CkksBounds, ALinearTransformIsPreparedForALevelThatItCanSpend) {
  const Context context(Parameters::from_json(kLiteral + "}", InsecureParameters::allow));
  const std::map<std::int64_t, std::vector<double>> same{{0, {1.0}}};
  for (const int level : {1, 3}) EXPECT_EQ(LinearTransform::from_diagonals(context, same, level).input_level(), level);
  EXPECT_EQ(LinearTransform::from_diagonals(context, same).input_level(), 3) << "the highest, unless it is named";
  for (const int level : {-1, 0, 4})
    EXPECT_EQ(refusal([&] { LinearTransform::from_diagonals(context, same, level); }),
              std::string("a linear transform costs a level: its input level ") + std::to_string(level) +
                  " must lie in [1, 3]");
}

TEST(CkksBounds, MatricesHaveOneTo512RowsAndColumns) {
  const Context context(Parameters::from_json(kLiteral + "}", InsecureParameters::allow));
  const auto made = [&](std::size_t rows, std::size_t columns, std::size_t entries) {
    return refusal([&] { LinearTransform::from_matrix(context, rows, columns, std::vector<double>(entries, 1.0)); });
  };
  const std::string bounds = " matrix: rows and columns must lie in [1, 512], the slots of tiny";
  EXPECT_EQ(made(0, 1, 0), "a 0 x 1" + bounds);
  EXPECT_EQ(made(1, 0, 0), "a 1 x 0" + bounds);
  EXPECT_EQ(made(513, 1, 513), "a 513 x 1" + bounds);
  EXPECT_EQ(made(1, 513, 513), "a 1 x 513" + bounds);
  EXPECT_EQ(made(2, 3, 5), "a 2 x 3 matrix has 6 entries, 5 were given");
  EXPECT_EQ(made(1, 1, 1), base::kNotRefused);
  EXPECT_EQ(refusal([&] {
              LinearTransform::from_diagonals(context, {{-511, {1.0}}, {1, {1.0}}});
            }),
            "diagonal 1 is given twice: steps count modulo the 512 slots");
}

TEST(CkksBounds, TheDiagonalItselfNeedsNoRotation) {
  const Context context(Parameters::from_json(kLiteral + "}", InsecureParameters::allow));
  EXPECT_THAT(LinearTransform::from_diagonals(context, {{0, {2.0}}}).rotations(), ::testing::IsEmpty());
  EXPECT_THAT(LinearTransform::from_diagonals(context, {{0, {2.0}}, {1, {1.0}}, {2, {1.0}}, {5, {1.0}}}).rotations(),
              ::testing::Not(::testing::Contains(0)));
}

TEST(CkksBounds, ASumOfAllSlotsStandsInEverySlot) {
  const Owner owner({.rotations = {1, 2, 4, 8, 16, 32, 64, 128, 256}});
  std::vector<double> values(512);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] = static_cast<double>(i % 7) / 64;
  const std::vector<double> found = owner.decryptor.decrypt(owner.evaluator.sum_slots(owner.encrypt(values)));
  for (const std::size_t slot : {0, 1, 255, 256, 511}) EXPECT_NEAR(found[slot], sum, 1e-5) << slot;
}

TEST(CkksBounds, ASubtractionKeepsWhatIsNotSubtractedFrom) {
  const Owner owner;
  const std::vector<double> found =
      owner.decryptor.decrypt(owner.evaluator.sub_plain(owner.encrypt({0.5, 0.25, 0.125}), std::vector<double>{1}));
  EXPECT_NEAR(found[0], -0.5, 1e-7);
  EXPECT_NEAR(found[1], 0.25, 1e-7);
  EXPECT_NEAR(found[2], 0.125, 1e-7);
}

TEST(CkksBounds, ComplexMessagesNeedNoiseThatIsStated) {
  const Owner owner;
  const Ciphertext hidden = owner.encrypt({0.5});
  for (const double deviation : {0.0, -1.0, 1e-30, kInfinity, kNan})
    EXPECT_THAT(refusal([&] { owner.decryptor.decrypt_complex(hidden, deviation); }),
                ::testing::HasSubstr(" is not enough to add; a fresh ciphertext of this scale has "))
        << deviation;
  EXPECT_NEAR(owner.decryptor.decrypt_complex(hidden, 1e-4)[0].real(), 0.5, 1e-3);
}

// 20 statistical bits and one decryption: the flood is 2^10 sqrt(12) = 2^11.8 times as wide as the noise, and a quarter
// of a step. From a noise of 2^-20 on that leaves 6 bits.
TEST(CkksBounds, AsManyBitsAreSharedAsTheFloodLeaves) {
  const Owner owner;
  const std::vector<double> values{0.5, -0.3, 0.7, 0};
  const Ciphertext hidden = owner.encrypt(values);
  const Sharing promise{.statistical_bits = 20, .decryptions = 1, .noise = std::exp2(-20)};
  const std::vector<double> shown = owner.decryptor.decrypt_for_sharing(hidden, 6, promise);
  ASSERT_EQ(shown.size(), 512U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(shown[i], values[i], 0.03) << i;
    EXPECT_EQ(std::ldexp(shown[i], 6), std::nearbyint(std::ldexp(shown[i], 6))) << i;
  }
  EXPECT_EQ(refusal([&] { owner.decryptor.decrypt_for_sharing(hidden, 7, promise); }),
            "decrypt: 7 bits behind the binary point cannot be shared, 6 can: noise of 2^-20.0 is hidden by a flood of "
            "2^-8.2; ask for fewer bits, or compute at a larger scale");
}

TEST(CkksBounds, NoMoreVectorsAreSharedThanPromised) {
  const Owner owner;
  const Ciphertext hidden = owner.encrypt({0.5});
  const auto shared = [&](double decryptions) {
    return refusal([&] { owner.decryptor.decrypt_for_sharing(hidden, -20, {.decryptions = decryptions}); });
  };
  EXPECT_EQ(shared(2), base::kNotRefused);
  EXPECT_EQ(shared(2), base::kNotRefused);
  EXPECT_THAT(shared(2),
              ::testing::HasSubstr("2 were shared under this key, and at most 2 were promised to be (this decryptor"));
}

TEST(CkksBounds, TheNoiseThatIsStatedCountsWhereItIsAboveTheEstimate) {
  const Owner owner;
  const Ciphertext hidden = owner.encrypt({0.5});
  const auto refused = [&](double noise) {
    return refusal([&] { owner.decryptor.decrypt_for_sharing(hidden, 60, {.noise = noise}); });
  };
  EXPECT_THAT(refused(0), ::testing::HasSubstr("60 bits behind the binary point cannot be shared"));
  EXPECT_EQ(refused(1e-30), refused(0));
  EXPECT_THAT(refused(0.5), ::testing::HasSubstr("-23 can: noise of 2^-1.0 is hidden by a flood of 2^20.8;"));
  for (const double noise : {-1e-9, kInfinity, kNan})
    EXPECT_EQ(refused(noise), "decrypt: the noise of a ciphertext is no negative number") << noise;
}

TEST(CkksBounds, RealSlotsDoNotShowTheirNoise) {
  const Owner owner({}, kLiteral + R"(, "real_slots": true})");
  const Ciphertext hidden = owner.encrypt({0.5, -0.25});
  EXPECT_EQ(refusal([&] { owner.decryptor.decrypt_for_sharing(hidden, 2); }),
            "decrypt: real slots do not show the noise of a ciphertext; state it as Sharing::noise");
  const std::vector<double> shown = owner.decryptor.decrypt_for_sharing(
      hidden, 2, {.statistical_bits = 20, .decryptions = 1, .noise = std::exp2(-30)});
  EXPECT_EQ(shown.at(0), 0.5);
  EXPECT_EQ(shown.at(1), -0.25);
}

// The chain of S8 on a ring of 2^10.
TEST(CkksBounds, ABootstrapBeginsAtItsInputLevel) {
  const Owner owner({.bootstrap = true}, R"({"name": "tiny S8", "log_n": 10, "log_scale": 40, "insecure": true,
    "q_bits": [50, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 50, 50, 50, 50, 50, 50, 29, 29, 50, 50, 50, 50, 50],
    "p_bits": [48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48], "digits": [13, 12],
    "bootstrap": {"slots_to_coefficients": 3, "sine": [1, 2, 1, 1, 1, 1, 1, 1], "coefficients_to_slots": 4,
                  "ephemeral_weight": 32}})");
  const Bootstrapping how(owner.context);
  const Ciphertext last = owner.evaluator.drop_to_level(owner.encrypt({0.5, -0.25}), how.input_level());
  const Ciphertext fresh = owner.evaluator.bootstrap(how, last);
  EXPECT_EQ(fresh.level(), how.output_level());
  const std::vector<double> found = owner.decryptor.decrypt(fresh);
  EXPECT_NEAR(found[0], 0.5, 1e-4);
  EXPECT_NEAR(found[1], -0.25, 1e-4);
}

}  // namespace
}  // namespace tacit::ckks
