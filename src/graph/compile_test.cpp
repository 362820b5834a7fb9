#include "graph/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"
#include "program/slots/clear_program.h"
#include "program/slots/serialize.h"

namespace tacit::graph {
namespace {

using passes::Sketch;
using testing::HasSubstr;

Tensor row(std::vector<double> values) {
  const Shape shape{1, static_cast<std::int64_t>(values.size())};
  return {shape, std::move(values), false};
}

// (x W)^2 V, with W = [[1, 2], [3, 4]] and V = [[1], [-1]]
Graph squares() {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId g = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId q = s.node("Mul", {g, g}, {1, 2});
  s.output(s.node("MatMul", {q, s.constant({2, 1}, {1, -1})}, {1, 1}));
  s.graph.name = "squares";
  return s.graph;
}

Graph relu_chain(int count) {
  Sketch s;
  const std::vector<double> mixing{1, -1, 1, -1, -1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1, -1};
  TensorId x = s.input({1, 4});
  for (int i = 0; i < count; ++i) {
    x = s.node("Relu", {x}, {1, 4});
    x = s.node("MatMul", {x, s.constant({4, 4}, mixing)}, {1, 4});
  }
  s.output(x);
  s.graph.name = "relu_chain";
  return s.graph;
}

std::vector<double> clear(const CompiledModel& model, const std::vector<double>& input) {
  const slots::ClearProgram evaluator(model.program);
  const auto results = evaluator.run({input});
  const program::ClientOutput& output = model.client.outputs.at(0);
  return from_units(output, results.at(output.program_output));
}

std::string compile_refusal(const Graph& graph, const CompileOptions& options) {
  return base::refusal([&] { compile(graph, options); });
}

TEST(Compile, ASquareNetworkTakesOneLevelALayer) {
  CompileOptions options;
  options.calibration = {{row({1, 2})}, {row({-1, 0.5})}};
  const CompiledModel model = compile(squares(), options);
  EXPECT_EQ(model.parameters.name, "N13-d4");  // and one for an output without zeros beside it
  EXPECT_EQ(slots::total_depth(model.program), 3);
  EXPECT_EQ(model.program.instructions.size(), 7u);  // input, two rotations, linear, multiply, linear, output
  EXPECT_EQ(model.client.inputs.at(0).level, 4);
  EXPECT_EQ(model.client.inputs.at(0).log_gap, 2);
  EXPECT_TRUE(model.approximations.empty());
  // (7, 10) squares to (49, 100)
  EXPECT_NEAR(clear(model, {1, 2}).at(0), -51, 1e-9);
  EXPECT_EQ(model.client.outputs.at(0).unit, 1);  // a bound of 51 already lies in (32, 64]
}

TEST(Compile, TheCalibratedRangeOfTheInputsIsTheClientsCheckInEveryNetwork) {
  CompileOptions options;
  options.calibration = {{row({1, 2})}, {row({-1, 0.5})}};
  const program::ClientInput input = compile(squares(), options).client.inputs.at(0);
  EXPECT_DOUBLE_EQ(input.lowest, -4);  // as far again on either side as the samples reach
  EXPECT_DOUBLE_EQ(input.highest, 5);

  options.calibration = {{row({5, 5})}};
  const program::ClientInput constant = compile(squares(), options).client.inputs.at(0);
  EXPECT_DOUBLE_EQ(constant.lowest, 4.5);
  EXPECT_DOUBLE_EQ(constant.highest, 5.5);
}

TEST(Compile, LargeOutputsAreScaledDownByThePowerOfTwoThatTheClientUndoes) {
  CompileOptions options;
  options.calibration = {{row({10, 20})}};  // (70, 100) squares to (4900, 10000)
  const CompiledModel model = compile(squares(), options);
  EXPECT_EQ(model.client.outputs.at(0).unit, 128);
  EXPECT_NEAR(clear(model, {10, 20}).at(0), -5100, 1e-6);
}

TEST(Compile, ResultsThatDecryptAcceptsReachAsFarAgainAsTheSamplesDo) {
  CompileOptions options;
  options.calibration = {{row({1, 2})}, {row({-1, 0.5})}};  // -51 and 0.25
  const program::ClientOutput output = compile(squares(), options).client.outputs.at(0);
  EXPECT_DOUBLE_EQ(output.lowest * output.unit, -102.25);
  EXPECT_DOUBLE_EQ(output.highest * output.unit, 51.5);

  options.calibration = {{row({10, 20})}};  // one result: as far again as it lies from 0
  const program::ClientOutput one = compile(squares(), options).client.outputs.at(0);
  EXPECT_DOUBLE_EQ(one.lowest * one.unit, -10200);
  EXPECT_NEAR(one.highest * one.unit, 0, 1e-9);
}

TEST(Compile, WithoutCalibrationAPolynomialNetworkKeepsItsUnitsAndTheRoomForThem) {
  const CompiledModel model = compile(squares(), {});
  EXPECT_EQ(model.client.outputs.at(0).unit, 1);
  EXPECT_GE(model.parameters.q_bits[0] - model.parameters.log_scale, 14);
  EXPECT_EQ(model.client.inputs.at(0).lowest, model.client.inputs.at(0).highest);
  EXPECT_GE(model.client.outputs.at(0).highest, 4096);
  EXPECT_NEAR(clear(model, {1, 2}).at(0), -51, 1e-9);
}

TEST(Compile, OutputsThatWouldHideAnOverflowKeepAPrimeMore) {
  // One output fills every slot: modulo one prime, a large value would come back as a small one.
  const CompiledModel hidden = compile(squares(), {});
  EXPECT_EQ(hidden.program.instructions.back().level, 1);
  EXPECT_GT(hidden.client.outputs[0].highest, 1e10);

  // Three outputs beside a zero.
  Sketch s;
  const TensorId x = s.input({1, 4});
  const TensorId g = s.node("MatMul", {x, s.constant({4, 3}, std::vector<double>(12, 1))}, {1, 3});
  s.output(s.node("Mul", {g, g}, {1, 3}));
  EXPECT_EQ(compile(s.graph, {}).program.instructions.back().level, 0);

  CompileOptions asked;
  asked.parameters = params::CkksLiteral{"asked", 13, {50, 34, 34, 34}, {50}, 34, false};
  EXPECT_EQ(compile(squares(), asked).program.instructions.back().level, 0) << "three levels are what squares need";
}

TEST(Compile, LinearModelsTakeInputsInAnyUnit) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 3}, {1, 2, 3, 4, 5, 6})}, {1, 3}));
  const CompiledModel model = compile(s.graph, {});
  EXPECT_EQ(model.program.instructions.back().level, 1);
  EXPECT_GT(model.client.outputs[0].highest, 1e10);
}

