#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/refusal_for_test.h"
#include "graph/slots/candidate_literals_for_test.h"
#include "params/account.h"

// Sizes of primes, from the table's 214 bits for N = 2^13 and 1747 for N = 2^16 less two to spare.
namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;
using Bits = std::vector<int>;

params::CkksLiteral set(const char* name, Bits q, Bits p, int scale) {
  return {name, 13, std::move(q), std::move(p), scale, false};
}

// The first prime has 10 bits above the scale, and the special prime has one bit more. 7 s + 21 <= 212 at five levels.
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
  EXPECT_TRUE(candidate_literals({49, true, 10}).empty());
  EXPECT_THAT(
      too_deep({49, true, 10}).sentence(),
      HasSubstr("the network needs 49 levels, and the largest parameter set without bootstrapping (N = 2^16) has "
                "48: use fewer layers"));
}

// 212 bits: 47 + 3 * 39 + 48.
TEST(ParameterSizes, ASetMayFillTheTable) {
  EXPECT_THAT(trading_literals(13, {3, false, 8}), testing::Contains(set("N13-d3", {47, 39, 39, 39}, {48}, 39)));
  EXPECT_THAT(trading_literals(13, {1, false, 9}), testing::Contains(set("N13-d1", {49, 40}, {46, 46}, 40)))
      << "89 bits of two primes are 45 each";
  // 104 bits of the 106 for N = 2^12, and two special primes leave too small a scale: 36 + 31 + 37.
  EXPECT_EQ(literal_for(12, {1, false, 5}), (params::CkksLiteral{"N12-d1", 12, {36, 31}, {37}, 31, false}));
}

TEST(ParameterSizes, ScalesThatTradePrecisionHaveTwentyBitsAtLeast) {
  EXPECT_THAT(trading_literals(13, {1, false, 10, 20}), testing::Contains(set("N13-d1", {30, 20}, {31}, 20)));
  EXPECT_THAT(trading_literals(13, {1, false, 10, 19}), testing::IsEmpty());
}

/// Words of the transforms of a key switch, over all levels of a set like this one with primes of one size.
double words_of(const params::CkksLiteral& literal) {
  params::CkksLiteral usual = literal;
  usual.q_bits.assign(literal.q_bits.size(), 40);
  usual.p_bits.assign(literal.p_bits.size(), 40);
  const params::Account account(usual);
  double words = 0;
  for (std::size_t level = 0; level < literal.q_bits.size(); ++level)
    words += account.rotate(static_cast<int>(level)).transform_words();
  return words;
}

TEST(ParameterSizes, SetsThatTradePrecisionHaveTheCheapestKeySwitchesFirstAndTwelveSpecialPrimesAtMost) {
  for (const int log_n : {13, 14, 15})
    for (int depth = 0; depth <= 12; ++depth) {
      const std::vector<params::CkksLiteral> all = trading_literals(log_n, {depth, false, 10});
      EXPECT_TRUE(std::ranges::is_sorted(all, {}, words_of)) << log_n << " " << depth;
    }
  for (const int depth : {0, 5, 10, 11, 12, 14})
    EXPECT_EQ(trading_literals(16, {depth, false, 10}).size(), std::min<std::size_t>(12, depth + 1)) << depth;
}

/// The set with the least price of all that fit, where a bit of scale is worth a hundredth of a key switch.
std::optional<params::CkksLiteral> cheapest_of_all(int log_n, const ParameterNeeds& needs) {
  const int budget = static_cast<int>(params::max_log_qp(log_n, 128)) - 2, headroom = needs.output_headroom_bits;
  const int smallest = static_cast<int>(std::ceil(std::log2(std::exp2(log_n) / 6) + (needs.approximations ? 20 : 15)));
  const int largest = std::min(needs.largest_scale_bits, 50 - headroom);
  std::optional<params::CkksLiteral> best;
  double least = INFINITY;
  for (int special = 1; special <= std::min(12, needs.depth + 1); ++special) {
    for (int scale = largest; scale >= smallest; --scale)
      for (const int first : {std::min(50, scale + std::max(headroom, 14)), scale + headroom}) {
        const int digit = first + (special - 1) * scale, prime = std::min(50, (digit - 1) / special + 2);
        if (special * prime < digit || first + needs.depth * scale + special * prime > budget) continue;
        params::CkksLiteral made{fmt::format("N{}-d{}", log_n, needs.depth), log_n, {first}, {}, scale, false};
        made.q_bits.insert(made.q_bits.end(), static_cast<std::size_t>(needs.depth), scale);
        made.p_bits.assign(static_cast<std::size_t>(special), prime);
        const double price = words_of(made) * (1 + 0.01 * (largest - scale));
        if (price < least) {
          least = price;
          best = made;
        }
        break;  // the first prime has room where there is some
      }
  }
  return best;
}

TEST(ParameterSizes, TheCheapestOfAllThatFitIsTaken) {
  for (const int log_n : {13, 14, 15})
    for (const int depth : {0, 1, 2, 3, 4, 5, 6, 8, 11, 14, 18, 22})
      for (const bool approximations : {false, true})
        for (const int headroom : {10, 16}) {
          const ParameterNeeds needs{depth, approximations, headroom};
          EXPECT_EQ(literal_for(log_n, needs), cheapest_of_all(log_n, needs))
              << log_n << " " << depth << " " << approximations << " " << headroom;
        }
  EXPECT_GT(literal_for(14, {5, false, 10})->p_bits.size(), 1u) << "key switches of fewer digits";
}

TEST(ParameterSizes, WhereNoScaleIsPreciseTheDeepestHasNoLevel) {
  EXPECT_TRUE(candidate_literals({5, true, 30}).empty());
  EXPECT_THAT(
      too_deep({5, true, 30}).sentence(),
      HasSubstr("the network needs 5 levels, and the largest parameter set without bootstrapping (N = 2^16) has "
                "0: use fewer layers"));
}

}  // namespace
}  // namespace tacit::graph::passes
