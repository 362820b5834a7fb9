#include "layout/sharding/published_rotations.h"

#include <gtest/gtest.h>

namespace tacit::layout {
namespace {

TEST(ChannelRotations, AreThePublishedCounts) {
  // [64,7,7] -> [16,7,7] by 1 x 1 at 1,024 slots.
  const ChannelRotations used_up{64, 1, 4, 1}, halves{64, 2, 8, 1};
  EXPECT_EQ(used_up.block_channels(), 16);
  EXPECT_EQ(used_up.cyclic_roll(), 4 * 32);
  EXPECT_EQ(halves.replicated(), 16 * 9);
  // [2048,7,7] -> [512,7,7] at N = 2^16.
  EXPECT_EQ((ChannelRotations{2048, 1, 4, 1}).cyclic_roll(), 4 * 1024);
  EXPECT_EQ((ChannelRotations{2048, 2, 8, 1}).replicated_by_steps(), 16 * (16 + 32));
}

TEST(ChannelRotations, StepsArePowersOfTwoThatNeedTheFewestRotations) {
  struct Case {
    Index channels, blocks, fewest;
  };
  for (const Case& c : {Case{1, 1, 1 + 2}, Case{2, 1, 2 + 2}, Case{3, 1, 2 + 4}, Case{4, 1, 4 + 2}, Case{5, 2, 2 + 4},
                        Case{7, 3, 2 + 4}, Case{9, 1, 4 + 6}, Case{64, 4, 4 + 8}}) {
    const ChannelRotations rotations{c.channels, 1, c.blocks, 1};
    EXPECT_EQ(rotations.replicated_by_steps(), c.blocks * c.fewest) << c.channels;
  }
  const ChannelRotations split{6, 2, 3, 5};
  EXPECT_EQ(split.blocks(), 30);
  EXPECT_EQ(split.block_channels(), 2);
  EXPECT_EQ(split.cyclic_roll(), 30 * 4);
  EXPECT_EQ(split.replicated(), 30 * 3);
  EXPECT_EQ(split.replicated_by_steps(), 30 * 4);
  EXPECT_EQ(ChannelRotations{}.blocks(), 1);
  EXPECT_EQ(ChannelRotations{}.cyclic_roll(), 2);
}

}  // namespace
}  // namespace tacit::layout
