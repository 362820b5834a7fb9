#include "layout/sharding/carried.h"

#include <gtest/gtest.h>

#include "layout/sharding/operator_rules.h"

namespace tacit::layout {
namespace {

TEST(Carried, ElementwiseOperatorsCarryBlocksBothWays) {
  const ShardingRule rule = elementwise_rule("Relu", {{1, 8, 6, 6}}).or_refuse();
  const ArraySharding blocks = ArraySharding::parse("mesh=[x=4, z=3] spec={-1, x, z, -1}");
  EXPECT_EQ(carried_forward(rule, 0, 0, blocks), blocks);
  EXPECT_EQ(carried_back(rule, 0, 0, blocks), blocks);
}

TEST(Carried, WhatIsReducedIsNotCarried) {
  const ShardingRule rule = gemm_rule({1, 12}, {12, 4}, false, false, {}).or_refuse();
  const ArraySharding columns = ArraySharding::parse("mesh=[y=3] spec={-1, y}");
  EXPECT_EQ(carried_forward(rule, 0, 0, columns), std::nullopt);
  EXPECT_EQ(implied_by_input(rule, 0, columns)->input(1).spec_text(), "{y, -1}");
}

TEST(Carried, ThroughFlattenBlocksOfChannelsAreBlocksOfColumns) {
  const ShardingRule rule = reshape_rule({1, 8, 5, 5}, {1, 200}).or_refuse();
  EXPECT_EQ(carried_back(rule, 0, 0, ArraySharding::parse("mesh=[y=4] spec={-1, y}"))->spec_text(), "{-1, y, -1, -1}");
  EXPECT_EQ(carried_back(rule, 0, 0, ArraySharding::parse("mesh=[y=5] spec={-1, y}")), std::nullopt);
}

TEST(Carried, NamesOfAxesAreNoPartOfBlocks) {
  const ArraySharding a = ArraySharding::parse("mesh=[x=4] spec={-1, x}");
  EXPECT_TRUE(same_blocks(a, ArraySharding::parse("mesh=[y=4, x=2] spec={-1, y}")));
  EXPECT_FALSE(same_blocks(a, ArraySharding::parse("mesh=[x=4] spec={x, -1}")));
  EXPECT_FALSE(same_blocks(a, ArraySharding::parse("mesh=[x=2] spec={-1, x}")));
}

TEST(Carried, BlocksOfALayoutAreReadFromItsDigits) {
  const ArraySharding rows = ArraySharding::parse("mesh=[y=3, z=2] spec={y, z, -1}");
  EXPECT_EQ(equal_blocks(rows.layout({3, 8, 8}, 64)), (Shape{3, 2, 1}));
  EXPECT_EQ(equal_blocks(Layout::row_major({8, 8}, 64)), (Shape{1, 1}));
  // Phases: row y in ciphertext y % 2.
  EXPECT_EQ(equal_blocks(Layout::parse("[8,8] across(d0:2/1) within(d0:4/2 d1:8/1) junk()")), std::nullopt);
  // Blocks of 8 of 20 channels are no equal split.
  EXPECT_EQ(equal_blocks(Layout::parse("[20] across(d0:3/8) within(d0:8/1) junk()")), std::nullopt);
}

// Reshards as linear maps of nothing but layouts.
TEST(Carried, ABlockIsLaidOutAsOneAlone) {
  const ArraySharding blocks = ArraySharding::parse("mesh=[x=4, y=7] spec={-1, x, -1, -1}");
  const auto layout = blocks.laid_out_like({1, 32, 6, 6}, Layout::multiplexed({1, 8, 6, 6}, 16, 16, 2, 512));
  EXPECT_EQ(layout->to_string(), "[1,32,6,6] across(d1:4/8@x) within(d1:2/4 d2:8/1 d1:2/2 d3:8/1 d1:2/1) junk()");
  // Free positions of a padded block stay free: the third dimension's 4 of 8 rows.
  const ArraySharding rows = ArraySharding::parse("mesh=[z=3] spec={-1, -1, z, -1}");
  EXPECT_EQ(
      rows.laid_out_like({1, 1, 12, 4}, Layout::parse("[1,1,4,4] across() within(d2:8/1 d3:4/1) junk()"))->to_string(),
      "[1,1,12,4] across(d2:3/4@z) within(d2:2/12 d2:4/1 d3:4/1) junk()");
  EXPECT_EQ(rows.laid_out_like({1, 1, 9, 4}, Layout::parse("[1,1,3,4] across() within(d2:4/1 d3:4/1) junk()")),
            std::nullopt);
}

TEST(Carried, AnEqualSplitHasItsBlocksRoundedUp) {
  const auto parts = [](const char* text) { return equal_blocks(Layout::parse(text)); };
  EXPECT_EQ(parts("[16] across(d0:4/4) within(d0:4/1) junk()"), Shape{4});
  EXPECT_EQ(parts("[15] across(d0:4/4) within(d0:4/1) junk()"), Shape{4});
  EXPECT_EQ(parts("[13] across(d0:4/4) within(d0:4/1) junk()"), Shape{4});
  EXPECT_EQ(parts("[12] across(d0:4/4) within(d0:4/1) junk()"), Shape{3});  // the last block is empty
  EXPECT_EQ(parts("[9] across(d0:3/4) within(d0:4/1) junk()"), std::nullopt);
  EXPECT_EQ(parts("[5] across(d0:2/4) within(d0:4/1) junk()"), std::nullopt);
  EXPECT_EQ(parts("[16] across(d0:2/8 d0:2/4) within(d0:4/1) junk()"), std::nullopt);
  EXPECT_EQ(parts("[8,3] across(copy:2@x d0:2/4 d1:3/1) within(d0:4/1) junk()"), (Shape{2, 3}));
  EXPECT_EQ(parts("[8,3] across() within(d0:8/1 d1:4/1) junk()"), (Shape{1, 1}));
}

TEST(Carried, PlacesBehindABlockLieBehindTheArray) {
  const ArraySharding rows = ArraySharding::parse("mesh=[z=3] spec={z, -1}");
  const auto text = [&](const Shape& shape, const char* block) {
    const std::optional<Layout> layout = rows.laid_out_like(shape, Layout::parse(block));
    return layout ? layout->to_string() : "none";
  };
  EXPECT_EQ(text({12, 4}, "[4,4] across() within(d0:4/1 d1:4/1) junk(1)"),
            "[12,4] across(d0:3/4@z) within(d0:4/1 d1:4/1) junk(1)");
  EXPECT_EQ(text({12, 4}, "[4,4] across() within(copy:2 d0:2/4 d0:4/1 d1:4/1) junk()"),
            "[12,4] across(d0:3/4@z) within(copy:2 d0:2/12 d0:4/1 d1:4/1) junk()");
  EXPECT_EQ(text({12, 3}, "[4,3] across() within(d0:4/2 d1:4/1 d0:2/1) junk()"),
            "[12,3] across(d0:3/4@z) within(d0:2/12 d0:2/2 d1:4/1 d0:2/1) junk()");
  EXPECT_EQ(text({9, 4}, "[3,4] across() within(d0:2/2 d1:4/1 d0:2/1) junk()"), "none");
  EXPECT_EQ(text({9, 4}, "[3,4] across() within(d0:4/1 d1:4/1) junk()"), "none");
}

TEST(Carried, TheFirstDimensionIsCarriedAsOthers) {
  const ShardingRule rule = gemm_rule({4, 6}, {6, 5}, false, false, {}).or_refuse();
  const ArraySharding rows = ArraySharding::parse("mesh=[x=2] spec={x, -1}");
  EXPECT_EQ(implied_by_input(rule, 0, rows)->output(0).spec_text(), "{x, -1}");
  EXPECT_EQ(carried_back(rule, 0, 0, rows)->spec_text(), "{x, -1}");
  EXPECT_TRUE(same_blocks(rows, rows));
  EXPECT_FALSE(same_blocks(rows, ArraySharding::parse("mesh=[x=2] spec={-1, -1}")));
  EXPECT_FALSE(same_blocks(rows, ArraySharding::parse("mesh=[x=2] spec={x}")));
}

// Ciphertexts of nothing behind two blocks.
TEST(Carried, TwoDigitsAcrossAreNoEqualSplit) {
  EXPECT_EQ(equal_blocks(Layout::parse("[16] across(d0:2/8) within(d0:8/1) junk()")), Shape{2});
  EXPECT_EQ(equal_blocks(Layout::parse("[16] across(d0:2/8 d0:2/16) within(d0:8/1) junk()")), std::nullopt);
}

}  // namespace
}  // namespace tacit::layout
