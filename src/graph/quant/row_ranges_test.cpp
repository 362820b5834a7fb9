#include "graph/quant/row_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "graph/quant/quantised_for_test.h"

namespace tacit::graph::quant {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(RowRanges, WidenByTheMarginAndToTheNarrowest) {
  const auto ranges = row_ranges(value_of({1, 3}, {{0, 8}, {1, 1}, {-1, 1}}), 0.25, {1, 4, 4});
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_DOUBLE_EQ(ranges[0].lowest, -2);  // a quarter of 8 on either side
  EXPECT_DOUBLE_EQ(ranges[0].highest, 10);
  EXPECT_DOUBLE_EQ(ranges[1].lowest, -1);  // as wide as 4
  EXPECT_DOUBLE_EQ(ranges[1].highest, 3);
  EXPECT_DOUBLE_EQ(ranges[2].lowest, -2.5);  // a quarter of 2, and half of the missing 2
  EXPECT_DOUBLE_EQ(ranges[2].highest, 2.5);
}

/// Tables of 3 bits have six boxes in an interval. The seen ranges are 1, 4.9 to 5.1, and as wide as a box.
TEST(RowRanges, ConstantsLieInTheMiddleOfABox) {
  const std::vector<Range> seen{{1, 1}, {4.9, 5.1}, {2, 4}, {0, 2}};
  const std::vector<Range> before{{-5, 7}, {0, 12}, {-3, 9}, {-5, 7}};
  std::vector<Range> rows = before;
  centre_constants(seen, 3, rows);
  const auto boxes_from_centre = [&](double number, const Range& row) {
    const double place = (number - row.lowest) / 2 + 0.5;  // boxes are 2 wide, the first begins 2 below
    return std::abs(place - std::round(place));
  };
  EXPECT_DOUBLE_EQ(boxes_from_centre(1, before[0]), 0.5);
  EXPECT_NEAR(boxes_from_centre(1, rows[0]), 0, 1e-12);
  EXPECT_NEAR(boxes_from_centre(5, rows[1]), 0, 1e-12);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    EXPECT_NEAR(rows[e].highest - rows[e].lowest, 12, 1e-12);
    EXPECT_LE(std::abs(rows[e].lowest - before[e].lowest), 1);
  }
  EXPECT_EQ(rows[2].lowest, before[2].lowest);
  EXPECT_EQ(rows[3].lowest, before[3].lowest);
  centre_constants({}, 3, rows);  // nothing was seen by element
}

TEST(RowRanges, ElementsOfAChannelShareTheirs) {
  const auto ranges = row_ranges(value_of({1, 2, 1, 2}, {{0, 1}, {2, 3}, {-1, 0}, {-5, -4}}), 0);
  EXPECT_DOUBLE_EQ(ranges[0].highest, 3);
  EXPECT_DOUBLE_EQ(ranges[1].lowest, 0);
  EXPECT_DOUBLE_EQ(ranges[2].lowest, -5);
  EXPECT_DOUBLE_EQ(ranges[3].highest, 0);
}

/// The interval of a constant element does not depend on the width of the others, except for 0, which shows no
/// magnitude.
TEST(RowRanges, ConstantElementsAreAsWideAsTheyAreLarge) {
  const auto ranges = row_ranges(value_of({1, 4}, {{0, 4e5}, {7, 7}, {0, 0}, {1, 3}}), 0.5);
  EXPECT_EQ(ranges[1], (Range{0, 14}));
  EXPECT_DOUBLE_EQ(ranges[2].width(), 4e5) << "the upper median of 2 and 4e5";
  const auto constants = row_ranges(value_of({1, 2}, {{0, 0}, {0, 0}}), 0.5);
  EXPECT_LT(constants[0].lowest, 0);
  EXPECT_GT(constants[0].highest, 0);
}

TEST(RowRanges, RefuseWhatNobodyKnows) {
  EXPECT_THAT(
      [] {
        row_ranges(value_of({1, 2}, {}), 0.5);
      },
      ThrowsMessage<base::InputError>(AllOf(HasSubstr("node 'n' (Gemm)"), HasSubstr("--calibrate"))));
}

/// Feature maps of two images share the range of a channel; rows of a matrix share none.
TEST(RowRanges, ChannelsAreTheSecondAxisOfMoreThanTwo) {
  const std::vector<Range> eight{{0, 1}, {0, 2}, {5, 6}, {5, 7}, {-1, 0}, {0, 1}, {4, 5}, {5, 6}};
  const auto maps = row_ranges(value_of({2, 2, 2}, eight), 0);
  ASSERT_EQ(maps.size(), 8u);
  for (const std::size_t e : {0, 1, 4, 5}) EXPECT_EQ(maps[e], (Range{-1, 2})) << e;
  for (const std::size_t e : {2, 3, 6, 7}) EXPECT_EQ(maps[e], (Range{4, 7})) << e;
  const std::vector<Range> three{{0, 1}, {5, 7}, {-4, -1}};
  EXPECT_EQ(row_ranges(value_of({3, 1}, three), 0), three);
}

/// All elements have the range of the value if no other range is known.
TEST(RowRanges, ElementsWithoutTheirOwnHaveThatOfTheValue) {
  passes::Value whole = value_of({1, 3}, {});
  whole.range = {-1, 3};
  EXPECT_EQ(row_ranges(whole, 0.25), std::vector<Range>(3, Range{-2, 4}));
}

/// A constant element gets an interval as wide as its magnitude, or a thousandth for 0.
TEST(RowRanges, ConstantsAreAsWideAsTheyAreLarge) {
  const auto large = row_ranges(value_of({1, 2}, {{-6, -6}, {-6, -6}}), 0.5);
  EXPECT_EQ(large, std::vector<Range>(2, Range{-12, 0}));
  const auto narrow = row_ranges(value_of({1, 2}, {{8, 8}, {8, 8}}), 0.5, {2, 2});
  EXPECT_EQ(narrow, std::vector<Range>(2, Range{7, 9}));
  const auto nothing = row_ranges(value_of({1, 1}, {{0, 0}}), 0.5);
  EXPECT_DOUBLE_EQ(nothing.at(0).lowest, -0.0005);
  EXPECT_DOUBLE_EQ(nothing.at(0).highest, 0.0005);
  const auto beside = row_ranges(value_of({1, 2}, {{0, 4}, {7, 7}}), 0.5);
  EXPECT_EQ(beside.at(0), (Range{-2, 6})) << "no wider than its margin makes it";
}

/// A box is 2 wide. A seen range within half of one number is moved to the middle of a box.
TEST(RowRanges, WhatIsAQuarterOfABoxWideCountsAsConstant) {
  const std::vector<Range> before{{-5, 7}, {-5, 7}, {-4.5, 7.5}};
  std::vector<Range> rows = before;
  centre_constants({{0.75, 1.25}, {0.75, 1.375}, {1, 1}}, 3, rows);
  EXPECT_DOUBLE_EQ(std::abs(rows[0].lowest + 5), 1);
  EXPECT_DOUBLE_EQ(rows[0].width(), 12);
  EXPECT_EQ(rows[1], before[1]);
  EXPECT_EQ(rows[2], (Range{-4, 8})) << "boxes are centred on -5, -3, -1 and 1";
}

}  // namespace
}  // namespace tacit::graph::quant
