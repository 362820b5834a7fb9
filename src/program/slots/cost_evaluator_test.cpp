#include "program/slots/cost_evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
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

const params::CkksLiteral& leveled() {
  static const params::CkksLiteral made = params::named_literal("N14-d7");
  return made;
}

/// Of a reading: so many units of a kind at a level, and nothing of any other kind but those that are said, too.
using Counts = std::map<std::pair<Unit, int>, std::int64_t>;
Counts counts(const CostEvaluator& cost) {
  Counts found;
  const WorkCounts& work = cost.cost().work;
  for (std::size_t u = 0; u < kUnits; ++u)
    for (std::size_t level = 0; level < work.units[u].size(); ++level)
      if (work.units[u][level] != 0) found[{static_cast<Unit>(u), static_cast<int>(level)}] = work.units[u][level];
  return found;
}

TEST(CostEvaluator, CountsEveryOperationOfSeveralCiphertextsAtItsLevel) {
  const auto reading = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  CostEvaluator& cost = *reading;
  const OperationPrices prices(leveled(), {});
  const double limb = 8 * 16384;
  const View a = fresh(cost, 6, 3), b = fresh(cost, 6, 3);
  EXPECT_EQ(counts(cost), (Counts{{{Unit::encrypt, 3}, 12}}));
  EXPECT_EQ(cost.cost().seconds, 0);
  EXPECT_DOUBLE_EQ(cost.cost().encode_seconds, 12 * prices.encrypt(3));
  EXPECT_EQ(cost.ciphertext_bytes(3), 2 * 4 * limb);
  EXPECT_EQ(cost.cost().live_bytes, 12 * 2 * 4 * limb);

  const auto expect = [&](const ArrayPtr& result, layout::Index count, int level, const Counts& expected) {
    EXPECT_EQ(result->count(), count);
    EXPECT_EQ(result->level(), level);
    EXPECT_EQ(counts(cost), expected);
    cost.restart();
  };
  cost.restart();
  expect(cost.add(a, b, {.level = 3}), 6, 3, {{{Unit::add, 3}, 6}});
  expect(cost.subtract(a, b, {.level = 3}), 6, 3, {{{Unit::add, 3}, 6}});
  expect(cost.sum(a, 3, {.level = 3}), 2, 3, {{{Unit::add, 3}, 2 * 2}});
  expect(cost.multiply_sum(a, b, 3, {.level = 2}), 2, 2, {{{Unit::product, 3}, 6}, {{Unit::relinearise, 3}, 2}});
  expect(cost.rotate(a, 5, {.level = 3}), 6, 3, {{{Unit::rotate, 3}, 6}});
  const std::int64_t steps[] = {1, -3, 7};
  expect(cost.rotate_sum(a, steps, {.level = 3}), 6, 3,
         {{{Unit::rotate, 3}, 6}, {{Unit::hoisted_rotation, 3}, 6 * 2}, {{Unit::add, 3}, 6}});
  const View both[] = {a, b};
  expect(cost.gather(both, {.level = 3}), 12, 3, {});
  expect(cost.drop(a, {.level = 1}), 6, 1, {{{Unit::drop, 2}, 6}});
  const std::vector<double> cubic{0, 1, 0, 1};
  const auto schedule = params::PolynomialSchedule::choose(3);
  expect(cost.polynomial(a, cubic, schedule, {.level = 1}), 6, 1, {{{Unit::relinearise, 3}, 2 * 6}});

  // Plaintexts are encoded ahead of what uses them, and counted as weights there.
  const ArrayPtr factors = cost.encode_factor(6, {}, {.level = 3}, {.level = 2});
  EXPECT_EQ(counts(cost), (Counts{{{Unit::encode, 3}, 6}}));
  EXPECT_DOUBLE_EQ(cost.cost().encode_seconds, 6 * prices.encrypt(3) / 2);
  cost.restart();
  const ArrayPtr products = cost.multiply_plain_sum(a, View::whole(factors), 3, {.level = 2});
  EXPECT_EQ(cost.cost().work.weight_bytes, 6 * limb);
  EXPECT_DOUBLE_EQ(cost.cost().weight_seconds, 6 * prices.seconds(prices.account().encode_compact()));
  expect(products, 2, 2, {{{Unit::plain_product, 3}, 6}, {{Unit::rescale, 3}, 2}});
  const ArrayPtr addends = cost.encode_addend(6, {}, {.level = 3});
  cost.restart();
  const ArrayPtr sums = cost.add_plain(a, View::whole(addends), {.level = 3});
  EXPECT_EQ(cost.cost().work.weight_bytes, 6 * limb);
  expect(sums, 6, 3, {{{Unit::add, 3}, 6}});
  EXPECT_THROW(cost.decrypt(a, Decoding::exact), base::InputError);
}

