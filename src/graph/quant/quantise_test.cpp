#include "graph/quant/quantise.h"

#include <gtest/gtest.h>

namespace tacit::graph::quant {
namespace {

/// Two outputs of two inputs, whose integers are of steps of 2^50 of the torus.
Quantised two_outputs() {
  Quantised made;
  made.program.bits = 4;
  for (const std::string name : {"x", "y"})
    made.program.instructions.push_back({integers::Input{name}, {1, 1}, 50, -100, 84, true, name, name});
  for (const integers::ValueId input : {0u, 1u}) {
    made.program.instructions.push_back({integers::Output{input, "out"}, {1, 1}, 50, -100, 84, true, "out", "out"});
    made.client.outputs.push_back(
        {"out", {1, 1}, 50, {layout::RepeatedReals(0.25), layout::RepeatedReals(7), -100, 84}});
  }
  return made;
}

TEST(RoundOutput, KeepsTheBitsFromAStepOnOfThatOutputAlone) {
  Quantised made = two_outputs();
  round_output(made, 1, 53);
  const auto expect = [&](std::size_t index, int step, double scale, std::int64_t lowest, std::int64_t highest) {
    const integers::Instruction& output = made.program.instructions.at(2 + index);
    const integers::ClientOutput& client = made.client.outputs.at(index);
    EXPECT_EQ(output.step, step) << index;
    EXPECT_EQ(output.lowest, lowest) << index;
    EXPECT_EQ(output.highest, highest) << index;
    EXPECT_EQ(client.step, step) << index;
    EXPECT_EQ(client.quantiser.scale[0], scale) << index;
    EXPECT_EQ(client.quantiser.offset[0], 7) << index;
    EXPECT_EQ(client.quantiser.lowest, lowest) << index;
    EXPECT_EQ(client.quantiser.highest, highest) << index;
  };
  expect(0, 50, 0.25, -100, 84);
  expect(1, 53, 2, -13, 11);  // eights: 12.5, and 10.5
  // Rounding starts again from the operand's integers, whatever was kept before.
  round_output(made, 1, 52);
  round_output(made, 0, 51);
  expect(0, 51, 0.5, -50, 42);
  expect(1, 52, 1, -25, 21);
  for (const std::size_t input : {0, 1}) EXPECT_EQ(made.program.instructions[input].step, 50);
}

}  // namespace
}  // namespace tacit::graph::quant
