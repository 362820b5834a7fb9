#include "check/slots/copies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "layout/operators/matrix.h"

namespace tacit::check {
namespace {

using layout::Layout;

TEST(Copies, DisagreeByTheRootMeanSquareOfTheOthers) {
  const Layout four = Layout::row_major({2}, 8);
  const std::vector<layout::Index> copies = four.copies();
  ASSERT_EQ(copies.size(), 4U);
  slots::SlotArray slots = four.pack(std::vector<double>{1, 2});
  EXPECT_EQ(disagreement(four, slots), 0);
  const auto slot = [&](layout::Index element, std::size_t copy) -> double& {
    return slots[0][static_cast<std::size_t>(four.position_of(element).slot + copies[copy])];
  };
  slot(1, 2) += 0.5;
  EXPECT_DOUBLE_EQ(disagreement(four, slots), std::sqrt(0.25 / 6)) << "one of six that are not the first";
  slot(0, 3) -= 1;
  EXPECT_DOUBLE_EQ(disagreement(four, slots), std::sqrt(1.25 / 6));
  EXPECT_EQ(disagreement(Layout::row_major({8}, 8), {{1, 2, 3, 4, 5, 6, 7, 8}}), 0) << "no copies";
}

TEST(Copies, MoveAResultByTheLargestRowOfEveryTermThatReadsThem) {
  const Layout layout = Layout::row_major({2}, 8);
  const auto term = [&](program::ValueId input, std::vector<double> matrix) {
    return slots::LinearTerm{
        .input = input,
        .map = {layout, layout,
                std::make_shared<layout::Contraction>(layout::Contraction::dense({2}, 2, std::move(matrix)))},
        .schedule = {}};
  };
  // Rows of 25 and 1, of 4 and 0, and of another operand.
  slots::Linear linear;
  linear.terms.push_back(term(3, {3, 4, 1, 0}));
  linear.terms.push_back(term(3, {0, 2, 0, 0}));
  linear.terms.push_back(term(5, {0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(variance_of_copies(linear, 3, 0.5), (25 + 4) * 0.25);
  EXPECT_DOUBLE_EQ(variance_of_copies(linear, 5, 0.5), 0.25);
  EXPECT_EQ(variance_of_copies(linear, 4, 0.5), 0);
  EXPECT_EQ(variance_of_copies(linear, 3, 0), 0);
}

}  // namespace
}  // namespace tacit::check