TEST(CostEvaluator, PricesAreThoseOfTheUnitsAndKeysThoseThatAreUsed) {
  const auto reading = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  CostEvaluator& cost = *reading;
  const OperationPrices prices(leveled(), {});
  const View a = fresh(cost, 6, 3), b = fresh(cost, 6, 3);
  cost.restart();
  const double near = 1e-9;
  const ArrayPtr product = cost.multiply_sum(a, b, 1, {.level = 2});
  EXPECT_NEAR(cost.cost().seconds / (6 * prices.multiply(3)), 1, near);
  EXPECT_EQ(cost.cost().keys.relinearise_level, 3);
  EXPECT_EQ(cost.key_bytes(), params::key_bytes(leveled(), {.relinearise_level = 3, .rotations = {}}));
  cost.restart();
  const std::vector<double> cubic{0, 1, 0, 1};
  const auto schedule = params::PolynomialSchedule::choose(3);
  const ArrayPtr value = cost.polynomial(a, cubic, schedule, {.level = 1});
  EXPECT_NEAR(cost.cost().seconds / (6 * prices.polynomial(3, params::plan_polynomial(cubic, schedule))), 1, near);
  EXPECT_EQ(cost.cost().keys.relinearise_level, 3);
  cost.restart();
  const std::int64_t steps[] = {1, -3};
  const ArrayPtr turned = cost.rotate_sum(a, steps, {.level = 2});
  EXPECT_EQ(cost.cost().keys.rotations, (std::map<std::int64_t, int>{{1, 2}, {8192 - 3, 2}}));
  EXPECT_NEAR(cost.cost().seconds /
                  (6 * (prices.rotate(2) + prices.linear(2).baby + UnitPrices(leveled(), {}).seconds(Unit::add, 2))),
              1, near);
  EXPECT_EQ(cost.cost().work.rotations(), 12);
}

