#include "layout/linear_operator.h"

#include <gtest/gtest.h>

#include <vector>

#include "layout/operators/movement.h"
#include "layout/operators/window.h"

namespace tacit::layout {
namespace {

TEST(LinearOperator, WeightsOfAColumnAddUpInTheirOrder) {
  // One more than 1e16 is rounded to 1e16.
  RowEntries first, last;
  first.add(3, 1);
  first.add(1, 2);
  first.add(3, 1e16);
  first.add(3, -1e16);
  first.merge();
  EXPECT_EQ(first.columns, std::vector<Index>{1});
  EXPECT_EQ(first.weights, std::vector<double>{2});
  last.add(3, 1e16);
  last.add(3, -1e16);
  last.add(1, 2);
  last.add(3, 1);
  last.merge();
  EXPECT_EQ(last.columns, (std::vector<Index>{1, 3}));
  EXPECT_EQ(last.weights, (std::vector<double>{2, 1}));
}

TEST(LinearOperator, ASelectionKeepsRowsOfFeatureMaps) {
  const RowSelection selection{.in = {2, 3, 8, 5}, .out = {2, 3, 8, 5}, .begin = 1, .rows = 6};
  EXPECT_EQ(selection.kept(), (Shape{2, 3, 6, 5}));
  EXPECT_EQ(RowSelection::kRows, 2U);
  EXPECT_EQ(RowSelection::kColumns, 3U);
  EXPECT_EQ(RowSelection::kRank, 4U);
}

TEST(LinearOperator, RowsOfWindowsAreNotShort) {
  const Shape shape{1, 1, 2, 2};
  EXPECT_FALSE(Convolution(shape, shape, std::vector<WindowAxis>(2), 1, {1}).has_short_rows());
  EXPECT_TRUE(Identity(shape).has_short_rows());
}

}  // namespace
}  // namespace tacit::layout
