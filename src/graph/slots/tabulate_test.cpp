#include "graph/slots/tabulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/slots/number_grid.h"
#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"

// Quantised networks on slots, against the reference run.
namespace tacit::graph::passes {
namespace {

using ::testing::HasSubstr;

/// A perceptron with weights of -1, 0 and 1, whose inputs and hidden values are quantised.
struct QuantisedPerceptron {
  int inputs = 12, hidden = 7, outputs = 3;
  double input_scale = 1, hidden_scale = 0.5, weight_scale = 0.25, highest = 1;
  double bias_off = 0;  ///< added to the first bias

  std::string text() const {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> weight(-1, 1);
    const auto some = [&](int count) {
      std::vector<int> result(static_cast<std::size_t>(count));
      for (int& w : result) w = weight(random);
      return fmt::format("{}", fmt::join(result, ", "));
    };
    const std::string first = some(inputs * hidden), second = some(hidden * outputs);
    std::vector<double> bias(static_cast<std::size_t>(hidden));
    for (double& b : bias) b = weight_scale * input_scale * weight(random);
    bias[0] += bias_off;
    const std::string constants = fmt::format(
        "float s = {{{}}}, uint8 z = {{0}}, float sw = {{{}}}, int8 zw = {{0}}, float t = {{{}}}, float lo = {{0}}, "
        "float hi = {{{}}}, int8[{},{}] v = {{{}}}, float[1,{}] b = {{{}}}, int8[{},{}] w = {{{}}}",
        input_scale, weight_scale, hidden_scale, highest, inputs, hidden, first, hidden, fmt::join(bias, ", "), hidden,
        outputs, second);
    return fmt::format("m (float[1,{}] x) => (float[1,{}] y) <{}> ", inputs, outputs, constants) +
           "{ c = Clip(x, lo, hi) q = QuantizeLinear(c, s, z) d = DequantizeLinear(q, s, z) "
           "vd = DequantizeLinear(v, sw, zw) h = MatMul(d, vd) g = Add(h, b) r = Relu(g) p = QuantizeLinear(r, t, z) "
           "e = DequantizeLinear(p, t, z) wd = DequantizeLinear(w, sw, zw) y = MatMul(e, wd) }";
  }
};

std::vector<std::vector<Tensor>> rows(int count, int inputs, double highest) {
  std::mt19937 random(9);
  std::uniform_real_distribution<float> number(-0.5F, static_cast<float>(highest) + 0.5F);
  std::vector<std::vector<Tensor>> result;
  for (int r = 0; r < count; ++r) {
    Tensor row{{1, inputs}, {}, false};
    for (int i = 0; i < inputs; ++i) row.data.push_back(number(random));
    result.push_back({row});
  }
  return result;
}

CompileOptions on_small_ring(const QuantisedPerceptron& model) {
  CompileOptions options;
  options.parameters = params::insecure_on_small_ring("S11", 10);
  options.calibration = rows(50, model.inputs, model.highest);
  return options;
}

// The noise of the model is added, so that nothing is left to chance but the noise itself.
TEST(Tabulate, APerceptronGivesTheNumbersOfTheReferenceRun) {
  for (const QuantisedPerceptron& sketch :
       {QuantisedPerceptron{}, QuantisedPerceptron{.inputs = 16, .hidden = 9, .input_scale = 0.5, .highest = 3}}) {
    const Graph graph = onnx::import_text(sketch.text());
    ASSERT_TRUE(is_quantised(graph));
    const CompiledModel model = compile(graph, on_small_ring(sketch));
    EXPECT_EQ(program::count_of<slots::Lookup>(model.program.instructions), 1);
    EXPECT_EQ(program::count_of<slots::Polynomial>(model.program.instructions), 0);
    const slots::ClearProgram program(model.program);
    const slots::NoiseModel noise =
        slots::modelled_noise(model.program, params::CkksParameters::check(model.parameters));
    unsigned seed = 0;
    for (const std::vector<Tensor>& row : rows(60, sketch.inputs, sketch.highest)) {
      const std::vector<Tensor> encrypted = run_before(model.parts, row);
      const auto decrypted = program::from_units(
          model.client, program.run(numbers_of(encrypted), {}, slots::ClearProgram::Noise{noise, ++seed}));
      const Tensor got = run_after(model.parts, decrypted).at(0);
      const Tensor expected = reference::run(graph, row).at(0);
      for (std::size_t i = 0; i < expected.data.size(); ++i) EXPECT_NEAR(got.data[i], expected.data[i], 1e-6);
    }
  }
}

std::string refusal_of(const QuantisedPerceptron& sketch) {
  return base::refusal([&] { compile(onnx::import_text(sketch.text()), on_small_ring(sketch)); });
}

TEST(Tabulate, SumsBeyondATableAreRefused) {
  EXPECT_THAT(refusal_of({.inputs = 64, .highest = 15}), HasSubstr("and tables in slots have at most 256 entries"));
}

TEST(Tabulate, BiasesOffTheGridAreRefused) {
  EXPECT_THAT(refusal_of({.bias_off = 0.1}), HasSubstr("its weights and its bias are not multiples of one step"));
}

TEST(Tabulate, LeveledSetsAreRefused) {
  const QuantisedPerceptron sketch;
  CompileOptions options = on_small_ring(sketch);
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

}  // namespace
}  // namespace tacit::graph::passes
