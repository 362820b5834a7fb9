#include "params/linear_parts.h"

#include <gtest/gtest.h>

namespace tacit::params {
namespace {

TEST(LinearParts, TotalsAddWhatEachPartTakes) {
  const LinearParts<double> prices{
      .decompose = 1, .baby = 10, .giant = 100, .product = 1e3, .fold = 1e4, .finish = 1e5};
  const LinearCounts counts{.babies = 2, .giants = 3, .products = 4, .folds = 5, .inputs = 6, .outputs = 7};
  EXPECT_EQ(total(counts, prices), 6 * 1 + 6 * 2 * 10 + 7 * 3 * 100 + 4 * 1e3 + 7 * 5 * 1e4 + 7 * 1e5);
  EXPECT_EQ(counts.rotations(), 2 * 6 + (3 + 5) * 7);
  // Without baby steps no input is decomposed.
  EXPECT_EQ(total({.babies = 0, .giants = 0, .products = 1, .folds = 0}, prices), 1e3 + 1e5);
}

TEST(LinearParts, StepsAreCountedOnceAndZeroIsNone) {
  const DiagonalStep steps[] = {{0, 0, 0}, {1, 1, 0}, {4, 0, 4}, {5, 1, 4}, {9, 1, 8}};
  const LinearCounts counts = count(steps);
  EXPECT_EQ(counts.babies, 1);
  EXPECT_EQ(counts.giants, 2);
  EXPECT_EQ(counts.products, 5);
}

TEST(LinearParts, AProductIsPricedByTheWordsThatDiffer) {
  LinearParts<double> parts;
  parts.product = 16;
  parts.repeated = 4;
  LinearCounts counts;
  counts.products = 3;
  EXPECT_EQ(total(counts, parts), 3 * 16.0);
  counts.density = 0.25;
  EXPECT_EQ(total(counts, parts), 3 * (4.0 + 3.0));
}

TEST(LinearParts, OneInputAndOneOutputAreCountedAtFirst) {
  const LinearCounts none;
  EXPECT_EQ(none.babies, 0);
  EXPECT_EQ(none.giants, 0);
  EXPECT_EQ(none.products, 0);
  EXPECT_EQ(none.folds, 0);
  EXPECT_EQ(none.inputs, 1);
  EXPECT_EQ(none.outputs, 1);
  EXPECT_EQ(none.rotations(), 0);
}

}  // namespace
}  // namespace tacit::params