TEST(Compile, ThePublicRangeOfTheInputsIsTheClientsCheck) {
  CompileOptions options;
  options.input_range = {0, 2};
  const CompiledModel model = compile(squares(), options);
  EXPECT_EQ(model.client.inputs.at(0).lowest, 0);
  EXPECT_EQ(model.client.inputs.at(0).highest, 2);
  // x W lies in [0, 8] x [0, 12], the difference of the squares in [-144, 64]
  EXPECT_NEAR(model.client.outputs.at(0).lowest, -144, 1e-6);
  EXPECT_NEAR(model.client.outputs.at(0).highest, 144, 1e-6);
}

TEST(Compile, ADeclaredRangeWhoseBoundsDoNotFitGetsRoomOrIsRefused) {
  // Three outputs beside a zero stay at level 0, unless the declared range makes them too large for one prime.
  Sketch s;
  const TensorId x = s.input({1, 4});
  const TensorId g = s.node("MatMul", {x, s.constant({4, 3}, std::vector<double>(12, 1))}, {1, 3});
  s.output(s.node("Mul", {g, g}, {1, 3}));
  CompileOptions options;
  options.input_range = {-1, 1};
  EXPECT_EQ(compile(s.graph, options).program.instructions.back().level, 0);
  options.input_range = {-1000, 1000};  // squares up to 1.6e7
  const CompiledModel roomy = compile(s.graph, options);
  EXPECT_EQ(roomy.program.instructions.back().level, 1);
  EXPECT_NEAR(clear(roomy, {1000, 1000, 1000, 1000}).at(0), 1.6e7, 1e-3);

  options.input_range = {-1e9, 1e9};  // squares up to 1.6e19
  EXPECT_THAT(
      compile_refusal(s.graph, options),
      testing::AllOf(testing::HasSubstr("node 'Mul1' (Mul): values reach 1.6e+19"), testing::HasSubstr("--calibrate")));
  options.input_range = {-1000, 1000};
  options.parameters = params::CkksLiteral{"asked", 13, {50, 40, 40}, {50}, 40, false};
  EXPECT_THAT(compile_refusal(s.graph, options),
              testing::AllOf(testing::HasSubstr("node 'Mul1' (Mul): values reach 1.6e+07"),
                             testing::HasSubstr("parameter set asked holds at most")));

  // An output that is a product of inputs keeps their units, so calibration cannot scale it.
  Sketch product;
  const TensorId a = product.input({1, 2});
  product.output(product.node("Mul", {a, a}, {1, 2}));
  CompileOptions measured;
  measured.calibration = {{row({1e12, 1})}};
  EXPECT_THAT(compile_refusal(product.graph, measured),
              testing::AllOf(testing::HasSubstr("values reach 1e+24"), testing::HasSubstr("on the calibration data")));
}

