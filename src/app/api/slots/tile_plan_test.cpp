#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/tile.h>

#include <algorithm>

#include "base/refusal_for_test.h"

namespace tacit::tile {
namespace {

using base::refusal;

constexpr const char* kRequirement = "slots 4096, depth 1, fraction 35 bits, integer 8 bits, security 128";

/// Inner products of 20 elements, `items` of them.
struct Products {
  std::int64_t items;
  std::int64_t operator()(const Session& session, const Sizes& extents, Fold fold) const {
    const Shape shape(std::string("{any|") + std::to_string(extents[0]) + "}{any|" + std::to_string(extents[1]) + "}");
    multiply_sum(encrypt(session, shape, {items, 20}, {}, 1), encrypt(session, shape, {items, 20}, {}, 1), 1, fold);
    return items;
  }
};

TEST(TilePlan, AnItemTakesItsPartOfABatch) {
  const Plan found = plan(kRequirement, 2, {}, Products{100});
  ASSERT_FALSE(found.best.empty());
  for (const PlannedPacking& packing : found.best)
    EXPECT_DOUBLE_EQ(packing.amortised, packing.latency / 100) << packing.extents[0];
}

// Carried out once more in a session of its own.
TEST(TilePlan, MemoryIsThatOfTensorsAndKeys) {
  const Plan found = plan(kRequirement, 2, {}, Products{100});
  ASSERT_FALSE(found.best.empty());
  for (const PlannedPacking& packing : found.best) {
    const Session session = Session::cost(kRequirement);
    Products{100}(session, packing.extents, packing.fold);
    const Cost cost = session.cost();
    EXPECT_DOUBLE_EQ(packing.memory, cost.peak_bytes + cost.key_bytes) << packing.extents[0];
    EXPECT_DOUBLE_EQ(packing.latency, cost.seconds) << packing.extents[0];
    EXPECT_EQ(packing.extents[0] * packing.extents[1], 4096);
  }
}

TEST(TilePlan, SumsGoOneToThreeBitsAtATime) {
  std::vector<int> hoists;
  const Batch batch = [&](const Session& session, const Sizes& extents, Fold fold) {
    hoists.push_back(fold.hoist);
    EXPECT_FALSE(fold.all_places);
    return Products{100}(session, extents, fold);
  };
  plan(kRequirement, 2, {}, batch);
  for (const int hoist : {1, 2, 3}) EXPECT_EQ(std::ranges::count(hoists, hoist), 13) << hoist;
  EXPECT_EQ(hoists.size(), 39U);
}

TEST(TilePlan, WhatServesNobodyOrDoesNotFitIsNotTaken) {
  const Plan nobody = plan(kRequirement, 1, {}, [](const Session&, const Sizes&, Fold) { return std::int64_t{0}; });
  EXPECT_TRUE(nobody.best.empty());
  EXPECT_EQ(nobody.priced, 3);
  const Plan one = plan(kRequirement, 1, {}, [](const Session&, const Sizes& extents, Fold fold) {
    if (fold.hoist != 2) throw InputError("does not fit");
    EXPECT_EQ(extents, Sizes{4096});
    return std::int64_t{1};
  });
  ASSERT_EQ(one.best.size(), 1U);
  EXPECT_EQ(one.best[0].fold.hoist, 2);
}

TEST(TilePlan, StagesAndOpenExtentsAreBounded) {
  std::size_t extents = 0;
  const Batch batch = [&](const Session&, const Sizes& asked, Fold) {
    extents = asked.size();
    return std::int64_t{1};
  };
  const auto planned = [&](int dims, int stages) {
    PlanRequest request;
    request.stages = stages;
    return refusal([&] { plan(kRequirement, dims, request, batch); });
  };
  EXPECT_EQ(planned(1, 1), base::kNotRefused);
  EXPECT_EQ(extents, 1U);
  EXPECT_EQ(planned(1, 16), base::kNotRefused);
  EXPECT_EQ(extents, 16U);
  for (const int stages : {-1, 0, 17})
    EXPECT_EQ(planned(1, stages), std::string("plan: stages is ") + std::to_string(stages) + ", outside 1 to 16");
  const std::string nothing = "plan: at least one open tile extent and a computation are needed";
  for (const int dims : {-1, 0}) EXPECT_EQ(planned(dims, 1), nothing) << dims;
  EXPECT_EQ(refusal([] { plan(kRequirement, 1, {}, Batch()); }), nothing);
}

}  // namespace
}  // namespace tacit::tile
