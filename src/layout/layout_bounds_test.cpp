#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/layout.h"

// Where layouts begin and end to fit, and to be the same.
namespace tacit::layout {
namespace {

std::string guarded(const Shape& shape, Index pitch, Index cell, Layout::Gaps gaps, Layout::GapRows rows, Index slots) {
  std::string text;
  const std::string refused =
      base::refusal([&] { text = Layout::guarded(shape, pitch, cell, gaps, rows, slots).to_string(); });
  return text.empty() ? refused : text;
}

TEST(LayoutBounds, SlotsCiphertextsDimensionsAndDigitsAreLimited) {
  EXPECT_EQ(kMaxSlots, 65536);
  EXPECT_EQ(kMaxCiphertexts, 16777216);
  EXPECT_EQ(kMaxRank, 32U);
  EXPECT_EQ(kMaxDigits, 256U);
  EXPECT_EQ(base::refusal([] {
              Layout({131072}, {}, {{0, 131072, 1, ""}}, {});
            }),
            "layout: 1 ciphertexts of 131072 slots; at most 16777216 of 65536 are allowed");
}

TEST(LayoutBounds, RowsOfAGuardedLayoutHoldOnePointOrMore) {
  EXPECT_EQ(guarded({1, 2, 4, 1}, 1, 2, 1, {}, 8), "[1,2,4,1] across() within(d2:4/1 d1:2/1) junk()");
  EXPECT_EQ(guarded({1, 2, 4, 4}, -4, 2, 1, {}, 64), "layout: -4 x 2 positions are more than 2^48");
  // A gap of two columns leaves two of four points.
  EXPECT_EQ(guarded({1, 4, 4, 2}, 4, 2, {1, 2}, {}, 32), "[1,4,4,2] across() within(d2:4/1 d3:2/1 d1:4/1) junk()");
  EXPECT_EQ(guarded({1, 4, 4, 3}, 4, 2, {1, 2}, {}, 32),
            "layout: 4 x 3 maps with gaps of 1 rows and 2 columns do not fit rows of 4 points of 2 slots in 32 slots");
}

// Of four rows of the grid two hold channels, so that two maps of the batch take all.
TEST(LayoutBounds, MapsOfABatchTakeTheRowsThatChannelsLeave) {
  EXPECT_EQ(guarded({6, 4, 4, 4}, 4, 2, 1, {.maps = 1024, .channels = true, .spread = 4}, 128),
            "[6,4,4,4] across(d0:3/2) within(d2:4/1 d0:2/1 d1:2/2 d3:4/1 d1:2/1) junk()");
}

// One row of three slots and the first slot of another.
TEST(LayoutBounds, RowsGoOnToTheLastSlot) {
  EXPECT_EQ(guarded({1, 1, 1, 3}, 3, 1, 1, {}, 4), "[1,1,1,3] across() within(d2:2/1 d3:3/1) junk()");
}

TEST(LayoutBounds, MultiplexedMapsFitTheGridOnBothAxes) {
  const auto refused = [](const Shape& shape, Index rows, Index columns, Index gap, Index slots) {
    return base::refusal([&] { Layout::multiplexed(shape, rows, columns, gap, slots); });
  };
  EXPECT_EQ(refused({1, 2, 3}, 4, 4, 2, 16), "layout: 2 x 3 maps with gap 2 do not fit a grid of 4 x 4 in 16 slots");
  // Not even maps of nothing fit where a gap is larger than the grid.
  EXPECT_EQ(refused({1, 0, 1}, 4, 8, 8, 32), "layout: 0 x 1 maps with gap 8 do not fit a grid of 4 x 8 in 32 slots");
  EXPECT_EQ(refused({1, 1, 0}, 8, 4, 8, 32), "layout: 1 x 0 maps with gap 8 do not fit a grid of 8 x 4 in 32 slots");
}

TEST(LayoutBounds, ADigitOfOnePositionDoesNotHideTheCopiesBehindIt) {
  EXPECT_EQ(Layout({4}, {}, {{0, 1, 1, ""}, {kReplica, 2, 1, ""}, {0, 4, 1, ""}}, {}).period(), 4);
}

TEST(LayoutBounds, ReplicasAcrossMoveNoElement) {
  for (const char* text :
       {"[4] across(d0:2/2 copy:2) within(d0:2/1) junk()", "[4] across(copy:2 d0:2/2) within(d0:2/1) junk()"}) {
    const Layout layout = Layout::parse(text);
    EXPECT_EQ(layout.ciphertexts(), 2) << text;
    EXPECT_EQ(layout.positions(), (std::vector<Position>{{0, 0}, {0, 1}, {1, 0}, {1, 1}})) << text;
  }
}

TEST(LayoutBounds, PlacesAreTheSameWhereShapeAndAllDigitsAre) {
  const Layout four = Layout::parse("[4] across(d0:2/2) within(d0:2/1) junk()");
  EXPECT_TRUE(four.same_places(Layout::parse("[4] across(d0:2/2) within(d0:2/1) junk(0)")));
  for (const char* other :
       {"[3] across(d0:2/2) within(d0:2/1) junk()", "[4] across(copy:2 d0:2/2) within(d0:2/1) junk()",
        "[4] across(d0:2/2) within(copy:2 d0:2/1) junk()", "[4] across() within(d0:4/1) junk()"}) {
    EXPECT_FALSE(four.same_places(Layout::parse(other))) << other;
    EXPECT_FALSE(Layout::parse(other).same_places(four)) << other;
  }
}

TEST(LayoutBounds, AFillIsThatOfSomeDimension) {
  const Layout both = Layout::parse("[3,3] across() within(d0:4/1 d1:4/1) junk(1)");
  EXPECT_TRUE(both.has_fill(Fill::zero));
  EXPECT_TRUE(both.has_fill(Fill::unknown));
  EXPECT_FALSE(both.filled(Fill::zero).has_fill(Fill::unknown));
  EXPECT_FALSE(both.filled(Fill::unknown).has_fill(Fill::zero));
}

}  // namespace
}  // namespace tacit::layout