TEST(Compile, InputsAndOutputsThatWouldDrownInNoiseAreRefused) {
  CompileOptions options;
  options.input_range = {-2e-6, 2e-6};  // without calibration inputs keep their unit
  EXPECT_THAT(compile_refusal(squares(), options),
              testing::AllOf(testing::HasSubstr("input 'x': its values lie in [-2e-06, 2e-06]"),
                             testing::HasSubstr("scale the model's inputs up")));
  options.input_range.reset();
  options.calibration = {{row({1e-2, -2e-2})}};  // outputs of 1e-3 are scaled up for their own range
  EXPECT_NEAR(clear(compile(squares(), options), {1e-2, -2e-2}).at(0), -11e-4, 1e-12);
  options.calibration = {{row({0, 0})}};
  EXPECT_EQ(compile_refusal(squares(), options), base::kNotRefused);

  Sketch small;
  const TensorId x = small.input({1, 2});
  small.output(small.node("MatMul", {x, small.constant({2, 2}, {1e-9, 1e-9, 1e-9, 1e-9})}, {1, 2}));
  CompileOptions declared;
  declared.input_range = {-1, 1};
  EXPECT_THAT(
      compile_refusal(small.graph, declared),
      testing::AllOf(testing::HasSubstr("its values lie in [-2e-09, 2e-09]"), testing::HasSubstr("--calibrate")));
  declared.calibration = {{row({1, 1})}};
  EXPECT_EQ(compile_refusal(small.graph, declared), base::kNotRefused);
}

TEST(Compile, AReluIsAPolynomialOfTheAskedDegreeOnTheCalibratedRange) {
  CompileOptions options;
  options.calibration = {{row({-1, 0, 1, 3})}, {row({-2, 0.5, 0.1, 2})}};
  options.max_degree = 31;
  options.client_before = false;
  const CompiledModel model = compile(relu_chain(1), options);
  ASSERT_EQ(model.approximations.size(), 1u);
  EXPECT_EQ(model.approximations[0].degree, 30);            // x / 2 + an even series: the odd 31 would vanish
  EXPECT_DOUBLE_EQ(model.approximations[0].lowest, -4.25);  // [-2, 3] widened by 1.25, then centred on 0
  EXPECT_DOUBLE_EQ(model.approximations[0].highest, 4.25);
  EXPECT_LT(model.approximations[0].max_error, 0.04);
  EXPECT_EQ(slots::total_depth(model.program), 7);         // map to [-1, 1], 5, product
  EXPECT_NEAR(clear(model, {-1, 0, 1, 3}).at(2), 2, 0.1);  // relu = (0, 0, 1, 3)
  EXPECT_DOUBLE_EQ(model.client.inputs.at(0).lowest, -7);
}

