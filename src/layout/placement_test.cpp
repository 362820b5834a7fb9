#include "layout/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::layout {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Placement, BlocksThatOutnumberTheRanksAreDealtOutInStretches) {
  const Placement placement(4);
  EXPECT_EQ(placement.blocks_of(0, 32), (Interval{0, 8}));
  EXPECT_EQ(placement.blocks_of(3, 32), (Interval{24, 32}));
  EXPECT_EQ(placement.blocks_of(1, 6), (Interval{1, 3}));
  EXPECT_EQ(placement.ranks_of(2, 6), (Interval{1, 2}));
  EXPECT_EQ(placement.ranks_of(3, 6), (Interval{2, 3}));
}

TEST(Placement, RanksThatOutnumberTheBlocksComputeTheSameOne) {
  const Placement placement(5);
  EXPECT_EQ(placement.ranks_of(0, 1), (Interval{0, 5}));
  EXPECT_EQ(placement.ranks_of(0, 2), (Interval{0, 2}));
  EXPECT_EQ(placement.ranks_of(1, 2), (Interval{2, 5}));
  EXPECT_EQ(placement.blocks_of(2, 2), (Interval{1, 2}));
  EXPECT_EQ(placement.blocks_of(4, 1), (Interval{0, 1}));
  EXPECT_EQ(placement.blocks_of(4, 0), (Interval{}));
}

TEST(Placement, EveryBlockHasRanksEveryRankHasBlocksAndBothSidesAgree) {
  for (Index ranks = 1; ranks <= 17; ++ranks)
    for (Index blocks = 1; blocks <= 40; ++blocks) {
      const Placement placement(ranks);
      Index least = blocks, most = 0;
      for (Index rank = 0; rank < ranks; ++rank) {
        const Interval own = placement.blocks_of(rank, blocks);
        least = std::min(least, own.size());
        most = std::max(most, own.size());
        ASSERT_GE(own.size(), 1);
        for (Index block = 0; block < blocks; ++block)
          ASSERT_EQ(own.contains(block), placement.ranks_of(block, blocks).contains(rank))
              << ranks << " ranks, " << blocks << " blocks, rank " << rank << ", block " << block;
      }
      ASSERT_LE(most - least, 1);
    }
}

TEST(Placement, ARankNeedsWhatItsUnitsRead) {
  const Placement placement(2);
  EXPECT_THAT(needs_of_units(placement, 3, 2, 5), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4)));
  EXPECT_THAT(needs_of_units(placement, {{0, 1}, {0, 1, 2}, {}, {3}}),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3)));
  EXPECT_EQ(placement.largest_share(5), 3);
  EXPECT_EQ(placement.largest_share(1), 1);
}

TEST(Placement, WhatARankLacksComesFromARankThatHoldsIt) {
  // Member 0 lies on rank 0, member 1 on ranks 1 and 2, member 2 on all.
  const std::vector<Interval> holders{{0, 1}, {1, 3}, {0, 4}};
  EXPECT_THAT(transfers(holders, {{0, 1}, {1}, {2}, {0, 1, 2}}),
              ElementsAre(Transfer{1, 1, 0}, Transfer{0, 0, 3}, Transfer{1, 2, 3}));
  EXPECT_THAT(transfers(holders, {{0}, {1}, {1, 2}, {2}}), IsEmpty());
}

}  // namespace
}  // namespace tacit::layout
