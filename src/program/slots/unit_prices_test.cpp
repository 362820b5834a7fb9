#include "program/slots/unit_prices.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tacit::slots {
namespace {

constexpr double kWords = 1024;  // of a row

UnitPrices of_small_ring(const params::CostTable& table) {
  return {{.name = "test", .log_n = 10, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true},
          table};
}

TEST(UnitPrices, SumsAndProductsAreMultiplyAccumulatesOfTheirRows) {
  const UnitPrices prices = of_small_ring({.mac_ns = 2});
  for (const int level : {0, 1, 2}) {
    const double row = 2e-9 * kWords * (level + 1);
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::add, level), 2 * row) << level;
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::product, level), 4 * row) << level;
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::plain_product, level), 2 * row) << level;
    // A product of two ciphertexts is the product, its relinearisation and no more.
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::product, level) + prices.seconds(Unit::relinearise, level),
                     prices.operations().multiply(level));
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::plain_product, level) + prices.seconds(Unit::rescale, level),
                     prices.operations().multiply_plain(level));
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::encode, level), prices.seconds(Unit::encrypt, level) / 2);
  }
}

TEST(UnitPrices, LevelsThatAreNotThereCostNothing) {
  const UnitPrices prices = of_small_ring({});
  for (const int level : {-1, 3}) EXPECT_EQ(prices.seconds(Unit::add, level), 0) << level;
  EXPECT_EQ(UnitPrices().seconds(Unit::add, 0), 0);
  EXPECT_EQ(UnitPrices().far_seconds(Unit::add, 0), 0);
}

TEST(UnitPrices, OperandsFromMemoryCostMoreByTheRowsThatAreRead) {
  const UnitPrices prices = of_small_ring({.far_ns = 2});
  for (const int level : {0, 2}) {
    const double row = 2e-9 * kWords * (level + 1);
    EXPECT_DOUBLE_EQ(prices.far_seconds(Unit::add, level), 2 * row) << level;
    EXPECT_DOUBLE_EQ(prices.far_seconds(Unit::plain_product, level), 3 * row) << level;
    EXPECT_DOUBLE_EQ(prices.far_seconds(Unit::product, level), 4 * row) << level;
    EXPECT_EQ(prices.far_seconds(Unit::rotate, level), 0) << level;
  }
}

TEST(UnitPrices, WhatWasMeasuredCounts) {
  UnitPrices prices = of_small_ring({});
  prices.set(Unit::rotate, 2, 0.5);
  prices.set_far(Unit::rotate, 1, 0.25);
  EXPECT_EQ(prices.seconds(Unit::rotate, 2), 0.5);
  EXPECT_EQ(prices.far_seconds(Unit::rotate, 1), 0.25);
  EXPECT_NE(prices.seconds(Unit::rotate, 1), 0.5);
  EXPECT_EQ(prices.far_seconds(Unit::rotate, 2), 0);
}

TEST(UnitPrices, MoreThanHalfOfTheCacheComesFromMemoryInPart) {
  const UnitPrices prices = of_small_ring({.cache_mib = 2});
  EXPECT_EQ(prices.far_share(0), 0);
  EXPECT_EQ(prices.far_share(0x1p20), 0);
  EXPECT_EQ(prices.far_share(1.5 * 0x1p20), 0.5);
  EXPECT_EQ(prices.far_share(2 * 0x1p20), 1);
  EXPECT_EQ(prices.far_share(1e12), 1);
  EXPECT_EQ(UnitPrices().far_share(1e12), 0);
}

TEST(UnitPrices, MeasuredSharesAreInterpolated) {
  UnitPrices prices;
  prices.set_far_shares({{10, 0.25}, {20, 0.75}, {40, 0.5}});
  EXPECT_EQ(prices.far_share(0), 0.25);
  EXPECT_EQ(prices.far_share(15), 0.5);
  EXPECT_EQ(prices.far_share(20), 0.75);
  EXPECT_EQ(prices.far_share(30), 0.625);
  EXPECT_EQ(prices.far_share(50), 0.5);
}

TEST(UnitPrices, TheMedianIsOfEveryPriceAndShare) {
  std::array<UnitPrices, 3> rounds;
  const std::array<double, 3> first{3, 1, 2}, second{10, 30, 20};
  for (std::size_t r = 0; r < 3; ++r) {
    rounds[r].set(Unit::add, 1, first[r]);
    rounds[r].set(Unit::drop, 0, second[r]);
    rounds[r].set_far(Unit::product, 2, second[r] / 10);
    rounds[r].set_far_shares({{10, first[r] / 4}, {20, second[r] / 40}, {30, 1 / first[r]}});
  }
  const UnitPrices median = UnitPrices::median(rounds);
  EXPECT_EQ(median.seconds(Unit::add, 1), 2);
  EXPECT_EQ(median.seconds(Unit::add, 0), 0);
  EXPECT_EQ(median.seconds(Unit::drop, 0), 20);
  EXPECT_EQ(median.far_seconds(Unit::product, 2), 2);
  EXPECT_EQ(median.far_share(10), 0.5);
  EXPECT_EQ(median.far_share(20), 0.5);
  EXPECT_EQ(median.far_share(30), 0.5);
}

}  // namespace
}  // namespace tacit::slots
