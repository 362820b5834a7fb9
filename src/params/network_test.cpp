#include "params/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::params {
namespace {

TEST(Network, IsBitsASecondAndALatency) {
  const Network network = Network::parse("10Gb,20us");
  EXPECT_DOUBLE_EQ(network.bits_per_second, 1e10);
  EXPECT_DOUBLE_EQ(network.latency_seconds, 2e-5);
  EXPECT_DOUBLE_EQ(network.seconds(1.25e9), 1.00002);
  EXPECT_EQ(network.seconds(0), 0);
  EXPECT_DOUBLE_EQ(Network::parse("2.5Mb,1ms").bits_per_second, 2.5e6);
}

TEST(Network, AnythingElseIsRefusedWithTheWayOut) {
  for (const char* text : {"", "10Gb", "10GB,20us", "-1Gb,20us", "10Gb,0us", "10Gb,20", "10Gb,20us,3", "1e999Gb,20us"})
    EXPECT_THAT([&] { Network::parse(text); }, testing::ThrowsMessage<base::InputError>(testing::HasSubstr(
                                                   "write bits a second and a latency above 0, as in 10Gb,20us")))
        << text;
}

}  // namespace
}  // namespace tacit::params
