#include "graph/slots/lower.h"

#include <gtest/gtest.h>

#include <utility>

namespace tacit::graph::passes {
namespace {

// A bit of the modulus of a level is for the sign, and two bits are to spare.
TEST(LargestOutput, IsWhatTheModulusOfItsLevelLeavesAboveTheScale) {
  const params::CkksLiteral literal{"asked", 13, {50, 34, 35, 36}, {50}, 34, false};
  EXPECT_EQ(largest_output(literal), 0x1p13);
  EXPECT_EQ(largest_output(literal, 1), 0x1p47);
  EXPECT_EQ(largest_output(literal, 3), 0x1p118);
}

// An output that wraps around is detected by slots that should be zero.
TEST(HidesOverflow, WhereNoSlotOfAnOutputIsKnownToBeZero) {
  const auto hides = [](slots::Operation operation, const layout::Layout& layout) {
    slots::Program program{.name = "p", .slots = layout.slots(), .instructions = {}};
    program.instructions.push_back({std::move(operation), layout, "y", "y", 0, 0, 0});
    return hides_overflow(program);
  };
  const slots::Output output{0, "y"};
  const auto dense = [](layout::Index elements, layout::Index slots) {
    return layout::Layout::row_major({elements}, slots);
  };
  EXPECT_TRUE(hides(output, dense(4, 4)));
  EXPECT_TRUE(hides(output, dense(4, 8))) << "a copy fills the slots that are left";
  EXPECT_TRUE(hides(output, dense(8, 4))) << "two ciphertexts";
  EXPECT_FALSE(hides(output, dense(3, 4)));
  EXPECT_FALSE(hides(output, dense(3, 8)));
  EXPECT_FALSE(hides(output, dense(7, 4)));
  EXPECT_TRUE(hides(output, dense(3, 4).filled(layout::Fill::unknown)));
  EXPECT_FALSE(hides(slots::Input{"x"}, dense(4, 4))) << "what is encrypted is no output";
  EXPECT_FALSE(hides(slots::Input{"x"}, dense(3, 4).filled(layout::Fill::unknown)));
}

}  // namespace
}  // namespace tacit::graph::passes
