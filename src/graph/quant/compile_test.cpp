#include "graph/quant/compile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/refusal_for_test.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/sketch.h"
#include "graph/quant/compiled_for_test.h"
#include "graph/reference/run.h"
#include "program/integers/neighbour_rates.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"

namespace tacit::graph::quant {
namespace {

std::vector<Tensor> random_input(const Graph& graph, unsigned seed, double lowest, double highest) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(lowest, highest);
  const TensorInfo& info = graph.tensors[graph.inputs[0]];
  Tensor input{info.shape, {}, info.integral};
  for (std::int64_t i = 0; i < element_count(info.shape); ++i)
    input.data.push_back(info.integral ? std::round(number(random)) : number(random));
  return {input};
}

// One row of 300 is ten thousand times too large.
TEST(CompileOnIntegers, ABrokenRowChangesNothingButIsNamed) {
  passes::Sketch s;
  TensorId x = s.node("MatMul", {s.input({1, 3}), s.constant({3, 2}, {1, -1, 0.5, 1, -0.25, 0.5})}, {1, 2});
  x = s.node("Relu", {x}, {1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {1, -1})}, {1, 1}));
  CompileOptions options;
  for (unsigned seed = 1; seed <= 300; ++seed) options.calibration.push_back(random_input(s.graph, seed, -1, 1));
  const CompiledIntegers clean = compile(s.graph, options);
  EXPECT_TRUE(clean.far_rows.rows.empty());
  std::vector<Tensor> broken = options.calibration[7];
  for (double& number : broken[0].data) number *= 1e4;
  options.calibration.push_back(broken);
  const CompiledIntegers robust = compile(s.graph, options);
  EXPECT_EQ(integers::to_bytes(robust.program), integers::to_bytes(clean.program));
  ASSERT_EQ(robust.far_rows.rows.size(), 1U);
  EXPECT_EQ(robust.far_rows.rows[0].row, 300);
  options.trim = 0.0;
  const CompiledIntegers kept = compile(s.graph, options);
  EXPECT_NE(integers::to_bytes(kept.program), integers::to_bytes(clean.program));
  EXPECT_FALSE(kept.far_rows.rows.at(0).set_aside);
}

struct Compared {
  std::size_t lookups = 0;
  double worst = 0, largest = 0;  ///< error against the model, and its largest result
};

Compared compare(const Graph& graph, int bits, double lowest, double highest) {
  constexpr unsigned kSamples = 300, kRounds = 50;
  CompileOptions options;
  options.bits = bits;
  for (unsigned seed = 1; seed <= kSamples; ++seed)
    options.calibration.push_back(random_input(graph, seed, lowest, highest));
  const CompiledIntegers compiled = compile(graph, options);
  Compared result{integers::lookups(compiled.program)};
  for (unsigned seed = kSamples + 1; seed <= kSamples + kRounds; ++seed) {
    const std::vector<Tensor> input = random_input(graph, seed, lowest, highest);
    const std::vector<double> expected = reference::run(graph, input).at(0).data,
                              got = answer(compiled, input).at(0).data;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      result.worst = std::max(result.worst, std::abs(got[i] - expected[i]));
      result.largest = std::max(result.largest, std::abs(expected[i]));
    }
  }
  return result;
}

constexpr const char* kPairs =
    "m (float[1,3] x) => (float[1,2] y) <float sx = {0.02}, uint8 zx = {100}, "
    "int8[3,4] w = {10, -20, 30, 40, -50, 60, 20, -10, 5, 10, -30, 20}, float[4] sw = {0.05, 0.02, 0.01, 0.03}, "
    "float[4] b = {0.1, -0.2, 0, 0.3}, float sh = {0.03}, uint8 zh = {20}, "
    "int8[4,2] v = {10, 20, -10, 30, 5, -20, 10, 10}, float sv = {0.1}> "
    "{ qx = QuantizeLinear(x, sx, zx) rx = DequantizeLinear(qx, sx, zx) "
    "  rw = DequantizeLinear<axis = 1>(w, sw) p = MatMul(rx, rw) a = Add(p, b) "
    "  qh = QuantizeLinear(a, sh, zh) rh = DequantizeLinear(qh, sh, zh) "
    "  rv = DequantizeLinear(v, sv) y = MatMul(rh, rv) }";

