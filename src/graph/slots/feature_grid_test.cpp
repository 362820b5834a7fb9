#include "graph/slots/feature_grid.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "graph/passes/batched.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/lower.h"
#include "params/small_ring_for_test.h"
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

TEST(FeatureGrid, GuardsTheMapsOfAResidualNetworkInTheRowsOfItsFirst) {
  const Network network = maps({{1, 3, 32, 32}, {1, 16, 32, 32}, {1, 32, 16, 16}, {1, 64, 8, 8}, {1, 10}});
  const auto grid = feature_grid(network, 32768, GridKind::guarded);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->pitch, 36);  // nine columns of 8 x 8 maps, four points apart
  EXPECT_EQ(grid->cell, 16);
  EXPECT_EQ(grid->layout_of({{1, 64, 8, 8}, 4}, {}), Layout::guarded({1, 64, 8, 8}, 36, 16, 4, {}, 32768));
  EXPECT_EQ(grid->layout_of({{1, 512, 8, 8}, 4}, {})->ciphertexts(), 8);
  EXPECT_EQ(grid->layout_of({{1, 512, 8, 8}, 4}, {.maps = 1, .channels = true})->ciphertexts(), 2);
  EXPECT_FALSE(grid->layout_of({{1, 1, 64, 32}, 1}, {}).has_value());
}

TEST(FeatureGrid, TightMapsFillTheirSlots) {
  const std::vector<Shape> shapes{{8, 3, 32, 32}, {8, 16, 32, 32}, {8, 32, 16, 16}, {8, 64, 8, 8}};
  const auto grid = feature_grid(maps(shapes), 32768, GridKind::tight);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->pitch, 32);
  EXPECT_EQ(grid->cell, 16);
  EXPECT_EQ(grid->spread, 2);  // a row of a map, and one of another map of the batch
  // Two maps of 16,384 numbers to a ciphertext, four of 8,192, and eight of 4,096.
  for (const auto& [map, ciphertexts] : {std::pair(grid->maps[1], 4), {grid->maps[2], 2}, {grid->maps[3], 1}})
    EXPECT_EQ(grid->layout_of(map, {.maps = 8, .channels = true})->ciphertexts(), ciphertexts);
  // One map alone leaves rows free, and 64 channels of 32 x 32 take two ciphertexts, not the four of a guarded grid.
  const auto alone = feature_grid(maps({{1, 16, 32, 32}, {1, 64, 32, 32}}), 32768, GridKind::tight);
  EXPECT_EQ(alone->spread, 1);
  EXPECT_EQ(alone->rows_of(alone->maps[0]), 32);
  EXPECT_EQ(alone->layout_of(alone->maps[1], {})->ciphertexts(), 2);
}

TEST(FeatureGrid, RowsOfMapsLargerThanACiphertextLieInPhases) {
  // The stem of a ResNet, and the next layers.
  const auto grid = feature_grid(maps({{1, 3, 224, 224}, {1, 64, 112, 112}, {1, 64, 56, 56}, {1, 512, 7, 7}}), 32768,
                                 GridKind::guarded);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->phases, 2);
  EXPECT_EQ(grid->cell, 1);
  for (const auto& [value, ciphertexts] : {std::pair(0, 6), {1, 32}, {2, 8}, {3, 1}})
    EXPECT_EQ(grid->layout_of(grid->maps[value], {.channels = true})->ciphertexts(), ciphertexts);
  EXPECT_GE(grid->rows_of(grid->maps[0]), 225);
  EXPECT_EQ(grid->rows_of(grid->maps[0]), 2 * grid->rows_of(grid->maps[1]));
  EXPECT_FALSE(grid->channels_share_rows(grid->maps[1]));
  EXPECT_TRUE(grid->channels_share_rows(grid->maps[2]));
}

TEST(FeatureGrid, IsNotThereWithoutMapsOrRoom) {
  for (const GridKind kind : {GridKind::guarded, GridKind::tight})
    EXPECT_FALSE(feature_grid(maps({{1, 10}, {1, 5, 1, 1}}), 1024, kind).has_value());
  EXPECT_FALSE(feature_grid(maps({{1, 3, 2, 1024}}), 1024, GridKind::guarded).has_value());
  EXPECT_TRUE(feature_grid(maps({{1, 3, 2, 1023}}), 1024, GridKind::guarded).has_value());
  EXPECT_TRUE(feature_grid(maps({{1, 3, 32, 32}}), 1024, GridKind::tight).has_value());
  EXPECT_FALSE(feature_grid(maps({{1, 3, 33, 31}}), 1024, GridKind::tight).has_value());  // it holds no more
  EXPECT_FALSE(feature_grid(maps({{1, 3, 8, 8}}), 1024, GridKind::none).has_value());
}

std::vector<double> uniform(std::size_t count, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-size, size);
  std::vector<double> result(count);
  for (double& x : result) x = number(random);
  return result;
}

