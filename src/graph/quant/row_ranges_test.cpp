#include "graph/quant/row_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::graph::quant {
namespace {

using passes::Range;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

passes::Value value(const Shape& shape, std::vector<Range> ranges) {
  passes::Value made{passes::Private{}, shape, "n", "Gemm", {}};
  for (const Range& range : ranges)
    made.range = made.range.known()
                     ? Range{std::min(made.range.lowest, range.lowest), std::max(made.range.highest, range.highest)}
                     : range;
  made.element_ranges = std::move(ranges);
  return made;
}

TEST(RowRanges, WidenByTheMarginAndToTheNarrowest) {
  const auto ranges = row_ranges(value({1, 3}, {{0, 8}, {1, 1}, {-1, 1}}), 0.25, 0.5);
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_DOUBLE_EQ(ranges[0].lowest, -2);  // a quarter of 8 on either side
  EXPECT_DOUBLE_EQ(ranges[0].highest, 10);
  EXPECT_DOUBLE_EQ(ranges[1].lowest, -1);  // as wide as half of 8
  EXPECT_DOUBLE_EQ(ranges[1].highest, 3);
  EXPECT_DOUBLE_EQ(ranges[2].lowest, -2.5);  // a quarter of 2, and half of the missing 2
  EXPECT_DOUBLE_EQ(ranges[2].highest, 2.5);
}

TEST(RowRanges, ElementsOfAChannelShareTheirs) {
  const auto ranges = row_ranges(value({1, 2, 1, 2}, {{0, 1}, {2, 3}, {-1, 0}, {-5, -4}}), 0, 0);
  EXPECT_DOUBLE_EQ(ranges[0].highest, 3);
  EXPECT_DOUBLE_EQ(ranges[1].lowest, 0);
  EXPECT_DOUBLE_EQ(ranges[2].lowest, -5);
  EXPECT_DOUBLE_EQ(ranges[3].highest, 0);
}

TEST(RowRanges, ConstantElementsTakeTheWidest) {
  const auto ranges = row_ranges(value({1, 2}, {{0, 4}, {7, 7}}), 0.5, 0);
  EXPECT_DOUBLE_EQ(ranges[1].lowest, 5);
  EXPECT_DOUBLE_EQ(ranges[1].highest, 9);
  const auto constants = row_ranges(value({1, 2}, {{0, 0}, {0, 0}}), 0.5, 0);
  EXPECT_LT(constants[0].lowest, 0);
  EXPECT_GT(constants[0].highest, 0);
}

TEST(RowRanges, RefuseWhatNobodyKnows) {
  EXPECT_THAT(
      [] {
        row_ranges(value({1, 2}, {}), 0.5, 0);
      },
      ThrowsMessage<base::InputError>(AllOf(HasSubstr("node 'n' (Gemm)"), HasSubstr("--calibrate"))));
}

}  // namespace
}  // namespace tacit::graph::quant
