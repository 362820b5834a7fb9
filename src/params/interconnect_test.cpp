#include "params/interconnect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace tacit::params {
namespace {

TEST(Interconnect, IsBitsASecondAndALatency) {
  const Interconnect network = Interconnect::parse("10Gb,20us");
  EXPECT_DOUBLE_EQ(network.bits_per_second, 1e10);
  EXPECT_DOUBLE_EQ(network.latency_seconds, 2e-5);
  EXPECT_DOUBLE_EQ(network.seconds(1.25e9), 1.00002);
  EXPECT_EQ(network.seconds(0), 0);
  EXPECT_DOUBLE_EQ(Interconnect::parse("2.5Mb,1ms").bits_per_second, 2.5e6);
}

TEST(Interconnect, AnythingElseIsRefusedWithTheWayOut) {
  for (const char* text : {"", "10Gb", "10GB,20us", "-1Gb,20us", "10Gb,0us", "10Gb,20", "10Gb,20us,3", "1e999Gb,20us"})
    EXPECT_THAT([&] { Interconnect::parse(text); }, testing::ThrowsMessage<base::InputError>(testing::HasSubstr(
                                                        "write bits a second and a latency above 0, as in 10Gb,20us")))
        << text;
}

TEST(Interconnect, ReadsEveryUnit) {
  const std::pair<const char*, double> speeds[] = {{"3kb", 3e3}, {"3Mb", 3e6}, {"3Gb", 3e9}, {"3Tb", 3e12}};
  for (const auto& [text, bits] : speeds)
    EXPECT_DOUBLE_EQ(Interconnect::parse(std::string(text) + ",1s").bits_per_second, bits) << text;
  const std::pair<const char*, double> latencies[] = {{"3s", 3}, {"3ms", 3e-3}, {"3us", 3e-6}, {"3ns", 3e-9}};
  for (const auto& [text, seconds] : latencies)
    EXPECT_DOUBLE_EQ(Interconnect::parse(std::string("1Gb,").append(text)).latency_seconds, seconds) << text;
}

TEST(Interconnect, BothNumbersMustBeAboveZeroAndFinite) {
  for (const char* text : {"0Gb,20us", "10Gb,-1us", "1e308Tb,20us", ",20us", "10Gb,", "Gb,20us", "20us,10Gb"})
    EXPECT_THROW(Interconnect::parse(text), base::InputError) << text;
}

TEST(Interconnect, OfAnInputThatIsLongTheBeginningIsTold) {
  const std::string fifty = "a" + std::string(49, 'b');
  EXPECT_THAT([&] { Interconnect::parse(fifty + "cd"); },
              testing::ThrowsMessage<base::InputError>(
                  "'" + fifty + "' is no network; write bits a second and a latency above 0, as in 10Gb,20us"));
}

TEST(Interconnect, OneExchangeTakesTheLatencyAndEightBitsAByte) {
  const Interconnect network{.bits_per_second = 4, .latency_seconds = 3};
  EXPECT_EQ(network.seconds(0), 0);
  EXPECT_EQ(network.seconds(1), 3 + 2);
  EXPECT_EQ(network.seconds(5), 3 + 10);
}

TEST(Interconnect, ReadsNothingBehindItsText) {
  EXPECT_THROW(Interconnect::parse(std::string_view("1Gb,20us").substr(0, 5)), base::InputError);
  EXPECT_DOUBLE_EQ(Interconnect::parse(std::string_view("1Gb,2s0").substr(0, 6)).latency_seconds, 2);
}

}  // namespace
}  // namespace tacit::params
