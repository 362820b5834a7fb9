#include "graph/quant/whole_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/refusal_for_test.h"
#include "graph/quant/compiled_for_test.h"
#include "params/tfhe_parameters.h"
#include "program/integers/noise.h"

namespace tacit::graph::quant {
namespace {

using testing::HasSubstr;

/// y = W x + b of int64, `count` inputs.
Graph whole_model(std::int64_t count, const std::vector<double>& weights, const std::vector<double>& constants) {
  passes::Sketch s;
  const auto width = static_cast<std::int64_t>(constants.size());
  const auto whole = [&](TensorId id) {
    s.graph.tensors[id].integral = true;
    if (s.graph.is_constant(id)) s.graph.constants.back().integral = true;
    return id;
  };
  const TensorId x = whole(s.input({1, count}));
  const TensorId w = whole(s.constant({count, width}, weights));
  const TensorId product = whole(s.node("MatMul", {x, w}, {1, width}));
  const TensorId b = whole(s.constant({width}, constants));
  s.output(whole(s.node("Add", {product, b}, {1, width})));
  return s.graph;
}

std::vector<std::vector<Tensor>> whole_samples(std::int64_t count, double lowest, double highest) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> draw(lowest, highest);
  std::vector<std::vector<Tensor>> list;
  for (int s = 0; s < 40; ++s) {
    Tensor tensor{{1, count}, {}, true};
    for (std::int64_t i = 0; i < count; ++i) tensor.data.push_back(std::round(draw(random)));
    list.push_back({std::move(tensor)});
  }
  return list;
}

/// All answers by the clear reading with noise are those of the model.
void expect_exact(const Graph& graph, const std::vector<std::vector<Tensor>>& samples) {
  CompileOptions options;
  options.calibration = samples;
  const CompiledIntegers model = compile(graph, options);
  const std::vector<double> deviations =
      integers::noise_deviations(model.program, params::TfheParameters::check(model.parameters));
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::vector<Tensor> inputs = run_before(model.parts, samples[s]);
    const auto results =
        integers::ClearProgram(model.program)
            .run(std::vector<integers::Integers>{integers::quantise(model.client.inputs[0], inputs[0].data)}, {},
                 integers::ClearProgram::Noise{deviations, s});
    const std::vector<double> read = integers::dequantise(model.client.outputs[0], results.at(0));
    EXPECT_EQ(run_after(model.parts, std::vector<std::vector<double>>{read}).at(0).data,
              reference::run(graph, samples[s]).at(0).data);
  }
}

TEST(WholeSums, AreExactWhereTheirIntegersFit) {
  expect_exact(whole_model(1, {3}, {0}), whole_samples(1, 0, 1e6));
  expect_exact(whole_model(1, {-7}, {12345}), whole_samples(1, -1e9, 2e9));
  expect_exact(whole_model(4, {1, -2, 3, 0, 100, 7, -1, 1}, {-5, 1000000}), whole_samples(4, -30000, 1e6));
}

TEST(WholeSums, BeyondTheNoiseAreRefusedWithWhatFits) {
  CompileOptions options;
  options.calibration = whole_samples(1, 0, 1e15);
  const std::string refusal = base::refusal([&] { compile(whole_model(1, {3}, {0}), options); });
  EXPECT_THAT(refusal, HasSubstr("holds whole numbers from"));
  EXPECT_THAT(refusal, HasSubstr("use smaller integers (a range of "));
}

TEST(WholeSums, ProductsOfTablesThatLoseWholeNumbersAreRefused) {
  passes::Sketch s;
  const TensorId x = s.input({1, 1});
  const TensorId y = s.node("Mul", {x, x}, {1, 1});
  for (const TensorId id : {x, y}) s.graph.tensors[id].integral = true;
  s.output(y);
  CompileOptions options;
  options.calibration = whole_samples(1, -1000, 1000);
  const std::string refusal = base::refusal([&] { compile(s.graph, options); });
  EXPECT_THAT(refusal, HasSubstr("output '" + s.graph.tensors[y].name + "' holds integers from "));
  EXPECT_THAT(refusal, HasSubstr("other whole numbers would be shown"));
}

TEST(WholeSums, ARealInputOrWeightIsNoneOfThem) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {1, 2})}, {1, 1}));
  CompileOptions options;
  options.calibration = samples(s.graph, 20, 1);
  const CompiledIntegers model = compile(s.graph, options);
  EXPECT_EQ(model.whole_outputs, std::vector<char>{0});
}

}  // namespace
}  // namespace tacit::graph::quant
