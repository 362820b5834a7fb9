#include "program/slots/cost_evaluator.h"

#include <gtest/gtest.h>

#include "params/requirement.h"
#include "params/rotation_primes.h"

namespace tacit::slots {
namespace {

const params::RequiredParameters& required() {
  static const params::RequiredParameters made = params::parameters_for({});
  return made;
}

std::unique_ptr<CostEvaluator> reading(const params::CostTable& table = {}) {
  return CostEvaluator::make(required().literal, UnitPrices(required().literal, table), Priced::session);
}

/// Encrypted values at a level of the parameters.
View fresh(CostEvaluator& cost, layout::Index count, int level) {
  return View::whole(
      cost.encrypt(layout::Layout::row_major({count * cost.slots()}, cost.slots()), {}, {.level = level}));
}

TEST(UnitPrices, OperandsThatNoCacheHoldsCostMore) {
  params::CostTable table;
  table.far_ns = 1;
  table.cache_mib = 32;
  const auto owner = reading(table);
  CostEvaluator& cost = *owner;
  const auto seconds_of = [&](layout::Index terms) {
    cost.restart();
    const View a = fresh(cost, terms, 2), b = fresh(cost, terms, 2);
    const ArrayPtr product = cost.multiply_sum(a, b, terms, {.level = 1});
    return cost.cost().seconds;
  };
  // A ciphertext of level 2 has 0.75 MiB and takes 4 x 3 rows of 2^14 words, each a nanosecond more from memory.
  const double first = seconds_of(1), near = seconds_of(2) - first, eight = seconds_of(8), many = seconds_of(64);
  EXPECT_NEAR(eight, first + 7 * near, 1e-9);
  EXPECT_NEAR(many, first + 63 * near + 64 * 12 * 16384 * 1e-9, 1e-9);
  const double between = seconds_of(16);
  EXPECT_GT(between, first + 15 * near + 1e-5);
  EXPECT_LT(between, first + 15 * near + 16 * 12 * 16384 * 1e-9);
}

TEST(UnitPrices, SharesAreInterpolatedAndRoundsHaveMedians) {
  std::vector<UnitPrices> rounds(3);
  for (int i = 0; i < 3; ++i) {
    auto& prices = rounds[static_cast<std::size_t>(i)];
    prices.set(Unit::add, 2, i == 0 ? 9 : i);
    prices.set_far(Unit::product, 1, 3 - i);
    prices.set_far_shares({{100, 0}, {200, i == 1 ? 0.5 : 1}, {300, 1}});
  }
  const UnitPrices median = UnitPrices::median(rounds);
  EXPECT_EQ(median.seconds(Unit::add, 2), 2);
  EXPECT_EQ(median.far_seconds(Unit::product, 1), 2);
  EXPECT_EQ(median.far_share(50), 0);
  EXPECT_EQ(median.far_share(150), 0.5);
  EXPECT_EQ(rounds[1].far_share(250), 0.75);
  EXPECT_EQ(median.far_share(1e9), 1);
  EXPECT_EQ(UnitPrices().far_share(1e9), 0);
}

TEST(UnitPrices, RotationsBelowTheTopAreCheaperThanAtIt) {
  const params::CkksLiteral& literal = required().literal;
  const UnitPrices prices(literal, {});
  for (int top = 3; top < 9; ++top)
    for (const Unit unit : {Unit::rotate, Unit::hoisted_rotation}) {
      const OperationPrices own(params::for_rotations(literal, top), {});
      EXPECT_LT(prices.seconds(unit, top, {top}), prices.seconds(unit, top, {9})) << top;
      if (unit == Unit::rotate) {
        EXPECT_EQ(prices.seconds(unit, top, {top}), own.rotate(top));
      }
    }
  // The computation's highest rotation decides, and its keys are what the session is asked for.
  const auto owner = reading();
  CostEvaluator& cost = *owner;
  const View low = fresh(cost, 1, 4), high = fresh(cost, 1, 9);
  cost.rotate(low, 1, {.level = 4});
  EXPECT_EQ(cost.cost().keys.rotation_primes.top, 4);
  const double alone = cost.cost().seconds, key = cost.key_bytes();
  cost.rotate(high, 2, {.level = 9});
  EXPECT_EQ(cost.cost().keys.rotation_primes.top, 9);
  EXPECT_GT(cost.cost().seconds, 1.2 * alone + prices.seconds(Unit::rotate, 9, {9}));
  EXPECT_GT(cost.key_bytes(), key);
  // Keys over all primes have no top.
  const auto program = CostEvaluator::make(literal, UnitPrices(literal, {}), Priced::program);
  program->rotate(fresh(*program, 1, 4), 1, {.level = 4});
  EXPECT_EQ(program->cost().keys.rotation_primes, params::RotationPrimes{});
  EXPECT_EQ(program->cost().seconds, prices.seconds(Unit::rotate, 4));
}

// What the account of work says of whole operations, shared out among their units.
TEST(UnitPrices, UnitsMakeUpTheOperationsOfTheAccount) {
  const params::CkksLiteral literal = params::named_literal("N14-d7");
  params::CostTable table;
  table.mac_ns = 1;
  table.far_ns = 2;
  const UnitPrices prices(literal, table);
  const OperationPrices operations(literal, table);
  const double row = 16384e-9;
  for (const int level : {1, 4, 7}) {
    const auto seconds = [&](Unit unit) { return prices.seconds(unit, level); };
    const double rows = level + 1;
    EXPECT_DOUBLE_EQ(seconds(Unit::encrypt), operations.encrypt(level));
    EXPECT_DOUBLE_EQ(seconds(Unit::encode), operations.encrypt(level) / 2);
    EXPECT_DOUBLE_EQ(seconds(Unit::add), 2 * rows * row);
    EXPECT_DOUBLE_EQ(seconds(Unit::product), 4 * rows * row);
    EXPECT_DOUBLE_EQ(seconds(Unit::product) + seconds(Unit::relinearise), operations.multiply(level));
    EXPECT_DOUBLE_EQ(seconds(Unit::plain_product), 2 * rows * row);
    EXPECT_DOUBLE_EQ(seconds(Unit::plain_product) + seconds(Unit::rescale), operations.multiply_plain(level));
    EXPECT_DOUBLE_EQ(seconds(Unit::rotate), operations.rotate(level));
    EXPECT_DOUBLE_EQ(seconds(Unit::hoisted_rotation), operations.linear(level).baby);
    EXPECT_DOUBLE_EQ(seconds(Unit::drop), operations.multiply_plain(level));
    // More for operands from memory, of the units that read such operands.
    for (std::size_t u = 0; u < kUnits; ++u) {
      const auto unit = static_cast<Unit>(u);
      const double read = unit == Unit::add ? 2 : unit == Unit::product ? 4 : unit == Unit::plain_product ? 3 : 0;
      EXPECT_DOUBLE_EQ(prices.far_seconds(unit, level), read * rows * 2 * row) << u;
    }
  }
  for (const int level : {-1, 8}) EXPECT_EQ(prices.seconds(Unit::rotate, level), 0);
  EXPECT_EQ(UnitPrices().seconds(Unit::rotate, 1), 0);
  EXPECT_EQ(UnitPrices().far_seconds(Unit::add, 1), 0);
  // Half of the largest cache holds all operands, the whole of it none.
  table.cache_mib = 32;
  const UnitPrices cached(literal, table);
  EXPECT_EQ(cached.far_share(0x1p24), 0);
  EXPECT_DOUBLE_EQ(cached.far_share(1.5 * 0x1p24), 0.5);
  EXPECT_EQ(cached.far_share(0x1p25), 1);
}

TEST(OperationPrices, OneOfAPairOfBootstrapsTakesTheSineAlone) {
  const params::CkksLiteral s8 = params::named_literal("S8");
  const OperationPrices prices(s8, {});
  const params::BootstrapSchedule schedule = params::plan_bootstrap(s8);
  const double whole = prices.seconds(prices.account().bootstrap(schedule)),
               sine = prices.seconds(prices.account().sine(schedule));
  EXPECT_LT(sine, whole);
  EXPECT_EQ(prices.bootstraps(schedule, 0), 0);
  EXPECT_DOUBLE_EQ(prices.bootstraps(schedule, 1), whole);
  EXPECT_DOUBLE_EQ(prices.bootstraps(schedule, 2), whole + sine);
  EXPECT_DOUBLE_EQ(prices.bootstraps(schedule, 5), 3 * whole + 2 * sine);
}

}  // namespace
}  // namespace tacit::slots
