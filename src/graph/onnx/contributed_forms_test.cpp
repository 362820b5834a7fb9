#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Expected numbers are NumPy's, from the formulas of ONNX Runtime's documentation.
std::vector<double> made(const std::string& nodes, const Tensor& x, const std::string& weights = "",
                         const std::string& type = "[1, 4]") {
  const std::string text = "m (float" + type + " x) => (float y) <" + weights + "> {" + nodes + "}";
  return run_text(text, 17, x).at(0).data;
}

const Tensor kFour{{1, 4}, {1, -2, 3.3, 0.2}, false};
const char* const kScales =
    "float a = {0.5}, uint8 za = {10}, float b = {0.25}, uint8 zb = {3}, uint8[1, 4] w = {4, 200, 0, 7}, "
    "float c = {0.75}, uint8 zc = {100}, float d = {2}, uint8 zd = {120}, float e = {0.00390625}, uint8 ze = {0}, "
    "float f = {0.1}, uint8 zf = {20}, uint8 zh = {50}";

void expect_near(const std::vector<double>& given, const std::vector<double>& expected) {
  EXPECT_THAT(given, testing::Pointwise(testing::DoubleNear(1e-5), expected));
}

TEST(ContributedForms, OperatorsOfQuantisedNetworks) {
  const auto of = [&](const std::string& node, const std::string& back) {
    return made("q = QuantizeLinear(x, a, za) r = com.microsoft." + node + " y = DequantizeLinear(r, " + back + ")",
                kFour, kScales);
  };
  expect_near(of("QLinearAdd(q, a, za, w, b, zb, c, zc)", "c, zc"), {1.5, 47.25, 3, 0.75});
  expect_near(of("QLinearMul(q, a, za, w, b, zb, d, zd)", "d, zd"), {0, -98, -2, 0});
  expect_near(of("QLinearSigmoid(q, a, za, e, ze)", "e, ze"), {0.73046875, 0.12109375, 0.96875, 0.5});
  expect_near(of("QLinearLeakyRelu <alpha = 0.2> (q, a, za, f, zf)", "f, zf"), {1, -0.4, 3.5, 0});
  expect_near(
      made("q = QuantizeLinear(x, a, za) r = com.microsoft.QLinearConcat <axis = 1> (a, zh, q, a, za, w, b, zb) "
           "y = DequantizeLinear(r, a, zh)",
           kFour, kScales),
      {1, -2, 3.5, 0, 0, 49, -1, 1});
}

TEST(ContributedForms, AProductOfQuantisedMatricesHasAScaleForEveryColumnAndABiasOfBothScales) {
  const char* const weights =
      "float a = {0.5}, uint8 za = {10}, int8[3, 4] w = {1, -2, 3, 4, 0, 5, -6, 7, 2, 2, -1, 0}, "
      "float[3] s = {0.1, 0.2, 0.3}, int8[3] z = {0, 1, 0}, int32[3] k = {10, -20, 30}, float o = {0.05}, "
      "uint8 zo = {128}";
  const std::string gemm = "q = QuantizeLinear(x, a, za) ";
  expect_near(made(gemm + "y = com.microsoft.QGemm <transB = 1> (q, a, za, w, s, z, k)", kFour, weights),
              {2.05, -8.7, 2.85});
  expect_near(made(gemm + "r = com.microsoft.QGemm <transB = 1> (q, a, za, w, s, z, k, o, zo) "
                          "y = DequantizeLinear(r, o, zo)",
                   kFour, weights),
              {2.05, -6.4, 2.85});
}

