#include "params/sharing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::params {
namespace {

TEST(Sharing, FloodsByThePublishedFactor) {
  // 2^15 * sqrt(12 * 1024), the figures for 30 bits and 2^10 decryptions.
  EXPECT_NEAR(std::log2(flooding_deviation(1, {})), 15 + std::log2(12 * 1024.0) / 2, 1e-12);
  EXPECT_NEAR(std::log2(flooding_deviation(1, {})), 21.79, 0.01);
  EXPECT_NEAR(flooding_deviation(0x1p-40, {.statistical_bits = 40, .decryptions = 3}), 0x1p-40 * 0x1p20 * 6, 0x1p-34);
}

TEST(Sharing, LeavesBitsWhoseStepIsFourDeviations) {
  EXPECT_EQ(most_shared_bits(0x1p-12), 10);
  EXPECT_EQ(most_shared_bits(0x1.01p-12), 9);
  EXPECT_EQ(most_shared_bits(8), -5);
  for (const int bits : {-3, 0, 12}) {
    const Sharing sharing{.bits = bits};
    const double most = most_noise(sharing);
    EXPECT_EQ(most_shared_bits(flooding_deviation(most * (1 - 1e-12), sharing)), bits);
    EXPECT_EQ(most_shared_bits(flooding_deviation(most * (1 + 1e-9), sharing)), bits - 1);
  }
}

TEST(Sharing, RoundsToMultiplesOfTheStep) {
  EXPECT_EQ(rounded_to(0.3, 3), 0.25);
  EXPECT_EQ(rounded_to(-0.32, 3), -0.375);
  EXPECT_EQ(rounded_to(13, -3), 16);
}

TEST(Sharing, RefusesPromisesThatAreNone) {
  EXPECT_NO_THROW(check(Sharing{}));
  for (const Sharing& sharing :
       {Sharing{.bits = 1001}, Sharing{.statistical_bits = 19}, Sharing{.statistical_bits = NAN},
        Sharing{.statistical_bits = 81}, Sharing{.decryptions = 0.5}, Sharing{.decryptions = 0x1p41}})
    EXPECT_THROW(check(sharing), base::InputError);
}

TEST(Sharing, BoundsOfPromisesAreWhereTheySay) {
  const auto objection = [](const Sharing& sharing) -> std::string { return base::refusal([&] { check(sharing); }); };
  for (const int bits : {-1000, 1000}) EXPECT_EQ(objection({.bits = bits}), base::kNotRefused);
  for (const double bits : {20.0, 80.0}) EXPECT_EQ(objection({.statistical_bits = bits}), base::kNotRefused);
  for (const double decryptions : {1.0, 0x1p40}) EXPECT_EQ(objection({.decryptions = decryptions}), base::kNotRefused);
  EXPECT_EQ(objection({.bits = -1001}), "sharing: the number of bits is -1001, and -1000 to 1000 are accepted");
  EXPECT_EQ(objection({.bits = 1001}), "sharing: the number of bits is 1001, and -1000 to 1000 are accepted");
  EXPECT_EQ(objection({.statistical_bits = 19.5}),
            "sharing: the number of statistical bits is 19.5, and 20 to 80 are accepted");
  EXPECT_EQ(objection({.statistical_bits = 80.5}),
            "sharing: the number of statistical bits is 80.5, and 20 to 80 are accepted");
  EXPECT_EQ(objection({.decryptions = 0.5}),
            "sharing: the number of decryptions is 0.5, and 1 to 1.09951e+12 are accepted");
  EXPECT_NE(objection({.decryptions = 0x1.01p40}), base::kNotRefused);
}

TEST(Sharing, FloodsForThirtyBitsAndAThousandDecryptionsByDefault) {
  const Sharing sharing;
  EXPECT_EQ(sharing.bits, 0);
  EXPECT_EQ(sharing.statistical_bits, 30);
  EXPECT_EQ(sharing.decryptions, 1024);
}

TEST(Sharing, BitsStayWithinSixteenBitsHoweverSmallTheFlood) {
  EXPECT_EQ(most_shared_bits(0), 65536);
  EXPECT_EQ(most_shared_bits(INFINITY), -65536);
}

}  // namespace
}  // namespace tacit::params
