#include "graph/passes/write_out_quantisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/recognise.h"
#include "graph/passes/write_out.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> result;
  for (const Node& node : graph.nodes) result.push_back(node.op);
  return result;
}

Graph model(const std::string& text, int opset = 17) {
  return onnx::import_bytes(onnx::text_model_bytes(text, opset), "m.onnx");
}

/// Writes a model out, and checks on random inputs that it computes what it computed.
Graph written_out(const Graph& graph, double lowest, double highest) {
  Graph made = write_out(graph);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(lowest, highest);
  for (int round = 0; round < 20; ++round) {
    const TensorInfo& info = graph.tensors[graph.inputs[0]];
    Tensor input{info.shape, {}, info.integral};
    for (std::int64_t i = 0; i < element_count(info.shape); ++i)
      input.data.push_back(info.integral ? std::round(number(random)) : number(random));
    const std::vector<Tensor> expected = reference::run(graph, std::vector{input});
    const std::vector<Tensor> got = reference::run(made, std::vector{input});
    for (std::size_t o = 0; o < expected.size(); ++o) {
      EXPECT_EQ(got[o].integral, expected[o].integral);
      EXPECT_THAT(got[o].data, testing::Pointwise(testing::DoubleNear(1e-5), expected[o].data));
    }
  }
  return made;
}