/// Two padded convolutions, the second with a stride, each followed by Relu, and a matrix of the means. The second Relu
/// also reads a convolution of the input with the stride, as a residual block does.
constexpr std::int64_t kSide = 8, kChannels = 40;

Graph example(bool residual) {
  std::mt19937 random(3);
  const auto numbers = [&](std::size_t count, double size) { return uniform(count, size, random); };
  const std::vector<std::int64_t> around{1, 1, 1, 1}, twice{2, 2};
  const Shape half{1, kChannels, kSide / 2, kSide / 2};
  Sketch s;
  const TensorId x = s.input({1, 2, kSide, kSide});
  const TensorId one =
      s.node("Conv", {x, s.constant({4, 2, 3, 3}, numbers(72, 0.3))}, {1, 4, kSide, kSide}, {{"pads", around}});
  const TensorId first = s.node("Relu", {one}, {1, 4, kSide, kSide});
  const TensorId two = s.node("Conv", {first, s.constant({kChannels, 4, 3, 3}, numbers(36 * kChannels, 0.3))}, half,
                              {{"pads", around}, {"strides", twice}});
  TensorId sum = two;
  if (residual) {
    const TensorId shortcut =
        s.node("Conv", {x, s.constant({kChannels, 2, 1, 1}, numbers(2 * kChannels, 0.3))}, half, {{"strides", twice}});
    const TensorId next = s.node("Conv",
                                 {s.node("Relu", {two}, half),
                                  s.constant({kChannels, kChannels, 3, 3}, numbers(9 * kChannels * kChannels, 0.05))},
                                 half, {{"pads", around}});
    sum = s.node("Add", {next, shortcut}, half);
  }
  const TensorId second = s.node("Relu", {sum}, half);
  const TensorId mean = s.node("GlobalAveragePool", {second}, {1, kChannels, 1, 1});
  const TensorId flat = s.node("Flatten", {mean}, {1, kChannels}, {{"axis", std::int64_t{1}}});
  s.output(s.node("Gemm", {flat, s.constant({kChannels, 3}, numbers(3 * kChannels, 0.5))}, {1, 3}));
  return s.graph;
}

/// Samples that differ at every pixel. The last one is 1 at its edges and 0 inside.
std::vector<std::vector<Tensor>> samples(std::size_t count) {
  std::mt19937 random(8);
  std::vector<std::vector<Tensor>> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({{{1, 2, kSide, kSide}, uniform(2 * kSide * kSide, 1, random), false}});
  std::vector<double>& edges = result.back()[0].data;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto row = e / kSide % kSide, column = e % kSide;
    edges[e] = row == 0 || row == kSide - 1 || column == 0 || column == kSide - 1 ? 1 : 0;
  }
  return result;
}

Network with_series(const Graph& graph, const std::vector<std::vector<Tensor>>& calibration) {
  Network network = isolate_function_inputs(fold(linearise(recognise(graph))));
  calibrate(network, calibration, base::Progress::silent());
  fit_functions(network, 15, 1);
  return network;
}

struct GridCase {
  GridKind kind;
  layout::Index batch;
  bool residual;
  int log_n = 11;
  layout::Index phases = 1;
};

class Grids : public ::testing::TestWithParam<GridCase> {};

Lowered lowered(const GridCase& at, const Network& network) {
  static const params::CostTable kCosts;
  static const ProgramNames kNames{"example", {"x"}, {"y"}};
  const Network whole = batched(network, at.batch);
  return Lowering(whole, kNames, kCosts)
      .lower(params::insecure_on_small_ring("S8", at.log_n), {}, 0, at.kind)
      .or_refuse();
}

// The program of every grid computes what the network does, at the edges of maps too.
TEST_P(Grids, ComputeTheNetwork) {
  const auto [kind, batch, residual, log_n, phases] = GetParam();
  const std::vector<std::vector<Tensor>> inputs = samples(20);
  const Network network = with_series(example(residual), inputs);
  const Lowered made = lowered(GetParam(), network);
  EXPECT_EQ(made.grid, kind);
  EXPECT_EQ(feature_grid(batched(network, batch), made.program.slots, kind)->phases, phases);
  std::vector<double> together;
  for (layout::Index i = 0; i < batch; ++i) {
    const std::vector<double>& one = inputs[inputs.size() - 1 - static_cast<std::size_t>(i)][0].data;
    together.insert(together.end(), one.begin(), one.end());
  }
  const std::vector<double> got = slots::ClearProgram(made.program).run({together}).at(0);
  const ValueId output = made.normalised.network.outputs[0];
  ASSERT_EQ(got.size(), static_cast<std::size_t>(3 * batch));
  for (layout::Index i = 0; i < batch; ++i) {
    const auto expected = evaluate(network, inputs[inputs.size() - 1 - static_cast<std::size_t>(i)],
                                   Functions::by_series)[network.outputs[0]];
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(got[static_cast<std::size_t>(3 * i) + c] / made.normalised.factors[output], expected[c], 2e-4)
          << i << " " << c;  // a series behind a bootstrap undoes its sine up to its own error
  }
}

