#include "graph/slots/guard_grid.h"

#include <gtest/gtest.h>

#include <random>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "program/slots/padding.h"

namespace tacit::graph::passes {
namespace {

using layout::Layout;

Network maps(const std::vector<Shape>& shapes) {
  Network network;
  for (const Shape& shape : shapes)
    network.add({.operation = Private{}, .shape = shape, .node = "x", .op = "input", .range = {}});
  return network;
}

TEST(GuardGrid, HoldsTheMapsOfAResidualNetworkInTheRowsOfItsFirst) {
  const Network network = maps({{1, 3, 32, 32}, {1, 16, 32, 32}, {1, 32, 16, 16}, {1, 64, 8, 8}, {1, 10}});
  const auto grid = guard_grid(network, 32768);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->pitch, 36);  // nine columns of 8 x 8 maps, four points apart
  EXPECT_EQ(grid->cell, 16);
  const auto at = [&](const Shape& shape) { return grid->layout_of(shape, {}, 32768); };
  EXPECT_EQ(at({1, 64, 8, 8}), Layout::guarded({1, 64, 8, 8}, 36, 16, 4, {}, 32768));
  EXPECT_EQ(at({1, 512, 8, 8})->ciphertexts(), 8);
  EXPECT_EQ(grid->layout_of({1, 512, 8, 8}, {.maps = 1, .channels = true}, 32768)->ciphertexts(), 2);
  EXPECT_FALSE(grid->layout_of({1, 1, 64, 32}, {}, 32768).has_value());
}

TEST(GuardGrid, IsNotThereWithoutMapsOrRoom) {
  EXPECT_FALSE(guard_grid(maps({{1, 10}, {1, 5, 1, 1}}), 1024).has_value());
  EXPECT_FALSE(guard_grid(maps({{1, 3, 32, 32}}), 1024).has_value());
  EXPECT_TRUE(guard_grid(maps({{1, 3, 31, 31}}), 1024).has_value());
}

/// Two padded convolutions, the second with a stride, each followed by Relu, and a matrix of the means. The second Relu
/// also reads a convolution of the input with the stride, as a residual block does.
struct Example {
  Graph graph;
  CompiledModel model;
  std::vector<double> sample;
};
Example example(layout::Index batch = 1, bool residual = false) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto numbers = [&](std::size_t count, double size) {
    std::vector<double> result(count);
    for (double& x : result) x = size * number(random);
    return result;
  };
  const std::vector<std::int64_t> around{1, 1, 1, 1}, twice{2, 2};
  Sketch s;
  const TensorId x = s.input({1, 2, 8, 8});
  const TensorId one =
      s.node("Conv", {x, s.constant({4, 2, 3, 3}, numbers(72, 0.3))}, {1, 4, 8, 8}, {{"pads", around}});
  const TensorId first = s.node("Relu", {one}, {1, 4, 8, 8});
  const TensorId two = s.node("Conv", {first, s.constant({40, 4, 3, 3}, numbers(1440, 0.3))}, {1, 40, 4, 4},
                              {{"pads", around}, {"strides", twice}});
  TensorId sum = two;
  if (residual) {
    const TensorId shortcut =
        s.node("Conv", {x, s.constant({40, 2, 1, 1}, numbers(80, 0.3))}, {1, 40, 4, 4}, {{"strides", twice}});
    const TensorId next = s.node(
        "Conv", {s.node("Relu", {two}, {1, 40, 4, 4}), s.constant({40, 40, 1, 1}, numbers(1600, 0.1))}, {1, 40, 4, 4});
    sum = s.node("Add", {next, shortcut}, {1, 40, 4, 4});
  }
  const TensorId second = s.node("Relu", {sum}, {1, 40, 4, 4});
  const TensorId mean = s.node("GlobalAveragePool", {second}, {1, 40, 1, 1});
  const TensorId flat = s.node("Flatten", {mean}, {1, 40}, {{"axis", std::int64_t{1}}});
  s.output(s.node("Gemm", {flat, s.constant({40, 3}, numbers(120, 0.5))}, {1, 3}));
  CompileOptions options;
  for (int i = 0; i < 50; ++i) options.calibration.push_back({Tensor{{1, 2, 8, 8}, numbers(128, 1), false}});
  options.max_degree = 31;
  options.batch = batch;
  options.parameters = params::named_literal("S8");
  options.parameters->name = "small";
  options.parameters->log_n = 11;
  options.parameters->insecure = true;
  return {s.graph, compile(s.graph, options), numbers(128, 1)};
}

