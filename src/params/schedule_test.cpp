#include "params/schedule.h"

#include <gtest/gtest.h>

#include "params/tfhe_dimensions.h"

namespace tacit::params {
namespace {

TEST(Schedule, StepsAndPolynomialsBeginWithNothing) {
  const DiagonalStep step;
  EXPECT_EQ(step.diagonal, 0);
  EXPECT_EQ(step.baby, 0);
  EXPECT_EQ(step.giant, 0);
  const PolynomialSchedule polynomial;
  EXPECT_EQ(polynomial.degree, 0);
  EXPECT_EQ(polynomial.log_baby, 0);
  EXPECT_EQ(polynomial.depth, 0);
}

TEST(Schedule, NoDigitsAreCutUnlessSaid) {
  const Decomposition cut;
  EXPECT_EQ(cut.base_log, 0);
  EXPECT_EQ(cut.levels, 0);
}

}  // namespace
}  // namespace tacit::params
