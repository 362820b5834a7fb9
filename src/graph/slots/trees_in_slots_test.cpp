#include "graph/slots/trees_in_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/quant/compiled_for_test.h"
#include "graph/quant/random_trees_for_test.h"
#include "graph/reference/run.h"
#include "graph/thermometer.h"
#include "program/slots/clear_program.h"
#include "program/slots/program.h"

// Ensembles of trees on slots, against the reference run.
namespace tacit::graph::passes {
namespace {

using quant::Draw;
using quant::Drawing;
using quant::kFeatures;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Returns the decrypted tensors of one row, by the clear reading.
std::vector<double> scores(const CompiledModel& model, const std::vector<Tensor>& row) {
  const std::vector<Tensor> bits = run_before(model.parts, row);
  return program::from_units(model.client, slots::ClearProgram(model.program).run(numbers_of(bits))).at(0);
}

struct Case {
  Drawing drawing;
  unsigned seed;
  int bits;
};

// Drawn thresholds are at most 20 for each feature: 5 bits separate all of them, and 3 bits do not.
void expect_equal_to_reference(const Case& drawn, bool exact) {
  Draw draw(drawn.drawing, drawn.seed);
  const Graph graph = quant::regressor(draw.attributes(), kFeatures, drawn.drawing.targets);
  CompileOptions options;
  options.feature_bits = drawn.bits;
  options.calibration = draw.rows(100);
  const CompiledModel model = compile(graph, options);
  const slots::ClearProgram program(model.program);
  std::vector<Range> ranges(static_cast<std::size_t>(drawn.drawing.targets));
  std::vector<std::vector<double>> errors;
  for (const std::vector<Tensor>& row : draw.rows(40)) {
    const std::vector<Tensor> bits = run_before(model.parts, row);
    const std::vector<double> expected = reference::run(model.encrypted, bits).at(0).data;
    const std::vector<double> got = program::from_units(model.client, program.run(numbers_of(bits))).at(0);
    if (exact) {
      EXPECT_EQ(reference::run(graph, row).at(0).data, expected) << "seed " << drawn.seed;
    }
    for (std::size_t t = 0; t < expected.size(); ++t) {
      ranges[t].include(expected[t]);
      ASSERT_NEAR(got[t], expected[t], 1e-9 * (1 + std::abs(expected[t]))) << "seed " << drawn.seed;
    }
  }
}

TEST(TreesInSlots, RandomForestsGiveTheScoresOfTheReferenceRun) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const Drawing drawing{.trees = 1 + static_cast<int>(seed) * 3,
                          .depth = 1 + static_cast<int>(seed),
                          .targets = 1 + seed % 3,
                          .missing = seed % 2 == 1,
                          .any_mode = seed % 4 > 1};
    expect_equal_to_reference({drawing, seed, 6}, true);
    expect_equal_to_reference({drawing, seed + 100, 2}, false);
  }
}

// Grids of 128 and 256 boxes have two digits, with the box of missing values among them.
TEST(TreesInSlots, GridsOfTwoDigitsGiveTheScoresOfTheReferenceRun) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Drawing drawing{.trees = 1 + static_cast<int>(seed) * 3,
                          .depth = 1 + static_cast<int>(seed),
                          .targets = 1 + seed % 3,
                          .missing = seed % 2 == 1,
                          .any_mode = seed % 4 > 1};
    expect_equal_to_reference({drawing, seed, 7}, true);
    expect_equal_to_reference({drawing, seed + 100, 8}, true);
  }
}

TEST(TreesInSlots, TwoDigitsTakeFewBitsAndTwoLevels) {
  Draw draw({.trees = 20, .depth = 7}, 11);
  const Graph graph = quant::regressor(draw.attributes(), kFeatures, 1);
  CompileOptions options;
  options.calibration = draw.rows(50);
  options.feature_bits = 8;
  const CompiledModel model = compile(graph, options);
  EXPECT_EQ(model.client.inputs.at(0).layout.shape(), (Shape{1, kFeatures * 30}));
  EXPECT_EQ(slots::total_depth(model.program), 5);
}

TEST(TreesInSlots, StumpsNeedNoProduct) {
  Draw draw({.trees = 20, .depth = 1}, 5);
  const Graph graph = quant::regressor(draw.attributes(), kFeatures, 1);
  CompileOptions options;
  options.calibration = draw.rows(50);
  const CompiledModel model = compile(graph, options);
  EXPECT_EQ(program::count_of<slots::Multiply>(model.program.instructions), 0);
  EXPECT_EQ(slots::total_depth(model.program), 1);
}

// Five features on the longest way would take three levels of products.
TEST(TreesInSlots, LevelsFollowFromTheFeaturesOfTheLongestWay) {
  for (const std::int64_t targets : {1, 2}) {
    Draw draw({.trees = 20, .depth = 7, .targets = targets}, 11);
    const Graph graph = quant::regressor(draw.attributes(), kFeatures, targets);
    CompileOptions options;
    options.calibration = draw.rows(50);
    EXPECT_EQ(slots::total_depth(compile(graph, options).program), targets == 1 ? 3 : 4);
  }
}

TEST(TreesInSlots, TheClientLearnsTheGridAlone) {
  Draw draw({.trees = 5, .depth = 3}, 6);
  const Graph graph = quant::regressor(draw.attributes(), kFeatures, 1);
  CompileOptions options;
  options.calibration = draw.rows(50);
  const CompiledModel model = compile(graph, options);
  ASSERT_EQ(model.parts.nodes.size(), 1U);
  EXPECT_EQ(model.parts.nodes[0].op, kThermometerOp);
  EXPECT_EQ(model.parts.nodes[0].learned, kFeatures * 15);
  EXPECT_EQ(model.client.inputs.at(0).layout.shape(), (Shape{1, kFeatures * 15}));
}