TEST(GuardGrid, WeightsRepeatWithTheChannelsAndFunctionsReadCleanMaps) {
  const Example made = example();
  const slots::Program& program = made.model.program;
  const std::vector<slots::Padding> padding = slots::padding_of(program);
  int convolutions = 0, cleaned = 0, stacked = 0;
  for (const slots::Instruction& instruction : program.instructions) {
    if (const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
        linear && instruction.layout.has_fill(layout::Fill::unknown)) {
      ++convolutions;
      EXPECT_LE(linear->terms[0].diagonals->density, 16.0 / 1024)
          << instruction.node;  // a row of gaps of two cells of 8
    } else if (linear && linear->terms[0].map.op->diagonal()) {
      ++stacked;  // 40 channels, of which 16 fit the columns of a gap, share its rows
      EXPECT_EQ(linear->terms[0].map.in.ciphertexts(), 3);
      EXPECT_EQ(instruction.layout.ciphertexts(), 2);
    }
    if (std::holds_alternative<slots::Polynomial>(instruction.operation))
      for (const program::ValueId read : slots::operands(instruction.operation)) {
        ++cleaned;
        EXPECT_EQ(padding[read], slots::Padding::zero) << instruction.node;
      }
  }
  EXPECT_EQ(convolutions, 2);
  EXPECT_EQ(cleaned, 2);
  EXPECT_EQ(stacked, 1);

  const std::vector<double> expected =
      reference::run(made.graph, std::vector<Tensor>{{{1, 2, 8, 8}, made.sample, false}}).at(0).data;
  const program::ClientOutput& output = made.model.client.outputs.at(0);
  const std::vector<double> got = from_units(output, slots::ClearProgram(program).run({made.sample}).at(0));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t c = 0; c < got.size(); ++c) EXPECT_NEAR(got[c], expected[c], 0.05) << c;
}

// Samples of a batch share the rows between points. What a map with a stride reads lies in fewer rows than what it
// makes, and the two parts of a residual sum meet behind their maps.
TEST(GuardGrid, SamplesOfABatchShareRowsAndKeepTheirAnswers) {
  constexpr layout::Index kBatch = 4;
  const Example made = example(kBatch, true);
  const slots::Program& program = made.model.program;
  EXPECT_EQ(made.model.client.batch, kBatch);
  int repeating = 0;
  for (const slots::Instruction& instruction : program.instructions)
    if (const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
        linear && instruction.layout.has_fill(layout::Fill::unknown)) {
      ++repeating;
      for (const slots::LinearTerm& term : linear->terms) {
        EXPECT_LE(term.diagonals->density, 16.0 / 1024) << instruction.node;
        EXPECT_GE(term.diagonals->parts, 2) << instruction.node;
      }
    }
  EXPECT_EQ(repeating, 4);  // three convolutions and the one beside them

  std::mt19937 random(8);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<std::vector<std::vector<double>>> samples(kBatch - 1);  // the last place stays free
  for (auto& sample : samples) {
    sample.emplace_back(128);
    for (double& x : sample[0]) x = number(random);
  }
  const auto results = from_units(made.model.client,
                                  slots::ClearProgram(program).run(program::side_by_side(made.model.client, samples)));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<double> got = program::of_sample(made.model.client, results, i).at(0);
    const std::vector<double> expected =
        reference::run(made.graph, std::vector<Tensor>{{{1, 2, 8, 8}, samples[i][0], false}}).at(0).data;
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t c = 0; c < got.size(); ++c) EXPECT_NEAR(got[c], expected[c], 0.05) << i << " " << c;
  }
}

}  // namespace
}  // namespace tacit::graph::passes