TEST(ContributedForms, APoolOfQuantisedChannelsThatMayBeLast) {
  const Tensor x{{1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, false};
  const auto of = [&](const std::string& last) {
    return made("q = QuantizeLinear(x, a, za) r = com.microsoft.QLinearGlobalAveragePool <channels_last = " + last +
                    "> (q, a, za, b, zb) y = DequantizeLinear(r, b, zb)",
                x, "float a = {0.5}, uint8 za = {1}, float b = {0.25}, uint8 zb = {2}", "[1, 2, 2, 2]");
  };
  expect_near(of("0"), {2.5, 6.5});
  expect_near(of("1"), {4, 5});
}

TEST(ContributedForms, FusedLayers) {
  const Tensor x{{1, 2}, {1, -2}, false};
  const char* const weights =
      "float[2, 3] w = {1, 2, 3, 4, 5, 6}, float[3] b = {0.5, 6, 20}, "
      "float[3, 2] v = {1, 2, 3, 4, 5, 6}, float[1, 3] z = {10, -10, 0}";
  const auto of = [&](const std::string& nodes) { return made(nodes, x, weights, "[1, 2]"); };
  expect_near(of("y = com.microsoft.FusedGemm <activation = \"LeakyRelu\", activation_alpha = 0.3> (x, w, b)"),
              {-1.95, -0.6, 11});
  expect_near(of("y = com.microsoft.FusedGemm <activation = \"Relu\"> (x, w, b)"), {0, 0, 11});
  expect_near(of("y = com.microsoft.FusedMatMul <alpha = 0.5> (x, w)"), {-3.5, -4, -4.5});
  expect_near(of("y = com.microsoft.FusedMatMul <alpha = 0.5, transB = 1> (x, v)"), {-1.5, -2.5, -3.5});
  const Tensor image{{1, 1, 2, 2}, {1, -2, 3, -4}, false};
  const char* const filters = "float[1, 1, 1, 1] w = {2}, float[1] b = {1}, float[1, 1, 2, 2] z = {0, 5, 0, 0}";
  expect_near(made("y = com.microsoft.FusedConv <activation = \"Relu\"> (x, w, b, z)", image, filters, "[1, 1, 2, 2]"),
              {3, 2, 7, 0});
  expect_near(made("y = com.microsoft.FusedConv <activation = \"Clip\", activation_params = [-1.0, 4.0]> (x, w, b)",
                   image, filters, "[1, 1, 2, 2]"),
              {3, -1, 4, -1});
}

TEST(ContributedForms, GelusAndNormalisedSums) {
  const Tensor x{{1, 2}, {1, -2}, false};
  const auto of = [&](const std::string& nodes) { return made(nodes, x, "float[2] b = {0.5, 0.25}", "[1, 2]"); };
  expect_near(of("y = com.microsoft.Gelu(x)"), {0.84134475, -0.04550026});
  expect_near(of("y = com.microsoft.BiasGelu(x, b)"), {1.39978920, -0.07010352});
  expect_near(of("y = com.microsoft.FastGelu(x, b)"), {1.39957158, -0.07020462});
  expect_near(of("y = com.microsoft.QuickGelu(x)"), {0.84579577, -0.06434138});
  const Tensor four{{1, 4}, {1, 2, 3, -1}, false};
  const char* const weights =
      "float[1, 4] s = {0.5, -1, 0, 2}, float[4] g = {1, 2, 0.5, 1}, float[4] h = {0, 1, 2, 3}, "
      "float[4] b = {0.1, 0.2, 0.3, 0.4}";
  expect_near(made("y = com.microsoft.SkipLayerNormalization <epsilon = 0.001> (x, s, g, h, b)", four, weights),
              {-0.32918791, -0.61601336, 2.85289594, 2.43140271});
  expect_near(made("y = com.microsoft.SkipSimplifiedLayerNormalization <epsilon = 0.001> (x, s, g)", four, weights),
              {0.82403901, 1.09871868, 0.82403901, 0.54935934});
  expect_near(made("t = com.microsoft.SkipLayerNormalization (x, s, g, h, b) y = Neg(x)", four, weights),
              {-1, -2, -3, 1});
}

TEST(ContributedForms, DistancesOfRows) {
  const Tensor x{{1, 4}, {1, 2, 3, -1}, false};
  const char* const rows = "float[3, 4] w = {0, 0, 0, 0, 1, 2, 3, -1, 1, 0, 0, 1}";
  expect_near(made("y = com.microsoft.CDist <metric = \"euclidean\"> (x, w)", x, rows), {3.87298335, 0, 4.12310563});
  expect_near(made("y = com.microsoft.CDist <metric = \"sqeuclidean\"> (x, w)", x, rows), {15, 0, 17});
}

TEST(ContributedForms, OthersAreRefusedWithTheExportThatAvoidsThem) {
  const auto refused = [](const std::string& node) {
    return import_text_refusal("m (float[1, 4] x) => (float y) { y = " + node + " }", 17);
  };
  EXPECT_THAT(refused("com.microsoft.QAttention(x)"),
              AllOf(HasSubstr("node 'y' (QAttention): this operator of the domain 'com.microsoft' is not supported"),
                    HasSubstr("quant_format=QuantFormat.QDQ")));
  EXPECT_THAT(refused("com.microsoft.DynamicQuantizeMatMul(x)"), HasSubstr("quantise the model statically"));
  EXPECT_THAT(refused("com.microsoft.Attention(x)"), HasSubstr("graph_optimization_level = ORT_ENABLE_BASIC"));
  EXPECT_THAT(refused("com.microsoft.nchwc.Conv(x)"), HasSubstr("graph_optimization_level = ORT_ENABLE_BASIC"));
  EXPECT_THAT(refused("com.microsoft.FusedGemm <activation = \"Softsign\"> (x, x)"),
              HasSubstr("its activation 'Softsign' is not supported"));
}

}  // namespace
}  // namespace tacit::graph::onnx