TEST(QuantisedNetworks, PairsAroundLayersAreOneTableAnElement) {
  const Compared result = compare(onnx::import_text(kPairs), 8, -1.5, 1.5);
  EXPECT_EQ(result.lookups, 4u);
  // Four results of tables, each off by half a box of 256, of a range that is two and a half times as wide as seen.
  EXPECT_LT(result.worst, 0.03 * result.largest);
  EXPECT_GT(result.largest, 5);
}

/// Samples that vary little do not narrow the range of a quantised input.
TEST(QuantisedNetworks, InputsReachWhereTheModelSaturatesThem) {
  const Graph graph = onnx::import_text(kPairs);
  CompileOptions options;
  for (unsigned seed = 1; seed <= 20; ++seed) options.calibration.push_back(random_input(graph, seed, -0.1, 0.1));
  const CompiledIntegers compiled = compile(graph, options);
  const integers::Quantiser& quantiser = compiled.client.inputs.at(0).quantiser;
  EXPECT_DOUBLE_EQ(quantiser.offset[0], 0);
  EXPECT_DOUBLE_EQ(quantiser.scale[0] * static_cast<double>(quantiser.highest), 255);
}

TEST(QuantisedNetworks, IntegerOperatorsAreLayers) {
  const Graph graph = onnx::import_text(
      "m (uint8[1,1,4,4] x) => (uint8[1,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float sh = {0.05}, uint8 zh = {100}, int32[2] b = {10, -20}, int64[2] shape = {1, 8}, "
      "int8[8,3] v = {1, -2, 3, 4, -5, 6, 1, 2, -3, 2, 2, 2, -4, 4, 1, 0, 3, -3, 5, 1, -1, 2, -2, 0}, "
      "float sv = {0.02}, int8 zv = {0}, float sy = {0.01}, uint8 zy = {128}> "
      "{ h = QLinearConv<strides = [2, 2]>(x, sx, zx, w, sw, zw, sh, zh, b) f = Reshape(h, shape) "
      "  y = QLinearMatMul(f, sh, zh, v, sv, zv, sy, zy) }");
  const Compared result = compare(graph, 8, 0, 20);
  EXPECT_EQ(result.lookups, 8u);
  EXPECT_LE(result.worst, 6);  // steps of the result
  EXPECT_GT(result.largest, 200);
}

Graph tanh_between_sums() {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId t = s.node("Tanh", {s.node("MatMul", {x, s.constant({2, 1}, {1, -0.5})}, {1, 1})}, {1, 1});
  s.output(s.node("MatMul", {t, s.constant({1, 2}, {1, 2})}, {1, 2}));
  return s.graph;
}

TEST(CompileOnIntegers, BoundsAreToldFromTheFirstTableOnAndSamplesMayLieBeyondThem) {
  const Graph graph = tanh_between_sums();
  CompileOptions options;
  options.input_range = {-1, 1};
  const CompiledIntegers bounded = compile(graph, options);
  EXPECT_EQ(integers::lookups(bounded.program), 1u);
  EXPECT_EQ(bounded.warnings.size(), 1u);
  for (const double at : {-2.0, -0.5, 0.25, 2.0}) options.calibration.push_back({Tensor{{1, 2}, {at, -at}, false}});
  const CompiledIntegers measured = compile(graph, options);
  EXPECT_EQ(integers::lookups(measured.program), 1u);
  EXPECT_TRUE(measured.warnings.empty());
  EXPECT_EQ(measured.neighbour_rates.size(), measured.program.instructions.size());
}

/// Returns the lowest numbers of the boxes of two sums. Samples show the sums from -1 to 1 and from -0.01 to 0.01.
std::vector<double> lowest_of_sums(std::size_t samples) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId sums = s.node("MatMul", {x, s.constant({2, 2}, {1, 0, 0, 0.01})}, {1, 2});
  const TensorId t = s.node("Tanh", {sums}, {1, 2});
  s.output(s.node("MatMul", {t, s.constant({2, 1}, {1, 0.7})}, {1, 1}));
  CompileOptions options;
  for (std::size_t i = 0; i < samples; ++i) {
    const double x_of_sample = i % 2 == 0 ? 1 : -1;
    options.calibration.push_back({Tensor{{1, 2}, {x_of_sample, -x_of_sample}, false}});
  }
  const CompiledIntegers compiled = compile(s.graph, options);
  for (std::size_t i = 0; i < compiled.program.instructions.size(); ++i)
    if (std::holds_alternative<integers::Linear>(compiled.program.instructions[i].operation))
      return {compiled.meanings.at(i).offset[0], compiled.meanings.at(i).offset[1]};
  return {};
}