TEST(CostEvaluator, MapsTakeTheirPartsOnceATermAndTheirWeightsOnceARepetition) {
  const auto reading = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  CostEvaluator& cost = *reading;
  const OperationPrices prices(leveled(), {});
  const layout::Layout four = layout::Layout::row_major({4 * 8192}, 8192);
  std::vector<layout::Index> same(4 * 8192);
  std::iota(same.begin(), same.end(), layout::Index{0});
  const layout::LinearMap map{four, four, std::make_shared<layout::Gather>(four.shape(), four.shape(), same)};
  const params::LinearSchedule schedule{{{0, 0, 0}, {5, 1, 4}, {6, 2, 4}}, {64}};
  const layout::DiagonalCount diagonals{.products = 12, .density = 0.25};
  const EncodedMapPtr encoded = cost.encode_map({map, schedule, diagonals}, {.level = 3}, {.level = 2});
  EXPECT_EQ(encoded->bytes(), 12 * 0.25 * prices.account().real_diagonal_bytes(3));
  EXPECT_EQ(cost.cost().live_bytes, encoded->bytes());
  const View a = fresh(cost, 4, 3);
  cost.restart();
  const MappedView terms[] = {{a, encoded}, {a, encoded}};
  const ArrayPtr result = cost.linear(terms, nullptr, {.level = 2});
  EXPECT_EQ(result->count(), 4);
  EXPECT_EQ(result->level(), 2);
  // Each term: two baby steps of four inputs; a giant step and a fold of four outputs.
  EXPECT_EQ(counts(cost), (Counts{{{Unit::plain_product, 3}, 2 * 12},
                                  {{Unit::hoisted_rotation, 3}, 2 * 2 * 4},
                                  {{Unit::rotate, 3}, 2 * (1 + 1) * 4},
                                  {{Unit::add, 2}, 4}}));
  EXPECT_EQ(cost.cost().work.diagonals, 2 * 12);
  EXPECT_EQ(cost.cost().work.weight_bytes, 2 * encoded->bytes());
  EXPECT_DOUBLE_EQ(cost.cost().weight_seconds,
                   2 * prices.seconds(prices.account().encode_diagonals(3, 12, 12 * 0.25 * 8192)));
  EXPECT_EQ(cost.cost().keys.rotations, (std::map<std::int64_t, int>{{1, 3}, {2, 3}, {4, 3}, {64, 2}}));
  const LinearPrices parts = prices.linear(3);
  const double switches = 4 * parts.decompose + 2 * 4 * parts.baby + 4 * (parts.giant + parts.fold);
  const double all = switches + 12 * (0.25 * parts.product + 0.75 * parts.repeated) + 4 * parts.finish;
  EXPECT_NEAR(cost.cost().seconds / (2 * all + 4 * UnitPrices(leveled(), {}).seconds(Unit::add, 2)), 1, 1e-9);
  EXPECT_NEAR(cost.cost().key_switch_seconds / (2 * switches), 1, 1e-9);
}

TEST(CostEvaluator, BootstrapsPassInPairsWhateverValuesTheyAreOf) {
  const params::CkksLiteral s8 = params::named_literal("S8");
  const params::BootstrapSchedule schedule = params::plan_bootstrap(s8, {.output_level = 5});
  const auto reading = CostEvaluator::make(s8, UnitPrices(s8, {}), Priced::program);
  CostEvaluator& cost = *reading;
  const View parts[] = {fresh(cost, 3, 3), fresh(cost, 2, 3)};
  cost.restart();
  const ArrayPtr result = cost.bootstrap(parts, schedule, {.level = 5});
  EXPECT_EQ(result->count(), 5);
  EXPECT_EQ(result->level(), 5);
  EXPECT_NEAR(cost.cost().seconds / OperationPrices(s8, {}).bootstraps(schedule, 5), 1, 1e-9);
  EXPECT_EQ(cost.cost().keys, params::key_manifest(schedule));
  std::int64_t rotations = 0;
  for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
    for (const params::DftFactor& factor : *factors) rotations += params::count(factor.schedule.steps).rotations();
  EXPECT_EQ(counts(cost), (Counts{{{Unit::rotate, 5}, 3 * rotations}}));
}

TEST(CostEvaluator, WhatIsAliveTogetherCounts) {
  const auto reading = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  CostEvaluator& cost = *reading;
  const double one = cost.ciphertext_bytes(2);
  {
    const View a = fresh(cost, 3, 2);
    {
      const View b = fresh(cost, 5, 2);
      EXPECT_EQ(cost.cost().live_bytes, 8 * one);
    }
    EXPECT_EQ(cost.cost().live_bytes, 3 * one);
    EXPECT_EQ(cost.cost().peak_bytes, 8 * one);
    cost.restart();
    EXPECT_EQ(cost.cost().live_bytes, 3 * one);
    EXPECT_EQ(cost.cost().peak_bytes, 3 * one);
  }
  EXPECT_EQ(cost.cost().live_bytes, 0);
}

