#include "graph/slots/tabulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/slots/number_grid.h"
#include "graph/slots/quantised_perceptron_for_test.h"
#include "layout/sparse_rows.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"

// Quantised networks on slots, against the reference run.
namespace tacit::graph::passes {
namespace {

using ::testing::HasSubstr;

params::CkksLiteral small_ring() { return params::insecure_on_small_ring("S11", 10); }

CompileOptions options_for(const QuantisedPerceptron& model, const params::CkksLiteral& literal = small_ring()) {
  CompileOptions options;
  options.parameters = literal;
  options.calibration = rows_for(model, 50);
  return options;
}

/// Compares all results of some rows. The noise of the model is added, so that nothing is left to chance but the noise
/// itself.
void expect_exact(const QuantisedPerceptron& sketch, const params::CkksLiteral& literal, int rows) {
  const Graph graph = onnx::import_text(sketch.text());
  ASSERT_TRUE(is_quantised(graph));
  const CompiledModel model = compile(graph, options_for(sketch, literal));
  EXPECT_EQ(program::count_of<slots::Lookup>(model.program.instructions), 1);
  EXPECT_EQ(program::count_of<slots::Polynomial>(model.program.instructions), 0);
  const slots::ClearProgram program(model.program);
  const slots::NoiseModel noise = slots::modelled_noise(model.program, params::CkksParameters::check(model.parameters));
  unsigned seed = 0;
  for (const std::vector<Tensor>& row : rows_for(sketch, rows)) {
    const std::vector<Tensor> encrypted = run_before(model.parts, row);
    const auto decrypted = program::from_units(
        model.client, program.run(numbers_of(encrypted), {}, slots::ClearProgram::Noise{noise, ++seed}));
    const Tensor got = run_after(model.parts, decrypted).at(0);
    const Tensor expected = reference::run(graph, row).at(0);
    for (std::size_t i = 0; i < expected.data.size(); ++i) EXPECT_NEAR(got.data[i], expected.data[i], 1e-6);
  }
}

TEST(Tabulate, APerceptronGivesTheNumbersOfTheReferenceRun) {
  expect_exact({}, small_ring(), 60);
  expect_exact({.inputs = 16, .hidden = 9, .input_scale = 0.5, .highest = 3}, small_ring(), 60);
}

TEST(Tabulate, SetsOfFewerBitsAreExactAtFullSize) {
  expect_exact({.hidden = 24, .outputs = 10, .output_weight = 127}, params::named_literal("N15-S5"), 64);
}

// Lookups read the right entries. The sums of their results carry noise of a large share of a step.
TEST(Tabulate, ResultsThatNoiseWouldRoundToAnotherNumberAreRefused) {
  const QuantisedPerceptron sketch{.hidden = 60, .outputs = 2, .output_weight = 127};
  EXPECT_THAT(base::refusal([&] {
                compile(onnx::import_text(sketch.text()), options_for(sketch, params::named_literal("N15-S5")));
              }),
              HasSubstr("a result of node 'y' is rounded to a wrong number with probability 2^-"));
}

std::string refusal_of(const QuantisedPerceptron& sketch) {
  return base::refusal([&] { compile(onnx::import_text(sketch.text()), options_for(sketch)); });
}

TEST(Tabulate, SumsBeyondATableAreRefused) {
  EXPECT_THAT(refusal_of({.inputs = 64, .highest = 15}), HasSubstr("and tables in slots have at most 256 entries"));
}

TEST(Tabulate, BiasesOffTheGridAreRefused) {
  EXPECT_THAT(refusal_of({.bias_off = 0.1}), HasSubstr("its weights and its bias are not multiples of one step"));
}

TEST(Tabulate, TablesThatTakeMoreLevelsThanASetHasAreRefused) {
  const QuantisedPerceptron sketch{.inputs = 60, .highest = 3};
  CompileOptions options = options_for(sketch, params::insecure_on_small_ring("N15-S5", 10));
  EXPECT_THAT(base::refusal([&] { compile(onnx::import_text(sketch.text()), options); }),
              HasSubstr("use a set with more levels, or fewer bits, which make smaller tables"));
}

TEST(Tabulate, LeveledSetsAreRefused) {
  const QuantisedPerceptron sketch;
  CompileOptions options = options_for(sketch);
  options.parameters = params::named_literal("N14-d7");
  EXPECT_THAT(base::refusal([&] { compile(onnx::import_text(sketch.text()), options); }),
              HasSubstr("lookups in slots bootstrap, and parameter set 'N14-d7' is leveled"));
}

TEST(NumberGrid, StepsAreTheLargestOfWhichAllNumbersAreMultiples) {
  EXPECT_FALSE(common_step({}));
  EXPECT_FALSE(common_step({0, 0}));
  EXPECT_DOUBLE_EQ(common_step({3, -5, 0}).value(), 1);
  EXPECT_DOUBLE_EQ(common_step({0.75, -1.25, 2}).value(), 0.25);
  EXPECT_NEAR(common_step({6 * 0.1F, 10 * 0.1F, 15 * 0.1F}).value(), 0.1, 1e-7);
  EXPECT_FALSE(common_step({1, std::sqrt(2.0)}));
  const NumberGrid grid = grid_of(std::vector<double>{-0.5, 0, 1.25}).value();
  EXPECT_DOUBLE_EQ(grid.step, 0.25);
  EXPECT_EQ(grid.lowest, -2);
  EXPECT_EQ(grid.highest, 5);
  EXPECT_EQ(grid.count(), 8);
}

// A sum of many terms, each a little off the grid, is off by more than each of them.
TEST(NumberGrid, SumsAddUpWhatTheirTermsAreOff) {
  const layout::Index terms = 64;
  auto op = std::make_shared<layout::SparseRows>(layout::Shape{terms}, layout::Shape{1},
                                                 [&](layout::Index, layout::RowEntries& entries) {
                                                   for (layout::Index i = 0; i < terms; ++i)
                                                     entries.add(i, i % 2 == 0 ? 1 + 1.2e-5 : 1 - 1.2e-5);
                                                 });
  const Affine affine{{{0, op}}, layout::RepeatedReals(0)};
  const NumberGrid grid = grid_of(affine, 1, {NumberGrid{1, 0, 255}}).value();
  EXPECT_EQ(grid.highest, 64 * 255);
  EXPECT_NEAR(grid.off, 64 * 255 * 1.2e-5, 1e-3);
}

}  // namespace
}  // namespace tacit::graph::passes