/// Ranges are widened by half of their width on either side, or by three quarters if there are few samples. That also
/// holds if one range is a hundredth of the other.
TEST(CompileOnIntegers, FewSamplesLeaveMoreRoom) {
  for (const std::size_t many : {256, 300}) {
    const std::vector<double> lowest = lowest_of_sums(many);
    ASSERT_EQ(lowest.size(), 2u);
    EXPECT_NEAR(lowest[0], -1 - 0.5 * 2, 1e-9) << many;
    EXPECT_NEAR(lowest[1], -0.01 - 0.5 * 0.02, 1e-9) << many;
  }
  for (const std::size_t few : {2, 255}) {
    const std::vector<double> lowest = lowest_of_sums(few);
    ASSERT_EQ(lowest.size(), 2u);
    EXPECT_NEAR(lowest[0], -1 - 0.75 * 2, 1e-9) << few;
    EXPECT_NEAR(lowest[1], -0.01 - 0.75 * 0.02, 1e-9) << few;
  }
}

/// The values of a program are named after the tensors of the model. Steps that passes added have no names.
TEST(CompileOnIntegers, IntegersSpeakOfTheModelsTensors) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId sums = s.node("MatMul", {x, s.constant({2, 2}, {1, -0.5, 0.25, 1})}, {1, 2});
  const TensorId others = s.node("MatMul", {x, s.constant({2, 2}, {-1, 0.5, 0.5, 1})}, {1, 2});
  const TensorId largest = s.node("Max", {sums, others}, {1, 2});
  const TensorId y = s.node("MatMul", {s.node("Tanh", {largest}, {1, 2}), s.constant({2, 1}, {1, 0.7})}, {1, 1});
  s.output(y);
  CompileOptions options;
  for (unsigned seed = 1; seed <= 20; ++seed) options.calibration.push_back(random_input(s.graph, seed, -1, 1));
  const CompiledIntegers compiled = compile(s.graph, options);
  std::vector<std::string> names;
  for (const IntegerMeaning& meaning : compiled.meanings)
    if (meaning.tensor != kNoTensor) names.push_back(compiled.encrypted.tensors.at(meaning.tensor).name);
  for (const TensorId id : {x, y}) EXPECT_THAT(names, testing::Contains(s.graph.tensors[id].name));
}

TEST(CompileOnIntegers, TablesHaveTwoToEightBits) {
  const Graph graph = tanh_between_sums();
  CompileOptions options;
  options.input_range = {-1, 1};
  for (const int bits : {1, 9}) {
    options.bits = bits;
    EXPECT_EQ(base::refusal([&] { compile(graph, options); }),
              fmt::format("tables of {} bits (--bits): 2 to 8 are supported", bits));
  }
  for (const int bits : {2, 8}) {
    options.bits = bits;
    EXPECT_EQ(compile(graph, options).program.bits, bits);
  }
}

/// Without samples a sum has a thirty-second of its interval on either side.
TEST(CompileOnIntegers, BoundsOfSumsHaveAMarginForRounding) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId sum =
      s.node("Add", {s.node("MatMul", {x, s.constant({2, 1}, {3, -1})}, {1, 1}), s.constant({1, 1}, {2})}, {1, 1});
  s.output(s.node("MatMul", {s.node("Tanh", {sum}, {1, 1}), s.constant({1, 2}, {1, 2})}, {1, 2}));
  CompileOptions options;
  options.input_range = {-1, 1};
  const CompiledIntegers compiled = compile(s.graph, options);
  for (std::size_t i = 0; i < compiled.program.instructions.size(); ++i)
    if (std::holds_alternative<integers::Linear>(compiled.program.instructions[i].operation)) {
      EXPECT_NEAR(compiled.meanings.at(i).offset[0], -2 - 8.0 / 32, 1e-9) << "of 2 - 4 to 2 + 4";
      break;
    }
}

TEST(CompileOnIntegers, TablesHaveSixBitsAndFailOnceInTwoToThe128UnlessToldOtherwise) {
  CompileOptions options;
  options.input_range = {-1, 1};
  const CompiledIntegers compiled = compile(tanh_between_sums(), options);
  EXPECT_EQ(compiled.program.bits, 6);
  EXPECT_EQ(compiled.parameters.log2_failure, -128);
}

