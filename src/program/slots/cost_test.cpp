#include "program/slots/cost.h"

#include <gtest/gtest.h>

namespace tacit::slots {
namespace {

TEST(ProgramCost, TheSmallestWeightsAreEncodedAnewAndTheLargestOfThemHasRoom) {
  ProgramCost cost;
  for (const double bytes : {40.0, 10.0, 30.0, 20.0}) {
    cost.instructions.emplace_back().weight_bytes = bytes;
    cost.memory.weights += bytes;
  }
  cost.memory.keys = 100;
  EXPECT_EQ(bytes_encoded_anew(cost, 200), 0);
  EXPECT_EQ(bytes_encoded_anew(cost, 199), 30);  // without 10 alone, 190 and room for 10 are too much
  EXPECT_EQ(bytes_encoded_anew(cost, 190), 30);
  EXPECT_EQ(bytes_encoded_anew(cost, 189), 60);
  EXPECT_EQ(bytes_encoded_anew(cost, 140), 100);  // what is least: the largest alone
}

}  // namespace
}  // namespace tacit::slots
