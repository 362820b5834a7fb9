#include "layout/repeated_reals.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacit::layout {
namespace {

TEST(RepeatedReals, SumsAndProductsKeepTheFormOfEqualRuns) {
  const RepeatedReals channels({1, 2, 3}, 4), others({10, 20, 30}, 4);
  const RepeatedReals sum = channels.plus(others, 12), product = channels.times(others, 12);
  EXPECT_EQ(sum.values(), (std::vector<double>{11, 22, 33}));
  EXPECT_EQ(product.values(), (std::vector<double>{10, 40, 90}));
  EXPECT_EQ(sum.run(), 4);
  EXPECT_EQ(product.run(), 4);
}

TEST(RepeatedReals, OneNumberIsAddedToEveryRun) {
  const RepeatedReals sum = RepeatedReals({1, 2}, 3).plus(RepeatedReals(0.5), 6);
  EXPECT_EQ(sum.values(), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(sum.expanded(6), (std::vector<double>{1.5, 1.5, 1.5, 2.5, 2.5, 2.5}));
  EXPECT_EQ(RepeatedReals(0.5).plus(RepeatedReals({1, 2}, 3), 6).expanded(6), sum.expanded(6));
}

TEST(RepeatedReals, NumbersThatRepeatInDifferentWaysAreCombinedByElement) {
  const RepeatedReals rows({1, 2}, 2), columns({10, 20}, 1);
  EXPECT_EQ(rows.plus(columns, 4).expanded(4), (std::vector<double>{11, 21, 12, 22}));
  EXPECT_EQ(rows.times(columns, 4).expanded(4), (std::vector<double>{10, 20, 20, 40}));
}

}  // namespace
}  // namespace tacit::layout
