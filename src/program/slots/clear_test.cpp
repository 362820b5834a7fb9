#include "program/slots/clear.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/sparse_rows.h"

// Every call on small arrays, by hand. Whole programs are held to encrypted runs in runtime/slots.
namespace tacit::slots {
namespace {

using layout::Index;
using layout::Layout;

constexpr Index kFewSlots = 4;
constexpr Landing kClearLanding{2, 1};

View view_of(SlotArray slots) { return View::whole(clear_array(std::move(slots), 3)); }
/// What a call made, which landed where it was told to.
SlotArray landed(const ArrayPtr& made) {
  EXPECT_EQ(made->level(), kClearLanding.level);
  EXPECT_EQ(made->count(), static_cast<Index>(slots_of(made).size()));
  return slots_of(made);
}

TEST(ClearEvaluator, ArraysLieAtTheLowestLevelUnlessTheySay) {
  EXPECT_EQ(clear_array({{1}})->level(), 0);
  EXPECT_EQ(clear_array({{1}}, 3)->level(), 3);
  EXPECT_EQ(clear_array({{1}, {2}})->count(), 2);
  EXPECT_EQ(ClearEvaluator(kFewSlots).slots(), kFewSlots);
  EXPECT_EQ(ClearEvaluator(kFewSlots).ciphertext_bytes(7), 32);
}

TEST(ClearEvaluator, SlotBySlotTheShorterOfTwoRepeats) {
  ClearEvaluator clear(kFewSlots);
  const View wide = view_of({{1, 2, 3, 4}, {5, 6, 7, 8}}), narrow = view_of({{10, 20}, {30}});
  EXPECT_EQ(landed(clear.add(wide, narrow, kClearLanding)), (SlotArray{{11, 22, 13, 24}, {35, 36, 37, 38}}));
  EXPECT_EQ(landed(clear.add(narrow, wide, kClearLanding)), (SlotArray{{11, 22, 13, 24}, {35, 36, 37, 38}}));
  EXPECT_EQ(landed(clear.add_plain(wide, narrow, kClearLanding)), (SlotArray{{11, 22, 13, 24}, {35, 36, 37, 38}}));
  EXPECT_EQ(landed(clear.subtract(wide, narrow, kClearLanding)), (SlotArray{{-9, -18, -7, -16}, {-25, -24, -23, -22}}));
  EXPECT_EQ(landed(clear.subtract(narrow, wide, kClearLanding)), (SlotArray{{9, 18, 7, 16}, {25, 24, 23, 22}}));
  // What is decrypted has all slots.
  EXPECT_EQ(clear.decrypt(narrow, Decoding::exact), (SlotArray{{10, 20, 10, 20}, {30, 30, 30, 30}}));
  EXPECT_EQ(clear.decrypt(wide, Decoding::exact), (SlotArray{{1, 2, 3, 4}, {5, 6, 7, 8}}));
}

TEST(ClearEvaluator, SumsAndProductsTakeConsecutiveCiphertexts) {
  ClearEvaluator clear(kFewSlots);
  const View a = view_of({{1, 2}, {3, 4}, {5}, {6, 7}}), b = view_of({{2}, {10, 100}, {3, 4}, {1}});
  EXPECT_EQ(landed(clear.sum(a, 2, kClearLanding)), (SlotArray{{4, 6}, {11, 12}}));
  EXPECT_EQ(landed(clear.sum(a, 4, kClearLanding)), (SlotArray{{15, 18}}));
  EXPECT_EQ(landed(clear.sum(a, 1, kClearLanding)), slots_of(a.array));
  const SlotArray one_by_one{{2, 4}, {30, 400}, {15, 20}, {6, 7}}, pairs{{32, 404}, {21, 27}}, all{{53, 431}};
  EXPECT_EQ(landed(clear.multiply_sum(a, b, 1, kClearLanding)), one_by_one);
  EXPECT_EQ(landed(clear.multiply_sum(a, b, 2, kClearLanding)), pairs);
  EXPECT_EQ(landed(clear.multiply_plain_sum(a, b, 2, kClearLanding)), pairs);
  EXPECT_EQ(landed(clear.multiply_plain_sum(a, b, 4, kClearLanding)), all);
}

TEST(ClearEvaluator, RotationsGoToTheLeftByAnySteps) {
  ClearEvaluator clear(kFewSlots);
  const View a = view_of({{1, 2, 3, 4}, {5, 6}});
  const auto turned = [&](std::int64_t steps) { return landed(clear.rotate(a, steps, kClearLanding)); };
  EXPECT_EQ(turned(0), (SlotArray{{1, 2, 3, 4}, {5, 6}}));
  EXPECT_EQ(turned(1), (SlotArray{{2, 3, 4, 1}, {6, 5}}));
  EXPECT_EQ(turned(-1), (SlotArray{{4, 1, 2, 3}, {6, 5}}));
  EXPECT_EQ(turned(7), (SlotArray{{4, 1, 2, 3}, {6, 5}}));
  EXPECT_EQ(turned(-6), (SlotArray{{3, 4, 1, 2}, {5, 6}}));
  const std::vector<std::int64_t> steps{1, -2};
  EXPECT_EQ(landed(clear.rotate_sum(a, steps, kClearLanding)),
            (SlotArray{{1 + 2 + 3, 2 + 3 + 4, 3 + 4 + 1, 4 + 1 + 2}, {16, 17}}));
}

TEST(ClearEvaluator, ViewsAreGatheredInTheirOrder) {
  ClearEvaluator clear(kFewSlots);
  const View a = view_of({{1}, {2}, {3}});
  View backwards = a;
  backwards.rank = 0;
  backwards.offset = 1;
  backwards.add_dimension(2, 0);
  backwards.add_dimension(2, 1);
  const View parts[] = {backwards, a};
  EXPECT_EQ(landed(clear.gather(parts, kClearLanding)), (SlotArray{{2}, {3}, {2}, {3}, {1}, {2}, {3}}));
  EXPECT_EQ(landed(clear.drop(backwards, kClearLanding)), (SlotArray{{2}, {3}, {2}, {3}}));
}

TEST(ClearEvaluator, WhatIsEncryptedOrEncodedIsAskedForByCiphertext) {
  ClearEvaluator clear(kFewSlots);
  const SlotsOf numbers = [](Index i) { return std::vector<double>{static_cast<double>(i), 7}; };
  EXPECT_EQ(landed(clear.encrypt(Layout::row_major({8}, kFewSlots), numbers, kClearLanding)),
            (SlotArray{{0, 7}, {1, 7}}));
  EXPECT_EQ(landed(clear.encode_addend(3, numbers, kClearLanding)), (SlotArray{{0, 7}, {1, 7}, {2, 7}}));
  // A factor lies where its operand does.
  EXPECT_EQ(landed(clear.encode_factor(1, numbers, kClearLanding, {1, 1})), (SlotArray{{0, 7}}));
}

TEST(ClearEvaluator, SeriesAndBootstrapsTakeEverySlot) {
  ClearEvaluator clear(kFewSlots);
  const View a = view_of({{0.5, -1}, {0.25}});
  const std::vector<double> series{1, 2, 4};  // 1 + 2 x + 4 (2 x^2 - 1)
  EXPECT_EQ(landed(clear.polynomial(a, series, {}, kClearLanding)), (SlotArray{{0, 3}, {-2}}));
  const params::BootstrapSchedule schedule = params::plan_bootstrap(params::named_literal("S8"), {.output_level = 5});
  const View parts[] = {view_of({{0.25}}), a};
  EXPECT_EQ(landed(clear.bootstrap(parts, schedule, kClearLanding)),
            (SlotArray{{schedule.result(0.25)}, {schedule.result(0.5), schedule.result(-1)}, {schedule.result(0.25)}}));
}

/// y = sum of maps of x in its layout, in the layout of the first one's results.
SlotArray mapped(const std::vector<layout::LinearMap>& maps, const std::vector<double>& x, const ArrayPtr& bias = {}) {
  ClearEvaluator clear(kFewSlots);
  const params::LinearSchedule none;
  std::vector<MappedView> terms;
  for (const layout::LinearMap& map : maps) {
    terms.push_back({view_of(pack_period(map.in, x)), clear.encode_map({map, none}, {3, 1}, kClearLanding)});
    EXPECT_EQ(terms.back().map->bytes(), 0);
  }
  return landed(clear.linear(terms, bias, kClearLanding));
}

TEST(ClearEvaluator, MapsAddUpAndFillEveryCopy) {
  const Layout two = Layout::row_major({2}, kFewSlots), five = Layout::row_major({5}, kFewSlots);
  ASSERT_EQ(two.period(), 2);
  ASSERT_EQ(five.ciphertexts(), 2);
  const auto matrix = [](Index columns, Index rows, std::vector<double> weights) {
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({columns}, rows, std::move(weights)));
  };
  const auto narrow = matrix(5, 2, {1, 2, 3, 4, 5, 0, 1, 0, -1, 0});
  const std::vector<double> x{1, 10, 100, 1000, 10000};
  EXPECT_EQ(mapped({{five, two, narrow}}, x), (SlotArray{{54321, -990}}));
  EXPECT_EQ(mapped({{five, two, narrow}, {five, two, narrow}}, x), (SlotArray{{108642, -1980}}));
  EXPECT_EQ(mapped({{five, two, narrow}}, x, clear_array({{1, 2}}, 2)), (SlotArray{{54322, -988}}));
  const auto wide = matrix(2, 5, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2});
  EXPECT_EQ(mapped({{two, five, wide}}, {3, 4}), (SlotArray{{3, 4, 7, 6}, {8, 0, 0, 0}}));
  EXPECT_EQ(mapped({{two, five, wide}}, {3, 4}, clear_array({{1, 1, 1, 1}, {2, 0, 0, 0}}, 2)),
            (SlotArray{{4, 5, 8, 7}, {10, 0, 0, 0}}));
}