TEST_P(Grids, FunctionsReadZerosBesideTheElements) {
  const std::vector<std::vector<Tensor>> inputs = samples(20);
  const Lowered made = lowered(GetParam(), with_series(example(GetParam().residual), inputs));
  const std::vector<slots::Padding> padding = slots::padding_of(made.program);
  int functions = 0;
  for (const slots::Instruction& instruction : made.program.instructions)
    if (std::holds_alternative<slots::Polynomial>(instruction.operation)) {
      ++functions;
      for (const program::ValueId read : slots::operands(instruction.operation))
        EXPECT_EQ(padding[read], slots::Padding::zero) << instruction.node;
    }
  EXPECT_EQ(functions, GetParam().residual ? 3 : 2);
}

INSTANTIATE_TEST_SUITE_P(All, Grids,
                         ::testing::Values(GridCase{GridKind::guarded, 1, false}, GridCase{GridKind::guarded, 4, true},
                                           GridCase{GridKind::tight, 1, false}, GridCase{GridKind::tight, 1, true},
                                           GridCase{GridKind::tight, 2, true}, GridCase{GridKind::tight, 4, true},
                                           GridCase{GridKind::tight, 8, false},
                                           // With these few slots, one map takes two or four ciphertexts.
                                           GridCase{GridKind::guarded, 1, false, 7, 2},
                                           GridCase{GridKind::guarded, 1, true, 6, 4}),
                         [](const ::testing::TestParamInfo<GridCase>& at) {
                           return std::string(at.param.kind == GridKind::tight ? "tight" : "guarded") + "_" +
                                  std::to_string(at.param.batch) + (at.param.residual ? "_residual" : "") +
                                  (at.param.phases > 1 ? "_sharded" : "");
                         });

TEST(FeatureGrid, WeightsRepeatWithTheChannelsBetweenGuards) {
  const Lowered made = lowered({GridKind::guarded, 1, false}, with_series(example(false), samples(20)));
  int convolutions = 0, stacked = 0;
  for (const slots::Instruction& instruction : made.program.instructions) {
    const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
    if (linear && instruction.layout.has_fill(layout::Fill::unknown)) {
      ++convolutions;
      EXPECT_LE(linear->terms[0].diagonals->density, 16.0 / 1024)
          << instruction.node;  // a row of gaps of two cells of 8
    } else if (linear && linear->terms[0].map.op->diagonal()) {
      ++stacked;  // 40 channels, of which 16 fit the columns of a gap, share its rows
      EXPECT_EQ(linear->terms[0].map.in.ciphertexts(), 3);
      EXPECT_EQ(instruction.layout.ciphertexts(), 2);
    }
  }
  EXPECT_EQ(convolutions, 2);
  EXPECT_EQ(stacked, 1);
}

// Samples of a batch share the rows between points. The input of a map with a stride has fewer rows than its result.
// The two parts of a residual sum meet after their maps.
TEST(FeatureGrid, SamplesBetweenGuardsShareRows) {
  const Lowered made = lowered({GridKind::guarded, 4, true}, with_series(example(true), samples(20)));
  int repeating = 0;
  for (const slots::Instruction& instruction : made.program.instructions)
    if (const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
        linear && instruction.layout.has_fill(layout::Fill::unknown)) {
      ++repeating;
      for (const slots::LinearTerm& term : linear->terms) {
        EXPECT_LE(term.diagonals->density, 16.0 / 1024) << instruction.node;
        EXPECT_GE(term.diagonals->parts, 2) << instruction.node;
      }
    }
  EXPECT_EQ(repeating, 4);  // three convolutions and the one beside them
}

// A map without guards and without free rows: 16 channels of 8 x 8 in 1,024 slots.
TEST(FeatureGrid, OperatorsOnTightMapsReadSlicesAndTheirWeightsRepeatWithTheRows) {
  const Lowered made = lowered({GridKind::tight, 1, true}, with_series(example(true), samples(20)));
  int slices = 0, parted = 0;
  for (const slots::Instruction& instruction : made.program.instructions) {
    const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
    if (linear == nullptr || instruction.layout.shape().size() != 4) continue;
    EXPECT_FALSE(instruction.layout.has_padding(layout::Fill::unknown) && linear->terms.size() > 2);
    const layout::Index rows = instruction.layout.shape()[2];
    if (rows == kSide - 1 || rows == kSide / 2 - 1) {
      ++slices;
      EXPECT_EQ(linear->terms[0].diagonals->products, linear->terms[0].map.in.ciphertexts());
    } else {
      parted += linear->terms.size() > 1 ? 1 : 0;
      for (const slots::LinearTerm& term : linear->terms)
        EXPECT_LE(term.diagonals->density, 0.25) << instruction.node << " " << instruction.layout.to_string();
    }
  }
  EXPECT_GE(slices, 4);
  EXPECT_GE(parted, 2);
}

}  // namespace
}  // namespace tacit::graph::passes
