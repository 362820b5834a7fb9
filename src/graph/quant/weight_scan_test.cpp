#include "graph/quant/weight_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layout/operators/matrix.h"

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

}  // namespace
}  // namespace tacit::graph::quant
