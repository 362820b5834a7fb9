#include "program/tile_cost.h"

#include <gtest/gtest.h>

#include "params/requirement.h"
#include "params/rotation_primes.h"

namespace tacit::program {
namespace {

const params::RequiredParameters& required() {
  static const params::RequiredParameters made = params::parameters_for({});
  return made;
}

TileView all_of(TileArrayPtr array) {
  TileView view;
  view.add_dimension(array->count(), 1);
  view.array = std::move(array);
  return view;
}

TEST(TilePrices, OperandsThatNoCacheHoldsCostMore) {
  params::CostTable table;
  table.far_ns = 1;
  table.cache_mib = 32;
  CostTiles cost(required().literal, TilePrices(required().literal, table, required().base_level),
                 required().base_level);
  const auto seconds_of = [&](layout::Index terms) {
    cost.restart();
    const TileView a = all_of(cost.encrypt(terms, {}, 1)), b = all_of(cost.encrypt(terms, {}, 1));
    const TileArrayPtr product = cost.multiply_sum(a, b, terms);
    return cost.cost().seconds;
  };
  // A tile of level 1 has 0.75 MiB and takes 4 x 3 rows of 2^14 words, each a nanosecond more from memory.
  const double first = seconds_of(1), near = seconds_of(2) - first, eight = seconds_of(8), many = seconds_of(64);
  EXPECT_NEAR(eight, first + 7 * near, 1e-9);
  EXPECT_NEAR(many, first + 63 * near + 64 * 12 * 16384 * 1e-9, 1e-9);
  const double between = seconds_of(16);
  EXPECT_GT(between, first + 15 * near + 1e-5);
  EXPECT_LT(between, first + 15 * near + 16 * 12 * 16384 * 1e-9);
}

TEST(TilePrices, SharesAreInterpolatedAndRoundsHaveMedians) {
  std::vector<TilePrices> rounds(3);
  for (int i = 0; i < 3; ++i) {
    auto& prices = rounds[static_cast<std::size_t>(i)];
    prices.set(TileWork::add, 2, i == 0 ? 9 : i);
    prices.set_far(TileWork::product, 1, 3 - i);
    prices.set_far_shares({{100, 0}, {200, i == 1 ? 0.5 : 1}, {300, 1}});
  }
  const TilePrices median = TilePrices::median(rounds);
  EXPECT_EQ(median.seconds(TileWork::add, 2, 0), 2);
  EXPECT_EQ(median.far_seconds(TileWork::product, 1), 2);
  EXPECT_EQ(median.far_share(50), 0);
  EXPECT_EQ(median.far_share(150), 0.5);
  EXPECT_EQ(rounds[1].far_share(250), 0.75);
  EXPECT_EQ(median.far_share(1e9), 1);
  EXPECT_EQ(TilePrices().far_share(1e9), 0);
}

TEST(TilePrices, RotationsBelowTheTopAreCheaperThanAtIt) {
  const params::CkksLiteral& literal = required().literal;
  const TilePrices prices(literal, {}, required().base_level);
  for (int top = 2; top < 8; ++top)
    for (const TileWork work : {TileWork::rotate, TileWork::hoisted_rotation}) {
      const OperationPrices own(params::for_rotations(literal, required().base_level + top), {});
      EXPECT_LT(prices.seconds(work, top, top), prices.seconds(work, top, 8)) << top;
      if (work == TileWork::rotate) {
        EXPECT_EQ(prices.seconds(work, top, top), own.rotate(required().base_level + top));
      }
    }
  // The computation's highest rotation decides, and its keys are what the session is asked for.
  CostTiles cost(literal, prices, required().base_level);
  const TileView low = all_of(cost.encrypt(1, {}, 3)), high = all_of(cost.encrypt(1, {}, 8));
  cost.rotate(low, 1);
  EXPECT_EQ(cost.cost().keys.rotation_top, 4);
  const double alone = cost.cost().seconds, key = cost.key_bytes();
  cost.rotate(high, 2);
  EXPECT_EQ(cost.cost().keys.rotation_top, 9);
  EXPECT_GT(cost.cost().seconds, 1.2 * alone + prices.seconds(TileWork::rotate, 8, 8));
  EXPECT_GT(cost.key_bytes(), key);
}

}  // namespace
}  // namespace tacit::program