/// Bounds of sums that no table reads make nothing coarse.
TEST(CompileOnIntegers, BoundsOfLinearNetworksGiveNoWarning) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {3, -1})}, {1, 1}));
  CompileOptions options;
  options.input_range = {-1, 1};
  EXPECT_THAT(compile(s.graph, options).warnings, testing::IsEmpty());
}

/// The share of arguments that noise moves is measured on two hundred samples at most.
TEST(CompileOnIntegers, NeighboursAreCountedOnTheFirstTwoHundredSamples) {
  const Graph graph = tanh_between_sums();
  CompileOptions options;
  options.client_before = false;
  for (unsigned seed = 1; seed <= 202; ++seed) options.calibration.push_back(random_input(graph, seed, -1, 1));
  const CompiledIntegers compiled = compile(graph, options);
  const auto rates_of = [&](std::size_t count) {
    std::vector<std::vector<integers::Integers>> inputs;
    for (std::size_t i = 0; i < count; ++i)
      inputs.push_back({integers::quantise(compiled.client.inputs.at(0), options.calibration[i].at(0).data)});
    return integers::neighbour_rates(compiled.program, params::TfheParameters::check(compiled.parameters), inputs);
  };
  EXPECT_EQ(compiled.neighbour_rates, rates_of(200));
  EXPECT_NE(compiled.neighbour_rates, rates_of(201));
  EXPECT_NE(compiled.neighbour_rates, rates_of(199));
}

/// Tensors of comparisons that passes wrote out are not named either. Their numbers come after those of the model.
TEST(CompileOnIntegers, ComparisonsThatAreWrittenOutNameTensorsOfTheModel) {
  const Graph graph = onnx::import_text(
      "m (float[1,3] x) => (float[1,2] y) <float[3,3] w = {1, -0.5, 0.25, 0.5, 1, 0.75, -1, 0.5, 1}, "
      "float[3,3] u = {0.5, 1, -0.5, 1, -1, 0.25, 0.75, 0.5, 1}, float[3,2] v = {1, -0.5, 0.25, 1, -0.75, 0.5}> "
      "{ p = MatMul(x, w) q = MatMul(x, u) c = Less(p, q) r = Cast<to = 1>(c) y = MatMul(r, v) }");
  CompileOptions options;
  for (unsigned seed = 1; seed <= 20; ++seed) options.calibration.push_back(random_input(graph, seed, -1, 1));
  const CompiledIntegers compiled = compile(graph, options);
  EXPECT_EQ(integers::lookups(compiled.program), 3u);
  std::vector<std::string> names;
  for (const IntegerMeaning& meaning : compiled.meanings)
    if (meaning.tensor != kNoTensor) names.push_back(compiled.encrypted.tensors.at(meaning.tensor).name);
  EXPECT_THAT(names, testing::Contains("y"));
}

TEST(CompileOnIntegers, ClientsRunWhatTheyMayUnlessToldOtherwise) {
  passes::Sketch s;
  const TensorId e = s.node("Exp", {s.input({1, 2})}, {1, 2});
  const TensorId t = s.node("Tanh", {s.node("MatMul", {e, s.constant({2, 1}, {1, -0.5})}, {1, 1})}, {1, 1});
  s.output(s.node("MatMul", {t, s.constant({1, 2}, {1, 2})}, {1, 2}));
  CompileOptions options;
  for (unsigned seed = 1; seed <= 20; ++seed) options.calibration.push_back(random_input(s.graph, seed, -1, 1));
  EXPECT_EQ(integers::lookups(compile(s.graph, options).program), 1u);
  options.client_before = false;
  EXPECT_EQ(integers::lookups(compile(s.graph, options).program), 3u);
}

TEST(CompileOnIntegers, SamplesThatAreAllTheSameAreRefused) {
  const Graph graph = tanh_between_sums();
  const auto refusal = [&](std::size_t samples) {
    CompileOptions options;
    options.calibration.assign(samples, random_input(graph, 1, -1, 1));
    return base::refusal([&] { compile(graph, options); });
  };
  const std::string way =
      "not show what range this input and the sums behind it take: give samples that differ (--calibrate), or "
      "--input-range without samples";
  EXPECT_EQ(refusal(1), fmt::format("node 'x': there is one calibration sample, so that it does {}", way));
  EXPECT_EQ(refusal(2), fmt::format("node 'x': all 2 calibration samples are the same, so that they do {}", way));
}

}  // namespace
}  // namespace tacit::graph::quant
