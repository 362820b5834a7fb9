#include "graph/slots/describe_client.h"

#include <gtest/gtest.h>

#include <utility>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// Inputs a and b, and results c and d of them. c is stored times four. At level 0 an output holds 2^(50 - 40 - 3)
/// twice.
struct TwoOutputs {
  Graph encrypted;
  Network network;
  Lowered lowered;
  CompileOptions options;

  TwoOutputs() {
    Sketch s;
    const TensorId a = s.input({1}, "a"), b = s.input({1}, "b");
    s.output(s.node("Neg", {a}, {1}));
    s.output(s.node("Abs", {b}, {1}));
    encrypted = s.graph;
    network.add({Private{0}, {1}, "a", "", {}});
    network.add({Private{1}, {1}, "b", "", {}});
    network.add({Affine{{{0, nullptr}}}, {1}, "c", "Neg", {}});
    network.add({Affine{{{1, nullptr}}}, {1}, "d", "Abs", {}});
    network.outputs = {2, 3};
    lowered.literal = {"asked", 11, {50, 40, 40}, {50}, 40, true};
    lowered.normalised = {network, {1, 1, 4, 1}, {0, 0, 0, 0}};
    const layout::Layout layout = layout::Layout::row_major({1}, 1024);
    lowered.program.instructions = {{slots::Input{"a", {0.5}}, layout, "a", "", 0, 2, 0x1p40},
                                    {slots::Input{"b"}, layout, "b", "", 0, 1, 0x1p41},
                                    {slots::Output{0, "c"}, layout, "c", "", 0, 0, 0x1p42},
                                    {slots::Output{1, "d"}, layout, "d", "", 0, 1, 0x1p43}};
  }
  program::ClientInterface client() const { return describe_client(encrypted, network, lowered, options); }
  std::pair<double, double> input(const Range& range) {
    network.values[1].range = range;
    const program::ClientInterface told = client();
    return {told.inputs.at(1).lowest, told.inputs.at(1).highest};
  }
  std::pair<double, double> output(const Range& stored, const Range& safe) {
    lowered.normalised.network.values[2].range = stored;
    network.values[2].range = safe;
    const program::ClientInterface told = client();
    return {told.outputs.at(0).lowest, told.outputs.at(0).highest};
  }
};

using Bounds = std::pair<double, double>;

TEST(DescribeClient, InputsAndOutputsAreThoseOfTheProgram) {
  const program::ClientInterface client = TwoOutputs().client();
  ASSERT_EQ(client.inputs.size(), 2u);
  EXPECT_EQ(client.inputs[0].name, "a");
  EXPECT_EQ(client.inputs[0].level, 2);
  EXPECT_EQ(client.inputs[0].scale, 0x1p40);
  EXPECT_EQ(client.inputs[0].units, std::vector<double>{0.5});
  EXPECT_EQ(client.inputs[1].name, "b");
  EXPECT_EQ(client.inputs[1].level, 1);
  EXPECT_EQ(client.inputs[1].scale, 0x1p41);
  EXPECT_TRUE(client.inputs[1].units.empty());
  ASSERT_EQ(client.outputs.size(), 2u);
  EXPECT_EQ(client.outputs[0].name, "Neg0");
  EXPECT_EQ(client.outputs[0].program_output, 0u);
  EXPECT_EQ(client.outputs[0].unit, 0.25) << "it is stored times four";
  EXPECT_EQ(client.outputs[0].level, 0);
  EXPECT_EQ(client.outputs[0].scale, 0x1p42);
  EXPECT_EQ(client.outputs[1].name, "Abs1");
  EXPECT_EQ(client.outputs[1].program_output, 1u);
  EXPECT_EQ(client.outputs[1].unit, 1);
  EXPECT_EQ(client.outputs[1].level, 1);
  EXPECT_EQ(client.outputs[1].scale, 0x1p43);
  EXPECT_EQ(client.batch, 1);
}

TEST(DescribeClient, InputsMayLeaveTheCalibratedRangeByItsWidth) {
  TwoOutputs two;
  EXPECT_EQ(two.input({1, 5}), (Bounds{-3, 9}));
  EXPECT_EQ(two.input({-4, -1}), (Bounds{-7, 2}));
  // A constant is widened by a tenth of itself, and by at least a thousandth.
  EXPECT_DOUBLE_EQ(two.input({3, 3}).first, 2.7);
  EXPECT_DOUBLE_EQ(two.input({3, 3}).second, 3.3);
  EXPECT_EQ(two.input({0, 0}), (Bounds{-1e-3, 1e-3}));
  EXPECT_EQ(two.input({}), (Bounds{0, 0})) << "any finite value";
  // Each input has its own range.
  two.network.values[0].range = {0, 1};
  EXPECT_EQ(two.input({1, 5}), (Bounds{-3, 9}));
  EXPECT_EQ(two.client().inputs[0].lowest, -1);
  EXPECT_EQ(two.client().inputs[0].highest, 2);
  two.options.input_range = {{0, 255}};
  EXPECT_EQ(two.input({1, 5}), (Bounds{0, 255})) << "what is public goes first";
}

TEST(DescribeClient, OutputsMayLeaveTheRangeTheyAreStoredInByItsWidthOrItsBound) {
  TwoOutputs two;
  EXPECT_EQ(two.output({-1, 3}, {}), (Bounds{-5, 7}));
  EXPECT_EQ(two.output({2, 3}, {}), (Bounds{-1, 6}));
  EXPECT_EQ(two.output({-3, -2}, {-100, 100}), (Bounds{-6, 1}));
  EXPECT_EQ(two.output({-0.25, 0.5}, {-100, 100}), (Bounds{-1, 1.25}));
}

TEST(DescribeClient, OutputsWithoutACalibratedRangeStayInWhatTheParametersHold) {
  TwoOutputs two;
  for (const Range& stored : {Range{}, Range{0, 0}}) {
    EXPECT_EQ(two.output(stored, {}), (Bounds{-256, 256}));
    EXPECT_EQ(two.output(stored, {-10, 20}), (Bounds{-10, 20}));
    EXPECT_EQ(two.output(stored, {-255, 0}), (Bounds{-255, 0}));
    EXPECT_EQ(two.output(stored, {-256, 0}), (Bounds{-256, 256}));
    EXPECT_EQ(two.output(stored, {0, 1000}), (Bounds{-256, 256}));
  }
  EXPECT_EQ(two.client().outputs[1].highest, 0x1p48) << "of level 1";
}

}  // namespace
}  // namespace tacit::graph::passes
