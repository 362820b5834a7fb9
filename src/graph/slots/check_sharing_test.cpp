#include "graph/slots/check_sharing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

constexpr params::Sharing kFourBits{.bits = 4, .statistical_bits = 30, .decryptions = 1024};

/// A quarter of a step of 2^-4, divided by the ratio of the flood to the noise, with a quarter to spare.
double limit() { return 0x1p-6 / (0x1p15 * std::sqrt(12.0 * 1024)) / 1.25; }

TEST(CheckSharing, NoiseLeavesBitsWithAQuarterToSpare) {
  EXPECT_DOUBLE_EQ(most_noise_to_share(kFourBits), limit());
  EXPECT_EQ(most_bits_to_share(0.999 * limit(), kFourBits), 4);
  EXPECT_EQ(most_bits_to_share(1.001 * limit(), kFourBits), 3);
  EXPECT_EQ(most_bits_to_share(0.999 * limit() / 1024, kFourBits), 14);
  EXPECT_EQ(most_bits_to_share(0.999 * limit() * 1024, kFourBits), -6);
}

TEST(CheckSharing, EveryOutputLeavesTheBitsInItsOwnUnits) {
  const auto said = [](double noise, double unit) {
    program::ClientInterface client;
    client.outputs.push_back({.name = "quiet", .layout = {}, .noise = limit() / 2});
    client.outputs.push_back({.name = "y", .layout = {}, .unit = unit, .noise = noise});
    return base::refusal([&] { check_sharing(client, kFourBits, true); });
  };
  for (const double unit : {1.0, 8.0, -8.0, 0.125}) {
    EXPECT_EQ(said(0.999 * limit() / std::abs(unit), unit), base::kNotRefused) << unit;
    EXPECT_THAT(said(1.001 * limit() / std::abs(unit), unit),
                HasSubstr("output 'y' cannot be shared with 4 bits behind the binary point: its noise is 2^-28.1, what "
                          "hides it (for 30 statistical bits and 1024 decryptions) is 2^-6.3, which leaves 3 bits"))
        << unit;
  }
}

TEST(CheckSharing, NoiseMayBeTheMostThatLeavesTheBits) {
  program::ClientInterface client;
  client.outputs.push_back({.name = "y", .layout = {}, .noise = most_noise_to_share(kFourBits)});
  EXPECT_EQ(base::refusal([&] { check_sharing(client, kFourBits, true); }), base::kNotRefused);
  client.outputs[0].noise = std::nextafter(client.outputs[0].noise, 1.0);
  EXPECT_THAT(base::refusal([&] { check_sharing(client, kFourBits, true); }),
              AllOf(HasSubstr("output 'y' cannot be shared"), EndsWith("or labels alone (decrypt --labels)")));
  EXPECT_THAT(base::refusal([&] { check_sharing(client, kFourBits, false); }),
              EndsWith("have less noise: share fewer bits, or promise fewer results of a key (--share-decryptions 16 "
                       "leaves 7 bits)"));
  // There is nothing to gain from fewer results than these.
  params::Sharing few = kFourBits;
  few.decryptions = 16;
  client.outputs[0].noise = 1.001 * most_noise_to_share(few);
  EXPECT_THAT(base::refusal([&] { check_sharing(client, few, false); }), EndsWith("have less noise: share fewer bits"));
}

}  // namespace
}  // namespace tacit::graph::passes