TEST(Compile, AProgramTakesAboutAsManyBytesAsItsWeights) {
  // Convolution, square, normalisation, convolution: 131,072 entries of rows from 576 weights each.
  const Shape shape{1, 8, 16, 16};
  Sketch s;
  const auto numbers = [](std::size_t count, double scale) {
    std::vector<double> list(count);
    for (std::size_t i = 0; i < count; ++i)
      list[i] = static_cast<float>(scale * std::sin(1.0 + static_cast<double>(i)));
    return list;
  };
  const std::map<std::string, Attribute> window{{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}};
  TensorId x = s.input(shape);
  x = s.node("Conv", {x, s.constant({8, 8, 3, 3}, numbers(576, 0.1)), s.constant({8}, numbers(8, 1))}, shape, window);
  x = s.node("Mul", {x, x}, shape);
  const std::vector<double> variances{1, 2, 3, 4, 5, 6, 7, 8};
  x = s.node("BatchNormalization",
             {x, s.constant({8}, numbers(8, 1)), s.constant({8}, numbers(8, 1)), s.constant({8}, numbers(8, 1)),
              s.constant({8}, variances)},
             shape);
  x = s.node("Conv", {x, s.constant({8, 8, 3, 3}, numbers(576, 0.1))}, shape, window);
  s.output(x);
  CompileOptions options;
  options.calibration = {{{shape, numbers(2048, 1), false}}, {{shape, numbers(2048, -2), false}}};
  const CompiledModel model = compile(s.graph, options);
  const std::vector<std::uint8_t> bytes = slots::to_bytes(model.program);
  // And what the edges make different at every place: the units of the input and one bias.
  constexpr std::size_t kWeightBytes = 2 * 576 * sizeof(float), kPlaces = 2048, kSchedules = 8192;
  EXPECT_LT(bytes.size(), kWeightBytes + kPlaces * (sizeof(float) + sizeof(double)) + kSchedules);
  const slots::Program read = slots::program_from_bytes(bytes);
  EXPECT_EQ(slots::to_bytes(read), bytes);
  const slots::ClearProgram written(model.program), again(read);
  EXPECT_EQ(again.run({numbers(2048, 1)}), written.run({numbers(2048, 1)}));
}

TEST(Compile, RefusalsNameTheBoundAndTheWayOut) {
  EXPECT_THAT(compile_refusal(relu_chain(2), {}), testing::HasSubstr("node 'Relu2' (Relu) is not a polynomial"));

  Sketch deep;
  TensorId x = deep.input({1, 2});
  for (int i = 0; i < 70; ++i) x = deep.node("Mul", {x, x}, {1, 2});
  deep.output(x);
  EXPECT_THAT(compile_refusal(deep.graph, {}), testing::HasSubstr("the network needs 70 levels"));

  CompileOptions small;
  small.memory.bytes = 1'000'000;
  EXPECT_THAT(compile_refusal(squares(), small), testing::HasSubstr("the memory budget is 977 KiB"));

  CompileOptions shallow;
  shallow.parameters = params::CkksLiteral{"N13-d1", 13, {50, 40}, {50}, 40, false};
  EXPECT_THAT(compile_refusal(squares(), shallow), testing::HasSubstr("choose a deeper set"));

  CompileOptions misshapen;
  misshapen.calibration = {{row({1, 2, 3})}};
  EXPECT_THAT(compile_refusal(squares(), misshapen), testing::HasSubstr("calibration data"));
}

TEST(Compile, IntegersThatNoiseWouldBlurAreRefused) {
  const auto product = [](double weight) {
    Sketch s;
    const TensorId x = s.input({1, 2});
    const TensorId y = s.node("MatMul", {x, s.constant({2, 1}, {weight, -weight})}, {1, 1});
    s.output(y);
    s.graph.name = "product";
    for (const TensorId id : {x, y}) s.graph.tensors[id].integral = true;
    return s.graph;
  };
  CompileOptions options;
  for (const double value : {1000.0, -1000.0, 3.0}) options.calibration.push_back({row({value, -value})});
  EXPECT_EQ(compile_refusal(product(3), options), base::kNotRefused);
  EXPECT_THAT(compile_refusal(product(1e8), options), HasSubstr("that tells one from the next"));
}

}  // namespace
}  // namespace tacit::graph