TEST(ClearEvaluator, SamplesOfABatchShareTheirMap) {
  const auto one =
      std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 2}, 2, std::vector<double>{1, 2, 3, -4}));
  const auto three = std::make_shared<layout::Repeated>(one, 3);
  ASSERT_NE(three->equal_part(3), nullptr);
  const Layout samples = Layout::row_major({3, 2}, kFewSlots);
  const SlotArray made = mapped({{samples, samples, three}}, {1, 1, 0, 2, 5, -1});
  EXPECT_EQ(unpack_period(samples, made), (std::vector<double>{3, -1, 4, -8, 3, 19}));
}

TEST(ClearEvaluator, ScalarsHaveNoSamples) {
  const Layout scalar = Layout::row_major({}, kFewSlots);
  const auto same = std::make_shared<layout::Identity>(layout::Shape{});
  EXPECT_EQ(unpack_period(scalar, mapped({{scalar, scalar, same}}, {5})), (std::vector<double>{5}));
}

TEST(ClearEvaluator, ATensorIsPackedOnceAPeriod) {
  const Layout three = Layout::row_major({3}, 8), six = Layout::row_major({6}, kFewSlots);
  EXPECT_EQ(pack_period(three, std::vector<double>{1, 2, 3}), (SlotArray{{1, 2, 3, 0}}));
  EXPECT_EQ(pack_period(six, std::vector<double>{1, 2, 3, 4, 5, 6}), (SlotArray{{1, 2, 3, 4}, {5, 6, 0, 0}}));
  EXPECT_EQ(unpack_period(six, {{1, 2, 3, 4}, {5, 6, 0, 0}}), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(unpack_period(six, {{1, 2}, {5}}), (std::vector<double>{1, 2, 1, 2, 5, 5}));
  for (const std::size_t size : {2, 4})
    EXPECT_EQ(base::refusal<base::InternalError>([&] { pack_period(three, std::vector<double>(size)); }),
              "a tensor of another size than its layout");
}

// Elements beside their copies: 0 0 1 1.
TEST(ClearEvaluator, CopiesWithinAPeriodAreFilled) {
  const Layout twice({2}, {}, {{0, 2, 1, ""}, {layout::kReplica, 2, 1, ""}}, {layout::Fill::zero});
  ASSERT_EQ(twice.period(), kFewSlots);
  EXPECT_EQ(pack_period(twice, std::vector<double>{5, 7}), (SlotArray{{5, 5, 7, 7}}));
  EXPECT_EQ(unpack_period(twice, {{5, 0, 7, 0}}), (std::vector<double>{5, 7}));
  const auto swap =
      std::make_shared<layout::Contraction>(layout::Contraction::dense({2}, 2, std::vector<double>{0, 1, 10, 0}));
  EXPECT_EQ(mapped({{twice, twice, swap}}, {5, 7}), (SlotArray{{7, 7, 50, 50}}));
}

TEST(ClearEvaluator, MapsLeadFromScalarsAndToThem) {
  const Layout scalar = Layout::row_major({}, kFewSlots), two = Layout::row_major({2}, kFewSlots);
  const auto spread =
      std::make_shared<layout::SparseRows>(layout::Shape{}, layout::Shape{2}, std::vector<Index>{0, 1, 2},
                                           std::vector<Index>{0, 0}, std::vector<double>{3, 4});
  EXPECT_EQ(unpack_period(two, mapped({{scalar, two, spread}}, {5})), (std::vector<double>{15, 20}));
  const auto joined = std::make_shared<layout::SparseRows>(layout::Shape{2}, layout::Shape{}, std::vector<Index>{0, 2},
                                                           std::vector<Index>{0, 1}, std::vector<double>{3, 4});
  EXPECT_EQ(unpack_period(scalar, mapped({{two, scalar, joined}}, {5, 6})), (std::vector<double>{39}));
}

TEST(ClearEvaluator, ResultsLandAtTheLowestLevelUnlessTheySay) {
  EXPECT_EQ(Landing{}.level, 0);
  EXPECT_EQ(Landing{}.scale, 1);
}

}  // namespace
}  // namespace tacit::slots