// Half of the cache is 16 MiB: what lies beyond counts as a share of the other half.
TEST(CostEvaluator, ASessionReadsTheShareOfMemoryThatItsBytesSay) {
  params::CostTable table;
  table.far_ns = 1;
  table.cache_mib = 32;
  const auto owner = reading(table);
  CostEvaluator& cost = *owner;
  const UnitPrices prices(required().literal, table);
  for (const layout::Index count : {13, 16}) {
    cost.restart();
    const View a = fresh(cost, count, 2), b = fresh(cost, count, 2);
    const ArrayPtr product = cost.multiply_sum(a, b, count, {.level = 1});
    EXPECT_EQ(cost.cost().peak_bytes,
              2 * static_cast<double>(count) * cost.ciphertext_bytes(2) + cost.ciphertext_bytes(1));
    const double share = (cost.cost().peak_bytes + cost.key_bytes()) / 0x1p24 - 1;
    EXPECT_GT(share, 0);
    EXPECT_LT(share, 1);
    const double times = static_cast<double>(count);
    const double near = times * prices.seconds(Unit::product, 2) + prices.seconds(Unit::relinearise, 2);
    EXPECT_NEAR((cost.cost().seconds - near) / (share * times * prices.far_seconds(Unit::product, 2)), 1, 1e-6);
  }
}

TEST(CostEvaluator, MapsOfASessionHaveTheRowsOfKeysThatReachTheirLevel) {
  const params::CkksLiteral& literal = required().literal;
  const auto owner = reading();
  const layout::Layout one = layout::Layout::row_major({owner->slots()}, owner->slots());
  const layout::LinearMap map{one, one, std::make_shared<layout::Identity>(one.shape())};
  const params::LinearSchedule schedule{{{0, 0, 0}}, {}};
  const layout::DiagonalCount diagonals{.products = 8, .density = 0.5, .parts = 2};
  for (const int level : {3, 5}) {
    const params::Account account(params::for_rotations(literal, level));
    // Equal groups of ciphertexts share their weights.
    const EncodedMapPtr encoded = owner->encode_map({map, schedule, diagonals}, {.level = level}, {.level = level - 1});
    EXPECT_DOUBLE_EQ(encoded->bytes(), 4 * 0.5 * account.real_diagonal_bytes(level)) << level;
  }
  // Where nobody counted them, its own are.
  const auto program = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  const layout::Layout whole = layout::Layout::row_major({program->slots()}, program->slots());
  const layout::LinearMap twice{
      whole, whole, layout::scaled(std::make_shared<layout::Identity>(whole.shape()), layout::RepeatedReals(2))};
  const EncodedMapPtr counted = program->encode_map({twice, schedule, {}}, {.level = 3}, {.level = 2});
  const double density = layout::diagonal_set(twice).count.density;
  EXPECT_DOUBLE_EQ(counted->bytes(), density * params::Account(leveled()).real_diagonal_bytes(3));
}

TEST(CostEvaluator, AnAddendOfAMapIsHeldBesideItsDiagonals) {
  const auto owner = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  CostEvaluator& cost = *owner;
  const OperationPrices prices(leveled(), {});
  const double limb = 8 * 16384;
  const layout::Layout four = layout::Layout::row_major({4 * 8192}, 8192);
  const layout::LinearMap map{four, four, std::make_shared<layout::Identity>(four.shape())};
  const params::LinearSchedule schedule{{{0, 0, 0}}, {}};
  const EncodedMapPtr encoded =
      cost.encode_map({map, schedule, layout::DiagonalCount{4, 1, 1}}, {.level = 3}, {.level = 2});
  const View a = fresh(cost, 4, 3);
  const double before = cost.cost().live_bytes;
  const ArrayPtr addend = cost.encode_addend(4, {}, {.level = 2});
  EXPECT_EQ(cost.cost().live_bytes - before, 4 * limb);
  const MappedView terms[] = {{a, encoded}};
  cost.restart();
  const ArrayPtr plain = cost.linear(terms, nullptr, {.level = 2});
  const double bytes = cost.cost().work.weight_bytes, seconds = cost.cost().weight_seconds;
  EXPECT_EQ(counts(cost), (Counts{{{Unit::plain_product, 3}, 4}}));
  cost.restart();
  const ArrayPtr moved = cost.linear(terms, addend, {.level = 2});
  EXPECT_EQ(cost.cost().work.weight_bytes - bytes, 4 * limb);
  EXPECT_NEAR((cost.cost().weight_seconds - seconds) / (4 * prices.seconds(prices.account().encode_compact())), 1,
              1e-9);
}

