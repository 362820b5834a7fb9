#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/quant/compiled_for_test.h"

namespace tacit::graph::quant {
namespace {

/// The operators between two sums: from `p` to `r`, with three elements. Each element takes all numbers from `lowest`
/// to `highest`.
struct Region {
  std::string body;
  double lowest = -3, highest = 3;
};

const std::vector<Region>& regions() {
  static const std::vector<Region> all{
      {"r = Abs(p)"},
      {"r = Acos(p)", -0.9, 0.9},
      {"r = Acosh(p)", 1.2, 4},
      {"r = Asin(p)", -0.9, 0.9},
      {"r = Asinh(p)"},
      {"r = Atan(p)"},
      {"r = Atanh(p)", -0.8, 0.8},
      {"r = Ceil(p)"},
      {"r = Celu<alpha = 0.5>(p)"},
      {"r = Clip(p, low, high)"},
      {"r = Cos(p)"},
      {"r = Cosh(p)"},
      {"r = Elu(p)"},
      {"r = Erf(p)"},
      {"r = Exp(p)"},
      {"r = Floor(p)"},
      {"r = Gelu(p)"},
      {"r = HardSigmoid(p)"},
      {"r = HardSwish(p)"},
      {"r = LeakyRelu(p)"},
      {"r = Log(p)", 0.3, 4},
      {"r = Max(p, low)"},
      {"r = Min(p, high)"},
      {"r = Mish(p)"},
      {"r = PRelu(p, slope)"},
      {"r = Pow(p, half)", 0.3, 4},
      {"r = Reciprocal(p)", 0.5, 4},
      {"r = Relu(p)"},
      {"r = Round(p)"},
      {"r = Selu(p)"},
      {"r = Shrink<lambd = 1.0, bias = 0.25>(p)"},
      {"r = Sigmoid(p)"},
      {"r = Sign(p)"},
      {"r = Sin(p)"},
      {"r = Sinh(p)"},
      {"r = Softplus(p)"},
      {"r = Softsign(p)"},
      {"r = Sqrt(p)", 0.3, 4},
      {"r = Tan(p)", -1, 1},
      {"r = Tanh(p)"},
      {"r = ThresholdedRelu<alpha = 1.0>(p)"},
      {"c = Less(p, high) r = Cast<to = 1>(c)"},
      {"c = LessOrEqual(p, high) r = Cast<to = 1>(c)"},
      {"c = Greater(p, high) r = Cast<to = 1>(c)"},
      {"c = GreaterOrEqual(p, low) n = Not(c) r = Cast<to = 1>(n)"},
      {"i = Round(p) c = Equal(i, one) r = Cast<to = 1>(c)"},
      {"a = Less(p, high) b = Greater(p, low) c = And(a, b) r = Cast<to = 1>(c)"},
      {"a = Greater(p, high) b = Less(p, low) c = Or(a, b) r = Cast<to = 1>(c)"},
      {"a = Greater(p, high) b = Greater(p, low) c = Xor(a, b) r = Cast<to = 1>(c)"},
      {"c = Greater(p, high) q = Exp(p) r = Where(c, p, q)"},
      {"i = Cast<to = 6>(p) r = Cast<to = 1>(i)"},
      {"q = Tanh(p) m = Mul(q, p) s = Sub(m, q) d = Div(s, half) r = Neg(d)"},
      {"q = QuantizeLinear(p, step, zero) r = DequantizeLinear(q, step, zero)"},
      {"e = Exp(p) q = Add(e, one) l = Log(q) i = Identity(l) r = Dropout(i)"},
  };
  return all;
}

Graph region_model(const Region& region) {
  // Every element is half of one input's span and a little of the others'.
  const double half = (region.highest - region.lowest) / 2, middle = (region.highest + region.lowest) / 2;
  return onnx::import_bytes(
      onnx::text_model_bytes(
          fmt::format(
              "m (float[1,3] x) => (float[1,2] y) <float[3,3] w = {{{0}, {1}, {1}, {1}, {0}, {1}, {1}, {1}, {0}}}, "
              "float[1,3] middle = {{{2}, {2}, {2}}}, float[3,2] v = {{1, -0.5, 0.25, 1, -0.75, 0.5}}, float low = "
              "{{-0.7}}, "
              "float high = {{0.6}}, float half = {{0.5}}, float one = {{1}}, float[3] slope = {{0.1, 0.2, 0.3}}, "
              "float step = {{0.5}}, uint8 zero = {{10}}> {{ u = MatMul(x, w) p = Add(u, middle) {3} y = MatMul(r, v) "
              "}}",
              0.8 * half, 0.1 * half, middle, region.body),
          20),
      "m.onnx");
}

TEST(FusedOperators, OfOneTensorAreOneTableAnElement) {
  std::set<std::string> fused;
  for (const Region& region : regions()) {
    SCOPED_TRACE(region.body);
    const Graph graph = region_model(region);
    for (const Node& node : graph.nodes)
      if (node.op != "MatMul") fused.insert(node.op);
    CompileOptions options;
    options.calibration = samples(graph, 300, 1);
    const CompiledIntegers compiled = compile(graph, options);
    EXPECT_EQ(integers::lookups(compiled.program), 3u);
    std::vector<double> errors;
    double largest = 0;
    for (const auto& sample : samples(graph, 40, 2)) {
      const std::vector<double> expected = reference::run(graph, sample)[0].data,
                                got = answer(compiled, sample)[0].data;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        errors.push_back(std::abs(got[i] - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
      }
    }
    // Near a jump of a function a box may be on both sides. It is so for few rows, because a box is a thirtieth of
    // the span of an element.
    std::ranges::sort(errors);
    EXPECT_LT(errors[errors.size() / 2], 0.03 * largest);
    EXPECT_LT(errors[errors.size() * 3 / 4], 0.06 * largest);
  }
  EXPECT_GE(fused.size(), 50u) << ::testing::PrintToString(fused);
}

}  // namespace
}  // namespace tacit::graph::quant