std::string refusal(const Graph& graph, const PartyChoices& choices = {}) {
  try {
    assign_parties(write_out(graph), choices);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kTwoLayers =
    "m (float[1,3] x) => (float[1,2] y) <float[3,4] w = {1, -2, 3, 4, -5, 6, 2, -1, 0.5, 1, -3, 2}, "
    "float[4,2] v = {1, 2, -1, 3, 0.5, -2, 1, 1}, float s = {0.1}, uint8 z = {30}> "
    "{ a = MatMul(x, w) q = QuantizeLinear(a, s, z) r = DequantizeLinear(q, s, z) y = MatMul(r, v) }";

TEST(WriteOutQuantisation, IntegersBetweenTwoLayersAreRoundedReals) {
  EXPECT_THAT(operators(written_out(model(kTwoLayers), -1, 1)),
              ElementsAre("MatMul", "Div", "Round", "Add", "Clip", "Sub", "Mul", "Identity", "MatMul"));
}

/// The division joins the first layer.
TEST(WriteOutQuantisation, OneTableIsBetweenTwoLayers) {
  const Parties parties = assign_parties(write_out(model(kTwoLayers)), {.tables = true});
  EXPECT_THAT(operators(recognise(parties.encrypted).graph), ElementsAre("MatMul", "Div", kFunctionOp, "MatMul"));
  EXPECT_TRUE(parties.client.nodes.empty());
}

TEST(WriteOutQuantisation, MovedIntegersStayReals) {
  const Graph graph = model(
      "m (float[1,1,4,4] x) => (float[1,2] y) <float[1,1,1,1] w = {2}, float s = {0.05}, int8 z = {-4}, "
      "int64[2] shape = {1, 4}, float[4,2] v = {1, 2, -1, 3, 0.5, -2, 1, 1}> "
      "{ a = Conv(x, w) q = QuantizeLinear(a, s, z) p = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(q) "
      "f = Reshape(p, shape) r = DequantizeLinear(f, s, z) y = MatMul(r, v) }");
  EXPECT_THAT(operators(written_out(graph, -2, 2)), ElementsAre("Conv", "Div", "Round", "Add", "Clip", "MaxPool",
                                                                "Reshape", "Sub", "Mul", "Identity", "MatMul"));
}

TEST(WriteOutQuantisation, AnOutputOfIntegersEndsInACastOfTheClient) {
  const Graph graph = model(
      "m (uint8[1,3] x) => (uint8[1,2] y) <float sx = {0.1}, uint8 zx = {7}, int8[3,2] w = {1, -2, 3, 4, -5, 6}, "
      "float[2] sw = {0.2, 0.3}, int8[2] zw = {0, 1}, float sy = {0.5}, uint8 zy = {100}> "
      "{ y = QLinearMatMul(x, sx, zx, w, sw, zw, sy, zy) }");
  EXPECT_THAT(operators(written_out(graph, 0, 255)),
              ElementsAre("Cast", "Sub", "Mul", "MatMul", "Div", "Round", "Add", "Clip", "Cast"));
  const Parties parties = assign_parties(write_out(graph), {});
  EXPECT_THAT(operators(parties.client.after), ElementsAre("Round", "Add", "Clip", "Cast"));
}

TEST(WriteOutQuantisation, IntegerOperatorsAreLayers) {
  const Graph convolution = model(
      "m (uint8[1,1,3,3] x) => (float[1,2,2,2] y) <int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, uint8 zx = {5}, "
      "float s = {0.25}, int32[2,1,1] b = {3, -7}> "
      "{ c = ConvInteger(x, w, zx) d = Add(c, b) f = Cast<to = 1>(d) y = Mul(f, s) }");
  EXPECT_THAT(operators(written_out(convolution, 0, 255)), ElementsAre("Cast", "Sub", "Conv", "Add", "Cast", "Mul"));
  const Graph product = model(
      "m (int8[1,3] x) => (int32[1,2] y) <int8[3,2] w = {1, -2, 3, 4, -5, 6}, int8 zx = {2}, int8[2] zw = {1, -1}> "
      "{ y = MatMulInteger(x, w, zx, zw) }");
  EXPECT_THAT(operators(written_out(product, -128, 127)), ElementsAre("Cast", "Sub", "MatMul", "Cast"));
  const Graph quantised = model(
      "m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float sy = {0.05}, uint8 zy = {100}, int32[2] b = {10, -20}> "
      "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy, b) }");
  EXPECT_THAT(operators(written_out(quantised, 0, 20)),
              ElementsAre("Cast", "Sub", "Mul", "Conv", "Div", "Round", "Add", "Clip", "Cast"));
}

TEST(WriteOutQuantisation, PrivateScalesAndThoseThatDoNotFitAreRefused) {
  EXPECT_THAT(refusal(model("m (float[1,3] x, float s) => (uint8[1,3] y) { y = QuantizeLinear(x, s) }")),
              HasSubstr("its scale or its zero point depends on private data; quantise the model statically"));
  EXPECT_THAT(refusal(model("m (float[1,3] x) => (uint8[1,3] y) <float s = {1}, uint8[2] z = {1, 2}> "
                            "{ y = QuantizeLinear<axis = 1>(x, s, z) }")),
              HasSubstr("its zero point holds 2 numbers, which do not fit axis 1 of shape [1, 3]"));
  EXPECT_THAT(refusal(model("m (float[1,3] x) => (uint8[1,3] y) <float s = {0}> { y = QuantizeLinear(x, s) }")),
              HasSubstr("its scale holds a 0"));
}

TEST(WriteOutQuantisation, MissingScalesAreRefused) {
  Graph graph = model(kTwoLayers);
  graph.nodes[2].inputs[1] = kNoTensor;
  EXPECT_THAT(refusal(graph), HasSubstr("node 'r' (DequantizeLinear): its input 1 ('scale') is missing"));
}

TEST(WriteOutQuantisation, SlotsRefuseStepsBetweenLayersAndNameTheOtherScheme) {
  EXPECT_THAT(refusal(model(kTwoLayers)),
              HasSubstr("node 'q' (Round): the model is quantised, and rounding between two layers needs table "
                        "lookups: compile with --scheme tfhe"));
}

/// Integers that are no rounded reals stay integers, also beside such.
TEST(WriteOutQuantisation, OtherIntegersStayIntegers) {
  const Graph graph = model(
      "m (float[1,3] x, uint8[1,4] k) => (uint8[2,2] r, uint8[1,7] c) <float s = {0.5}, uint8 z = {3}, "
      "int64[2] shape = {2, 2}> "
      "{ q = QuantizeLinear(x, s, z) r = Reshape(k, shape) c = Concat<axis = 1>(q, k) }");
  const std::vector<Tensor> inputs{{{1, 3}, {-9, 1.5, 2}, false}, {{1, 4}, {4, 5, 6, 7}, true}};
  const std::vector<Tensor> made = reference::run(write_out(graph), inputs);
  EXPECT_THAT(made.at(0).data, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(made.at(0).shape, (Shape{2, 2}));
  EXPECT_TRUE(made.at(0).integral);
  EXPECT_THAT(made.at(1).data, ElementsAre(0, 6, 7, 4, 5, 6, 7));
  EXPECT_TRUE(made.at(1).integral);
}

/// Of a convolution the channels of the result may have scales of their own, of a product of matrices its rows.
TEST(WriteOutQuantisation, ResultsMayHaveSeveralScales) {
  const Graph convolution = model(
      "m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float[2] sy = {0.05, 0.07}, uint8[2] zy = {100, 90}> "
      "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy) }");
  written_out(convolution, 0, 20);
  const Graph product = model(
      "m (uint8[2,3] x) => (uint8[2,2] y) <float[2] sx = {0.1, 0.2}, uint8[2] zx = {7, 9}, "
      "int8[3,2] w = {1, -2, 3, 4, -5, 6}, float[2] sw = {0.2, 0.3}, int8[2] zw = {0, 1}, "
      "float[2] sy = {0.07, 0.11}, uint8[2] zy = {100, 120}> { y = QLinearMatMul(x, sx, zx, w, sw, zw, sy, zy) }");
  written_out(product, 0, 30);
}

/// A convolution with two channels of results, and a bias of two numbers.
Graph convolution_with_bias() {
  return model(
      "m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float sy = {0.05}, uint8 zy = {100}, int32[2] b = {10, -20}> "
      "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy, b) }");
}

TEST(WriteOutQuantisation, BiasesAreConstantsAndFitTheirScales) {
  Graph graph = convolution_with_bias();
  Tensor& bias = graph.constants.at(static_cast<std::size_t>(graph.tensors[graph.nodes.at(0).inputs.at(8)].constant));
  bias = {{3}, {10, -20, 30}, true};
  EXPECT_THAT(refusal(graph), HasSubstr("2 scales do not fit a bias of 3 numbers"));
  bias = {{1}, {10}, true};
  EXPECT_THAT(refusal(graph), HasSubstr("2 scales do not fit a bias of 1 numbers"));
  graph.nodes[0].inputs[8] = graph.inputs[0];
  EXPECT_THAT(refusal(graph), HasSubstr("its bias depends on private data"));
}

}  // namespace
}  // namespace tacit::graph::passes
