#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/refusal_for_test.h"
#include "graph/slots/choose_parameters.h"

// Sizes of primes, from the table's 214 bits for N = 2^13 and 1747 for N = 2^16 less two to spare.
namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;
using Bits = std::vector<int>;

params::CkksLiteral set(const char* name, Bits q, Bits p, int scale) {
  return {name, 13, std::move(q), std::move(p), scale, false};
}

// The first prime has 10 bits above the scale, the special one a bit more: 7 s + 21 <= 212 at five levels.
TEST(ParameterSizes, TheLargestScaleThatFitsIsTaken) {
  EXPECT_EQ(literal_for(13, {5, false, 10}), set("N13-d5", {37, 27, 27, 27, 27, 27}, {38}, 27));
  EXPECT_EQ(literal_for(13, {4, true, 10}), set("N13-d4", {41, 31, 31, 31, 31}, {42}, 31));
  EXPECT_EQ(literal_for(13, {6, false, 10}), std::nullopt) << "of 23 bits, and 26 are the least";
  EXPECT_EQ(literal_for(13, {5, true, 10}), std::nullopt) << "of 27 bits, and 31 are the least";
}

TEST(ParameterSizes, TheFirstPrimeTakesFourteenBitsAboveTheScaleWhereThereIsRoom) {
  EXPECT_EQ(literal_for(13, {0, false, 10}), set("N13-d0", {50}, {50}, 40));
  EXPECT_EQ(literal_for(13, {0, false, 10, 30}), set("N13-d0", {44}, {45}, 30));
  EXPECT_EQ(literal_for(13, {0, false, 18, 30}), set("N13-d0", {48}, {49}, 30));
}

TEST(ParameterSizes, HeadroomIsTakenFromTheScaleDownToTheLeastThatIsPrecise) {
  EXPECT_EQ(literal_for(13, {0, false, 24}), set("N13-d0", {50}, {50}, 26));
  const auto fits = [](int log_n, bool approximations, int headroom) {
    return literal_for(log_n, {0, approximations, headroom}).has_value();
  };
  EXPECT_FALSE(fits(13, false, 25));
  EXPECT_TRUE(fits(13, true, 19));
  EXPECT_FALSE(fits(13, true, 20));
  EXPECT_TRUE(fits(16, false, 21));
  EXPECT_FALSE(fits(16, false, 22));
  EXPECT_TRUE(fits(16, true, 16));
  EXPECT_FALSE(fits(16, true, 17));
}

TEST(ParameterSizes, EveryNumberOfSpecialPrimesHasItsLargestScale) {
  EXPECT_THAT(trading_literals(13, {0, false, 10}), testing::ElementsAre(set("N13-d0", {50}, {50}, 40)));
  EXPECT_THAT(trading_literals(13, {1, false, 10}),
              testing::UnorderedElementsAre(set("N13-d1", {50, 40}, {50}, 40), set("N13-d1", {50, 40}, {46, 46}, 40)));
  EXPECT_THAT(
      trading_literals(13, {2, false, 10}),
      testing::UnorderedElementsAre(set("N13-d2", {50, 40, 40}, {50}, 40), set("N13-d2", {45, 39, 39}, {43, 43}, 39),
                                    set("N13-d2", {38, 32, 32}, {35, 35, 35}, 32)));
}

TEST(ParameterSizes, TheDeepestNetworkFillsTheLargestRing) {
  const std::vector<params::CkksLiteral> deepest = candidate_literals({48, true, 10});
  ASSERT_EQ(deepest.size(), 1u);
  EXPECT_EQ(deepest[0].name, "N16-d48");
  EXPECT_EQ(deepest[0].log_scale, 34);
  EXPECT_THAT(base::refusal([] {
                candidate_literals({49, true, 10});
              }),
              HasSubstr("the network needs 49 levels; the largest parameter set without bootstrapping (N = 2^16) has "
                        "48: use fewer layers"));
}

}  // namespace
}  // namespace tacit::graph::passes
