#include "program/slots/cost.h"

#include <gtest/gtest.h>

namespace tacit::slots {
namespace {

TEST(ProgramCost, TheSmallestWeightsAreEncodedAnewAndTheLargestOfThemHasRoom) {
  ProgramCost cost;
  for (const double bytes : {40.0, 10.0, 30.0, 20.0}) {
    InstructionCost& instruction = cost.instructions.emplace_back();
    instruction.weight_bytes = bytes;
    instruction.weight_seconds = 3 * bytes;
    cost.memory.weights += bytes;
  }
  cost.memory.keys = 100;
  EXPECT_EQ(encoded_anew(cost, 200).bytes, 0);
  EXPECT_EQ(encoded_anew(cost, 199).bytes, 30);  // without 10 alone, 190 and room for 10 are too much
  EXPECT_EQ(encoded_anew(cost, 190).bytes, 30);
  EXPECT_EQ(encoded_anew(cost, 190).seconds, 90);
  EXPECT_EQ(encoded_anew(cost, 190).instructions, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(encoded_anew(cost, 189).bytes, 60);
  EXPECT_EQ(encoded_anew(cost, 140).bytes, 100);  // what is least: the largest alone
}

}  // namespace
}  // namespace tacit::slots
