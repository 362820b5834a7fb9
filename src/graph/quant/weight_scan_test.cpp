#include "graph/quant/weight_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"

namespace tacit::graph::quant {
namespace {

using ::testing::ElementsAre;

layout::LinearOperatorPtr matrix(std::vector<double> weights) {
  return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 2}, 2, std::move(weights)));
}

TEST(WeightScan, FindsTheLargestOfRows) {
  EXPECT_THAT(largest_of_rows(*matrix({1, -3, 0, 0}), [](layout::Index column) { return column == 0 ? 4.0 : 1.0; }),
              ElementsAre(4, 0));
}

TEST(WeightScan, MeansAndDifferencesHaveACommonDivisor) {
  EXPECT_DOUBLE_EQ(common_divisor({matrix({0.25, -0.25, 0.25, 0.25})}).value(), 0.25);
  EXPECT_DOUBLE_EQ(common_divisor({matrix({0.25, 0, 0, 0.25}), matrix({2, 0, 0, -0.5})}).value(), 0.25);
  EXPECT_FALSE(common_divisor({matrix({0.25, 0.3, 0, 0.25})}).has_value());
  EXPECT_FALSE(common_divisor({matrix({0.1, 0, 0, 0.9})}).has_value());  // nine times
  EXPECT_FALSE(common_divisor({matrix({0, 0, 0, 0})}).has_value());
}

/// Rows are scanned by the hundred: all of 600 are, each with its own column.
TEST(WeightScan, FindsTheLargestOfManyRows) {
  const layout::Shape shape{600};
  std::vector<double> factors;
  for (int row = 0; row < 600; ++row) factors.push_back(row % 2 == 0 ? row + 1 : -row - 1);
  const auto op = layout::scaled(std::make_shared<layout::Identity>(shape), layout::RepeatedReals::of(factors));
  const std::vector<double> largest =
      largest_of_rows(*op, [](layout::Index column) { return 1 + static_cast<double>(column % 3); });
  ASSERT_EQ(largest.size(), 600u);
  for (std::size_t row = 0; row < 600; ++row)
    EXPECT_EQ(largest[row], static_cast<double>((row + 1) * (1 + row % 3))) << row;
}

TEST(WeightScan, DivisorsAreTheSmallestOfWeightsInAnyOrder) {
  EXPECT_DOUBLE_EQ(common_divisor({matrix({-4, 0.5, 1, -0.5})}).value(), 0.5);
  EXPECT_DOUBLE_EQ(common_divisor({matrix({3, -3, 0, 0})}).value(), 3);
  EXPECT_FALSE(common_divisor({matrix({2, 3, 0, 2})}).has_value()) << "one and a half times";
  EXPECT_FALSE(common_divisor({matrix({1, 1, 1, 1}), matrix({9, 9, 9, 9})}).has_value());
  EXPECT_FALSE(common_divisor({}).has_value());
}

/// Weights below 1 count, and so does a row after the last hundreds.
TEST(WeightScan, ReadsSmallWeightsAndTheLastRow) {
  EXPECT_DOUBLE_EQ(common_divisor({matrix({0.1, -0.1, 0.1, 0.1})}).value(), 0.1);
  EXPECT_DOUBLE_EQ(common_divisor({matrix({1, 8, 0, 0})}).value(), 1) << "eight times";
  const layout::Identity rows(layout::Shape{257});
  EXPECT_EQ(largest_of_rows(rows, [](layout::Index) { return 2.0; }), std::vector<double>(257, 2.0));
}

}  // namespace
}  // namespace tacit::graph::quant
