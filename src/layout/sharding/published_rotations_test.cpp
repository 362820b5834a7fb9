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

}  // namespace
}  // namespace tacit::layout