TEST(TreesInSlots, NoSamplesAreNeeded) {
  Draw draw({.trees = 5, .depth = 3}, 7);
  const Graph graph = quant::regressor(draw.attributes(), kFeatures, 1);
  const CompiledModel model = compile(graph, {});
  for (const std::vector<Tensor>& row : draw.rows(20)) {
    const double expected = reference::run(graph, row).at(0).data[0];
    EXPECT_NEAR(scores(model, row).at(0), expected, 1e-9 * (1 + std::abs(expected)));
  }
}

TEST(TreesInSlots, ScalersAreInTheGrid) {
  Draw draw({.trees = 5, .depth = 3}, 8);
  Sketch s;
  const TensorId x = s.input({1, kFeatures});
  const TensorId scaled =
      s.node("ai.onnx.ml.Scaler", {x}, {1, kFeatures},
             {{"offset", std::vector<double>{0.5, 0, -1, 0.25}}, {"scale", std::vector<double>{2, 1, -0.5, 4}}});
  s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {scaled}, {1, 1}, draw.attributes()));
  CompileOptions options;
  options.calibration = draw.rows(50);
  const CompiledModel model = compile(s.graph, options);
  ASSERT_EQ(model.parts.nodes.size(), 1U);  // the scaler is not the client's
  for (const std::vector<Tensor>& row : draw.rows(20)) {
    const double expected = reference::run(s.graph, row).at(0).data[0];
    EXPECT_NEAR(scores(model, row).at(0), expected, 1e-9 * (1 + std::abs(expected)));
  }
}

TEST(TreesInSlots, RefusesTreesOfComputedFeatures) {
  Draw draw({.trees = 2, .depth = 2}, 9);
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId mixed = s.node("MatMul", {x, s.constant({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}, {1, kFeatures});
  s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {mixed}, {1, 1}, draw.attributes()));
  EXPECT_THAT([&] { compile(s.graph, {}); },
              ThrowsMessage<base::InputError>(HasSubstr("its trees compare features that the server computes")));
}

TEST(TreesInSlots, RefusesTreesWithoutAComparison) {
  std::map<std::string, Attribute> attributes = quant::two_trees();
  for (auto& [name, value] : attributes) {
    if (name.starts_with("nodes_"))
      std::visit(
          [](auto& list) {
            if constexpr (requires {
                            list.resize(1);
                            list[0];
                          })
              list.resize(1);
          },
          value);
    if (name.starts_with("target_"))
      std::visit(
          [](auto& list) {
            if constexpr (requires {
                            list.resize(1);
                            list[0];
                          })
              list.resize(1);
          },
          value);
  }
  attributes["nodes_modes"] = std::vector<std::string>{"LEAF"};
  attributes["target_nodeids"] = std::vector<std::int64_t>{0};
  EXPECT_THAT([&] { compile(quant::regressor(attributes, 3, 1), {}); },
              ThrowsMessage<base::InputError>(HasSubstr("all its trees are single leaves")));
}

// Returns the program of a batch after a comparison of its scores with those of the reference run.
slots::Program expect_batch_equal_to_reference(const Drawing& drawing, std::int64_t batch, int bits = 5) {
  Draw draw(drawing, 10);
  const Graph graph = quant::regressor(draw.attributes(), kFeatures, drawing.targets);
  CompileOptions options;
  options.calibration = draw.rows(50);
  options.feature_bits = bits;
  options.batch = batch;
  const CompiledModel model = compile(graph, options);
  std::vector<std::vector<std::vector<double>>> samples;
  std::vector<std::vector<double>> expected;
  for (const std::vector<Tensor>& row : draw.rows(static_cast<int>(batch))) {
    samples.push_back(numbers_of(run_before(model.parts, row)));
    expected.push_back(reference::run(graph, row).at(0).data);
  }
  const auto results = program::from_units(
      model.client, slots::ClearProgram(model.program).run(program::side_by_side(model.client, samples)));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<double> got = program::of_sample(model.client, results, i).at(0);
    for (std::size_t t = 0; t < expected[i].size(); ++t)
      EXPECT_NEAR(got[t], expected[i][t], 1e-9 * (1 + std::abs(expected[i][t]))) << i;
  }
  return model.program;
}

TEST(TreesInSlots, BatchesGiveTheSameScores) {
  for (const std::int64_t targets : {1, 2})
    for (const int bits : {5, 8})
      expect_batch_equal_to_reference({.trees = 6, .depth = 3, .targets = targets}, 8, bits);
}

// The places of 300 samples are outermost, and the last ones are free. A diagonal's weights repeat with the samples.
TEST(TreesInSlots, LargeBatchesGiveTheSameScoresWithFewWeights) {
  for (const std::int64_t targets : {1, 2}) {
    const slots::Program program =
        expect_batch_equal_to_reference({.trees = 6, .depth = 3, .targets = targets, .missing = true}, 300);
    const layout::Layout& bits = program.value(0).layout;
    EXPECT_EQ(bits.within().front(), (layout::Digit{0, 512, 1, ""})) << bits.to_string();
    for (const slots::Instruction& instruction : program.instructions)
      if (const auto* linear = std::get_if<slots::Linear>(&instruction.operation)) {
        for (const slots::LinearTerm& term : linear->terms) EXPECT_LE(term.diagonals->density, 1.0 / 512);
      }
  }
}

}  // namespace
}  // namespace tacit::graph::passes
