#include "graph/slots/lower.h"

#include <gtest/gtest.h>

namespace tacit::graph::passes {
namespace {

// Of the modulus of a level, a bit carries the sign and two are to spare.
TEST(LargestOutput, IsWhatTheModulusOfItsLevelLeavesAboveTheScale) {
  const params::CkksLiteral literal{"asked", 13, {50, 34, 35, 36}, {50}, 34, false};
  EXPECT_EQ(largest_output(literal), 0x1p13);
  EXPECT_EQ(largest_output(literal, 1), 0x1p47);
  EXPECT_EQ(largest_output(literal, 3), 0x1p118);
}

}  // namespace
}  // namespace tacit::graph::passes
