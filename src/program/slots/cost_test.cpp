#include "program/slots/cost.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "params/account.h"
#include "program/slots/key_manifest.h"

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

TEST(ProgramCost, InstructionsWithoutWeightsAreNotEncodedAnew) {
  ProgramCost cost;
  for (const double bytes : {0.0, 10.0, 0.0, 20.0}) {
    cost.instructions.emplace_back().weight_bytes = bytes;
    cost.memory.weights += bytes;
  }
  cost.memory.keys = 100;
  EXPECT_EQ(encoded_anew(cost, 130).instructions, (std::vector<std::size_t>{}));
  EXPECT_EQ(encoded_anew(cost, 129).instructions, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(encoded_anew(cost, 129).bytes, 30);
}

// Four plaintexts that multiply, two that are added.
TEST(ProgramCost, IsTheSumOverInstructionsBesideKeysAndTransforms) {
  const params::CkksLiteral set{
      .name = "test", .log_n = 10, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true};
  const auto layout = [](layout::Index ciphertexts) { return layout::Layout::row_major({ciphertexts * 512}, 512); };
  Program made{.name = "made", .slots = 512, .instructions = {}};
  const auto add = [&](Operation operation, layout::Index ciphertexts, int level) {
    made.instructions.push_back({std::move(operation), layout(ciphertexts), "node", "made.onnx: node", 1, level, 1});
  };
  add(Input{"x"}, 4, 2);
  add(MultiplyPlain{0, layout::RepeatedReals(2), 2}, 2, 1);
  add(AddPlain{1, layout::RepeatedReals(1)}, 2, 1);
  add(Rotate{2, 1}, 2, 1);
  add(Multiply{3, 3, 2}, 1, 0);
  add(Output{4, "y"}, 1, 0);
  const ProgramCost cost = price(made, set, {});
  const double row = 8 * 1024;
  ASSERT_EQ(cost.instructions.size(), 6U);
  EXPECT_EQ(cost.ciphertexts, 4 + 1);
  EXPECT_EQ(cost.instructions[1].weight_bytes, 4 * row);
  EXPECT_EQ(cost.instructions[2].weight_bytes, 2 * row);
  EXPECT_EQ(cost.memory.weights, 6 * row);
  EXPECT_EQ(cost.memory.largest_weights, 4 * row);
  EXPECT_EQ(cost.instructions[3].rotations, 2);
  EXPECT_EQ(cost.rotations, 2);
  EXPECT_EQ(cost.instructions[4].multiplications, 1);
  EXPECT_EQ(cost.multiplications, 1);
  EXPECT_EQ(cost.diagonals, 0);
  double seconds = 0, encoding = 0;
  for (const InstructionCost& one : cost.instructions) {
    seconds += one.seconds;
    encoding += one.weight_seconds;
  }
  EXPECT_GT(seconds, 0);
  EXPECT_DOUBLE_EQ(cost.seconds, seconds);
  EXPECT_DOUBLE_EQ(cost.encode_seconds, encoding);
  EXPECT_DOUBLE_EQ(cost.instructions[1].weight_seconds, 2 * cost.instructions[2].weight_seconds);
  const params::KeyManifest keys = key_manifest(made);
  EXPECT_EQ(cost.memory.keys, params::key_bytes(set, keys));
  EXPECT_EQ(cost.key_seconds, params::seconds(params::key_generation(set, keys), {}));
  EXPECT_EQ(cost.memory.transforms, 0);
  EXPECT_EQ(cost.memory.values, value_bytes(made, params::Account(set), base::thread_limit()));
}

// A byte is a weight, too.
TEST(ProgramCost, TheLeastWeightsAreEncodedAnew) {
  ProgramCost cost;
  for (const double bytes : {1.0, 0.0, 7.0}) {
    cost.instructions.emplace_back().weight_bytes = bytes;
    cost.memory.weights += bytes;
  }
  EXPECT_EQ(encoded_anew(cost, 7).instructions, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(encoded_anew(cost, 7).bytes, 8);
}

TEST(ProgramCost, NothingCostsNothing) {
  const InstructionCost one;
  EXPECT_EQ(one.diagonals, 0);
  EXPECT_EQ(one.rotations, 0);
  EXPECT_EQ(one.multiplications, 0);
  EXPECT_EQ(one.seconds, 0);
  EXPECT_EQ(one.key_switch_seconds, 0);
  EXPECT_EQ(one.weight_bytes, 0);
  EXPECT_EQ(one.weight_seconds, 0);
  const EncodedAnew anew = encoded_anew({}, 0);
  EXPECT_EQ(anew.bytes, 0);
  EXPECT_EQ(anew.seconds, 0);
  EXPECT_EQ(anew.instructions.size(), 0U);
}

}  // namespace
}  // namespace tacit::slots