TEST(CostEvaluator, RotationsByWholeTurnsNeedNoKeys) {
  const auto owner = reading();
  CostEvaluator& cost = *owner;
  const View a = fresh(cost, 1, 4);
  for (const std::int64_t steps : {std::int64_t{0}, cost.slots(), -cost.slots(), 3 * cost.slots()}) {
    cost.rotate(a, steps, {.level = 4});
    EXPECT_EQ(cost.cost().keys.rotations.size(), 0U) << steps;
    EXPECT_EQ(cost.cost().keys.rotation_primes, params::RotationPrimes{}) << steps;
  }
  cost.rotate(a, cost.slots() + 1, {.level = 2});
  cost.rotate(a, -1, {.level = 3});
  EXPECT_EQ(cost.cost().keys.rotations, (std::map<std::int64_t, int>{{1, 2}, {cost.slots() - 1, 3}}));
  EXPECT_EQ(cost.cost().keys.rotation_primes.top, 3);
}

TEST(CostEvaluator, RealSlotsAreTwiceAsMany) {
  params::CkksLiteral real = leveled();
  real.real_slots = true;
  EXPECT_EQ(CostEvaluator::make(real, UnitPrices(real, {}), Priced::program)->slots(), 16384);
  EXPECT_EQ(CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program)->slots(), 8192);
}

TEST(UnitPrices, EveryLevelOfTheParametersHasItsPrice) {
  params::CostTable table;
  table.mac_ns = 1;
  table.far_ns = 2;
  const UnitPrices prices(leveled(), table);
  const OperationPrices operations(leveled(), table);
  const double row = 16384e-9;
  for (const int level : {0, 7}) {
    const double rows = level + 1;
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::add, level), 2 * rows * row);
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::encrypt, level), operations.encrypt(level));
    EXPECT_DOUBLE_EQ(prices.seconds(Unit::encode, level), operations.encrypt(level) / 2);
    EXPECT_DOUBLE_EQ(prices.far_seconds(Unit::add, level), 2 * rows * 2 * row);
  }
}

TEST(UnitPrices, MeasuredOnesOfEveryLevelAreKeptAndSettled) {
  UnitPrices measured;
  for (const auto& [level, seconds] : {std::pair(0, 5.0), {2, 7.0}, {1, 6.0}}) {
    measured.set(Unit::encrypt, level, seconds);
    measured.set_far(Unit::drop, level, 10 * seconds);
  }
  for (const int level : {0, 1, 2}) {
    EXPECT_EQ(measured.seconds(Unit::encrypt, level), 5 + level);
    EXPECT_EQ(measured.far_seconds(Unit::drop, level), 10 * (5 + level));
  }
  EXPECT_EQ(measured.seconds(Unit::encrypt, 3), 0);
  EXPECT_EQ(measured.seconds(Unit::encode, 0), 0);
  EXPECT_EQ(measured.far_seconds(Unit::encrypt, 0), 0);
  // Of five rounds the third largest, whatever the order.
  std::array<double, 5> order{1, 2, 3, 4, 5};
  do {
    std::vector<UnitPrices> shuffled(5);
    for (std::size_t i = 0; i < 5; ++i) shuffled[i].set(Unit::add, 0, order[i]);
    ASSERT_EQ(UnitPrices::median(shuffled).seconds(Unit::add, 0), 3);
  } while (std::ranges::next_permutation(order).found);
  std::vector<UnitPrices> rounds(5);
  for (std::size_t i = 0; i < 5; ++i) {
    const double value = std::array{9.0, 1.0, 7.0, 3.0, 5.0}[i];
    for (const Unit unit : {Unit::encrypt, Unit::drop})
      for (const int level : {0, 1}) {
        rounds[i].set(unit, level, value + level);
        rounds[i].set_far(unit, level, 2 * value + level);
      }
    rounds[i].set_far_shares({{100, value / 10}, {200, 1}});
  }
  const UnitPrices median = UnitPrices::median(rounds);
  for (const Unit unit : {Unit::encrypt, Unit::drop})
    for (const int level : {0, 1}) {
      EXPECT_EQ(median.seconds(unit, level), 5 + level);
      EXPECT_EQ(median.far_seconds(unit, level), 10 + level);
    }
  EXPECT_EQ(median.far_share(0), 0.5);
  EXPECT_EQ(median.far_share(100), 0.5);
  EXPECT_EQ(median.far_share(150), 0.75);
}

