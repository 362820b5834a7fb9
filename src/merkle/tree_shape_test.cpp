#include "merkle/tree_shape.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"

namespace tacit::merkle {
namespace {

/// Rounds that approach 2 needs.
unsigned needed_rounds(std::uint64_t leaves, std::uint64_t group) {
  const unsigned depth = TreeShape(leaves).depth(), levels = static_cast<unsigned>(std::bit_width(group));
  return depth == 0 ? 0 : 1 + (depth - 1 + levels - 1) / levels;
}

struct Range {
  std::uint64_t begin, end;  // slots
  bool operator==(const Range&) const = default;
};

/// Slots that each dispatch of approach 1 writes.
std::vector<Range> ranges(std::uint64_t leaves, std::uint64_t group) {
  const TreeShape shape(leaves);
  std::vector<Range> found;
  for (const Dispatch& dispatch : plan_dispatches(shape, Approach::level_by_level, group)) {
    EXPECT_EQ(dispatch.levels, 1u);
    const std::uint64_t first = shape.first_slot(dispatch.height);
    found.push_back({first, first + dispatch.items});
  }
  return found;
}

TEST(TreeShape, GivesTheFiveDispatchesOf32Leaves) {
  EXPECT_EQ(ranges(32, 4), (std::vector<Range>{{16, 32}, {8, 16}, {4, 8}, {2, 4}, {1, 2}}));
}

TEST(TreeShape, HalvesWorkItemsFromRoundToRoundInApproach1) {
  for (unsigned depth = 1; depth <= 24; ++depth) {
    const auto plan = plan_dispatches(TreeShape(std::uint64_t{1} << depth), Approach::level_by_level, 32);
    ASSERT_EQ(plan.size(), depth);
    for (unsigned round = 0; round < depth; ++round) {
      EXPECT_EQ(plan[round].items, std::uint64_t{1} << (depth - 1 - round));
      EXPECT_EQ(plan[round].group, std::min<std::uint64_t>(32, plan[round].items));
    }
  }
}

TEST(TreeShape, CountsRoundsAsPublishedAndAsNeeded) {
  const std::uint64_t n24 = 1 << 24;
  EXPECT_EQ(plan_dispatches(TreeShape(n24), Approach::level_by_level, 256).size(), 24u);
  EXPECT_EQ(published_rounds(n24, 1 << 8), 15u);
  EXPECT_EQ(published_rounds(n24, 1 << 9), 14u);
  EXPECT_EQ(published_rounds(n24, 1 << 6), 17u);
  EXPECT_EQ(needed_rounds(n24, 1 << 8), 4u);
  EXPECT_EQ(needed_rounds(n24, 1 << 9), 4u);
  EXPECT_EQ(needed_rounds(n24, 1 << 6), 5u);
  // Special cases: a quarter of the leaves fills one group, or two.
  EXPECT_EQ(published_rounds(128, 32), 2u);
  EXPECT_EQ(published_rounds(256, 32), 3u);
  EXPECT_EQ(published_rounds(512, 32), 3u);
  EXPECT_EQ(published_rounds(16, 2), 3u);
  EXPECT_EQ(published_rounds(256, 16), 3u);
  EXPECT_EQ(published_rounds(1 << 20, 32), 14u);
  EXPECT_EQ(needed_rounds(1 << 20, 32), 5u);
  EXPECT_EQ(published_rounds(1 << 23, 32), 17u);
  EXPECT_EQ(needed_rounds(1 << 23, 32), 5u);
  EXPECT_THROW(published_rounds(96, 8), base::InputError);
  EXPECT_THROW(published_rounds(64, 32), base::InputError);
  EXPECT_THROW(published_rounds(64, 3), base::InputError);
}

TEST(TreeShape, PlansAsManyDispatchesAsNeededForAnyNumberOfLeaves) {
  for (std::uint64_t leaves = 1; leaves <= 3000; leaves = leaves < 300 ? leaves + 1 : leaves + 101)
    for (const std::uint64_t group : {1, 2, 4, 32, 256, 512}) {
      const TreeShape shape(leaves);
      const auto plan = plan_dispatches(shape, Approach::work_groups, group);
      ASSERT_EQ(plan.size(), needed_rounds(leaves, group)) << leaves << " " << group;
      unsigned height = 1;
      for (const Dispatch& dispatch : plan) {
        ASSERT_EQ(dispatch.height, height);
        ASSERT_EQ(dispatch.items, shape.nodes_at(height));
        ASSERT_LE(dispatch.group, group);
        ASSERT_GE(2 * dispatch.group, std::uint64_t{1} << dispatch.levels);
        height += dispatch.levels;
      }
      ASSERT_EQ(height, shape.depth() + 1);
    }
}

TEST(TreeShape, PutsTheRootInSlot1AndTheChildrenOfIIn2IAnd2IPlus1) {
  for (const std::uint64_t leaves : {2, 3, 5, 8, 100, 1000}) {
    const TreeShape shape(leaves);
    EXPECT_EQ(shape.first_slot(shape.depth()), 1u);
    EXPECT_EQ(shape.nodes_at(shape.depth()), 1u);
    for (unsigned height = 2; height <= shape.depth(); ++height)
      EXPECT_EQ(shape.first_slot(height - 1), 2 * shape.first_slot(height));
  }
  EXPECT_EQ(TreeShape(64).slots(), 64u);
  EXPECT_EQ(TreeShape(2).slots(), 2u);
  EXPECT_EQ(TreeShape(5).slots(), 7u);
  EXPECT_THROW(TreeShape(0), base::InputError);
  EXPECT_THROW(TreeShape(kMostLeaves + 1), base::InputError);
  EXPECT_THROW(plan_dispatches(TreeShape(8), Approach::work_groups, 0), base::InputError);
  EXPECT_THROW(plan_dispatches(TreeShape(8), Approach::work_groups, 24), base::InputError);
}

}  // namespace
}  // namespace tacit::merkle