TEST(CostEvaluator, AProgramReadsItsOperandsFromTheCaches) {
  params::CostTable table;
  table.far_ns = 1;
  table.cache_mib = 32;
  const UnitPrices prices(leveled(), table);
  const auto owner = CostEvaluator::make(leveled(), prices, Priced::program);
  CostEvaluator& cost = *owner;
  const View a = fresh(cost, 64, 2), b = fresh(cost, 64, 2);
  cost.restart();
  const ArrayPtr product = cost.multiply_sum(a, b, 64, {.level = 1});
  ASSERT_EQ(prices.far_share(cost.cost().peak_bytes), 1);
  ASSERT_GT(prices.far_seconds(Unit::product, 2), 0);
  const double near = 64 * prices.seconds(Unit::product, 2) + prices.seconds(Unit::relinearise, 2);
  EXPECT_NEAR(cost.cost().seconds / near, 1, 1e-9);
}

TEST(CostEvaluator, AnEvenNumberOfCiphertextsIsRefreshedInFullPairs) {
  const params::CkksLiteral s8 = params::named_literal("S8");
  const params::BootstrapSchedule schedule = params::plan_bootstrap(s8, {.output_level = 5});
  const auto rotations = [&](layout::Index ciphertexts) {
    const auto reading = CostEvaluator::make(s8, UnitPrices(s8, {}), Priced::program);
    const View part = fresh(*reading, ciphertexts, 3);
    const ArrayPtr result = reading->bootstrap({&part, 1}, schedule, {.level = 5});
    return reading->cost().work.rotations();
  };
  const std::int64_t pair = rotations(1);
  EXPECT_GT(pair, 0);
  for (const layout::Index pairs : {1, 2, 3}) {
    EXPECT_EQ(rotations(2 * pairs), pairs * pair);
    EXPECT_EQ(rotations(2 * pairs - 1), pairs * pair);
  }
}

TEST(CostEvaluator, WorkOnTheLastPrimeHasItsPrice) {
  const auto owner = CostEvaluator::make(leveled(), UnitPrices(leveled(), {}), Priced::program);
  CostEvaluator& cost = *owner;
  const View a = fresh(cost, 2, 0);
  cost.restart();
  const ArrayPtr sum = cost.add(a, a, {.level = 0});
  EXPECT_EQ(counts(cost), (Counts{{{Unit::add, 0}, 2}}));
  EXPECT_GT(cost.cost().seconds, 0);
  EXPECT_DOUBLE_EQ(cost.cost().seconds, 2 * UnitPrices(leveled(), {}).seconds(Unit::add, 0));
  const Cost none;
  for (const double amount : {none.seconds, none.key_switch_seconds, none.encode_seconds, none.weight_seconds,
                              none.live_bytes, none.peak_bytes, none.work.weight_bytes})
    EXPECT_EQ(amount, 0);
  EXPECT_EQ(none.work.diagonals, 0);
}

}  // namespace
}  // namespace tacit::slots
