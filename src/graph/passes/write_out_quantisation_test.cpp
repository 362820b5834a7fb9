#include "graph/passes/write_out_quantisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/onnx/text_model.h"
#include "graph/operators_for_test.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/passes/write_out.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Writes a model out, and checks on random inputs that it computes the same as before.
Graph nearly_written_out(const Graph& graph, double lowest, double highest) {
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

std::string written_out_refusal(const Graph& graph, const PartyChoices& choices = {}) {
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
  EXPECT_THAT(operators_of(nearly_written_out(onnx::import_text(kTwoLayers), -1, 1)),
              ElementsAre("MatMul", "Div", "Round", "Add", "Clip", "Sub", "Mul", "Identity", "MatMul"));
}

/// The division joins the first layer.
TEST(WriteOutQuantisation, OneTableIsBetweenTwoLayers) {
  const Parties parties = assign_parties(write_out(onnx::import_text(kTwoLayers)), {.tables = true});
  EXPECT_THAT(operators_of(recognise(parties.encrypted).graph), ElementsAre("MatMul", "Div", kFunctionOp, "MatMul"));
  EXPECT_TRUE(parties.client.nodes.empty());
}

TEST(WriteOutQuantisation, MovedIntegersStayReals) {
  const Graph graph = onnx::import_text(
      "m (float[1,1,4,4] x) => (float[1,2] y) <float[1,1,1,1] w = {2}, float s = {0.05}, int8 z = {-4}, "
      "int64[2] shape = {1, 4}, float[4,2] v = {1, 2, -1, 3, 0.5, -2, 1, 1}> "
      "{ a = Conv(x, w) q = QuantizeLinear(a, s, z) p = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(q) "
      "f = Reshape(p, shape) r = DequantizeLinear(f, s, z) y = MatMul(r, v) }");
  EXPECT_THAT(
      operators_of(nearly_written_out(graph, -2, 2)),
      ElementsAre("Conv", "Div", "Round", "Add", "Clip", "MaxPool", "Reshape", "Sub", "Mul", "Identity", "MatMul"));
}

TEST(WriteOutQuantisation, AnOutputOfIntegersEndsInACastOfTheClient) {
  const Graph graph = onnx::import_text(
      "m (uint8[1,3] x) => (uint8[1,2] y) <float sx = {0.1}, uint8 zx = {7}, int8[3,2] w = {1, -2, 3, 4, -5, 6}, "
      "float[2] sw = {0.2, 0.3}, int8[2] zw = {0, 1}, float sy = {0.5}, uint8 zy = {100}> "
      "{ y = QLinearMatMul(x, sx, zx, w, sw, zw, sy, zy) }");
  EXPECT_THAT(operators_of(nearly_written_out(graph, 0, 255)),
              ElementsAre("Cast", "Sub", "Mul", "MatMul", "Div", "Round", "Add", "Clip", "Cast"));
  const Parties parties = assign_parties(write_out(graph), {});
  EXPECT_THAT(operators_of(parties.client.after), ElementsAre("Round", "Add", "Clip", "Cast"));
}

TEST(WriteOutQuantisation, IntegerOperatorsAreLayers) {
  const Graph convolution = onnx::import_text(
      "m (uint8[1,1,3,3] x) => (float[1,2,2,2] y) <int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, uint8 zx = {5}, "
      "float s = {0.25}, int32[2,1,1] b = {3, -7}> "
      "{ c = ConvInteger(x, w, zx) d = Add(c, b) f = Cast<to = 1>(d) y = Mul(f, s) }");
  EXPECT_THAT(operators_of(nearly_written_out(convolution, 0, 255)),
              ElementsAre("Cast", "Sub", "Conv", "Add", "Cast", "Mul"));
  const Graph product = onnx::import_text(
      "m (int8[1,3] x) => (int32[1,2] y) <int8[3,2] w = {1, -2, 3, 4, -5, 6}, int8 zx = {2}, int8[2] zw = {1, -1}> "
      "{ y = MatMulInteger(x, w, zx, zw) }");
  EXPECT_THAT(operators_of(nearly_written_out(product, -128, 127)), ElementsAre("Cast", "Sub", "MatMul", "Cast"));
  const Graph quantised = onnx::import_text(
      "m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float sy = {0.05}, uint8 zy = {100}, int32[2] b = {10, -20}> "
      "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy, b) }");
  EXPECT_THAT(operators_of(nearly_written_out(quantised, 0, 20)),
              ElementsAre("Cast", "Sub", "Mul", "Conv", "Div", "Round", "Add", "Clip", "Cast"));
}

TEST(WriteOutQuantisation, PrivateScalesAndThoseThatDoNotFitAreRefused) {
  EXPECT_THAT(written_out_refusal(
                  onnx::import_text("m (float[1,3] x, float s) => (uint8[1,3] y) { y = QuantizeLinear(x, s) }")),
              HasSubstr("its scale or its zero point depends on private data; quantise the model statically"));
  EXPECT_THAT(
      written_out_refusal(onnx::import_text("m (float[1,3] x) => (uint8[1,3] y) <float s = {1}, uint8[2] z = {1, 2}> "
                                            "{ y = QuantizeLinear<axis = 1>(x, s, z) }")),
      HasSubstr("its zero point holds 2 numbers, which do not fit axis 1 of shape [1, 3]"));
  EXPECT_THAT(written_out_refusal(
                  onnx::import_text("m (float[1,3] x) => (uint8[1,3] y) <float s = {0}> { y = QuantizeLinear(x, s) }")),
              HasSubstr("its scale holds a 0"));
}

TEST(WriteOutQuantisation, MissingScalesAreRefused) {
  Graph graph = onnx::import_text(kTwoLayers);
  graph.nodes[2].inputs[1] = kNoTensor;
  EXPECT_THAT(written_out_refusal(graph), HasSubstr("node 'r' (DequantizeLinear): its input 1 ('scale') is missing"));
}

/// Integers that are not rounded reals stay integers, also together with rounded reals.
TEST(WriteOutQuantisation, OtherIntegersStayIntegers) {
  const Graph graph = onnx::import_text(
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

/// The channels of a convolution's result may have separate scales, and so may the rows of a product of matrices.
TEST(WriteOutQuantisation, ResultsMayHaveSeveralScales) {
  const Graph convolution = onnx::import_text(
      "m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float[2] sy = {0.05, 0.07}, uint8[2] zy = {100, 90}> "
      "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy) }");
  nearly_written_out(convolution, 0, 20);
  const Graph product = onnx::import_text(
      "m (uint8[2,3] x) => (uint8[2,2] y) <float[2] sx = {0.1, 0.2}, uint8[2] zx = {7, 9}, "
      "int8[3,2] w = {1, -2, 3, 4, -5, 6}, float[2] sw = {0.2, 0.3}, int8[2] zw = {0, 1}, "
      "float[2] sy = {0.07, 0.11}, uint8[2] zy = {100, 120}> { y = QLinearMatMul(x, sx, zx, w, sw, zw, sy, zy) }");
  nearly_written_out(product, 0, 30);
}

/// A convolution with two channels of results, and a bias of two numbers.
Graph convolution_with_bias() {
  return onnx::import_text(
      "m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
      "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
      "float sy = {0.05}, uint8 zy = {100}, int32[2] b = {10, -20}> "
      "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy, b) }");
}

TEST(WriteOutQuantisation, BiasesAreConstantsAndFitTheirScales) {
  Graph graph = convolution_with_bias();
  Tensor& bias = graph.constants.at(static_cast<std::size_t>(graph.tensors[graph.nodes.at(0).inputs.at(8)].constant));
  bias = {{3}, {10, -20, 30}, true};
  EXPECT_THAT(written_out_refusal(graph), HasSubstr("2 scales do not fit a bias of 3 numbers"));
  bias = {{1}, {10}, true};
  EXPECT_THAT(written_out_refusal(graph), HasSubstr("2 scales do not fit a bias of 1 numbers"));
  graph.nodes[0].inputs[8] = graph.inputs[0];
  EXPECT_THAT(written_out_refusal(graph), HasSubstr("its bias depends on private data"));
}

const std::map<std::string, Attribute> kAlongColumns{{"axis", std::int64_t{1}}};

/// A network that rounds its input to bytes: quarters, from a zero point on.
struct Bytes : Sketch {
  explicit Bytes(const Shape& shape = {1, 4}, double zero_point = 3)
      : x(input(shape)), scale(constant({}, {0.25})), zero(integers({}, {zero_point})), bytes(quantised()) {}
  TensorId x, scale, zero, bytes;

  TensorId whole(TensorId id, IntegerType type = IntegerType::uint8) {
    graph.tensors[id].integral = true;
    graph.tensors[id].integers = type;
    return id;
  }
  TensorId integers(const Shape& shape, std::vector<double> data, IntegerType type = IntegerType::uint8) {
    const TensorId id = constant(shape, std::move(data));
    graph.constants.back().integral = true;
    return whole(id, type);
  }
  TensorId positions(std::vector<double> data) {
    return integers({static_cast<std::int64_t>(data.size())}, std::move(data), IntegerType::int64);
  }
  TensorId quantised() { return whole(node("QuantizeLinear", {x, scale, zero}, Shape(graph.tensors[x].shape))); }
  TensorId real(TensorId id) { return node("DequantizeLinear", {id, scale, zero}, Shape(graph.tensors[id].shape)); }
  /// A node whose results are bytes.
  TensorId byte_node(const std::string& op, std::vector<TensorId> inputs, const Shape& shape,
                     std::map<std::string, Attribute> attributes = {}) {
    return whole(node(op, std::move(inputs), shape, std::move(attributes)));
  }
};

/// Writes a graph out, and checks that the result computes the same and that its new constants are real numbers.
Graph made_of(const Graph& graph, const std::vector<Tensor>& inputs) {
  Graph made = write_out(graph);
  for (std::size_t c = graph.constants.size(); c < made.constants.size(); ++c)
    EXPECT_FALSE(made.constants[c].integral) << c;
  const std::vector<Tensor> expected = reference::run(graph, inputs), got = reference::run(made, inputs);
  for (std::size_t o = 0; o < expected.size(); ++o) {
    EXPECT_EQ(got[o].data, expected[o].data) << o;
    EXPECT_EQ(got[o].integral, expected[o].integral) << o;
  }
  return made;
}

/// Bytes 0, 4, 11 and 6.
Graph made_of(const Bytes& b) { return made_of(b.graph, {{{1, 4}, {-1, 0.3, 2, 0.8}, false}}); }

TEST(WriteOutQuantisation, ZeroPointsOfZeroAreNotAdded) {
  Bytes zero({1, 4}, 0), one({1, 4}, 1);
  for (Bytes* b : {&zero, &one}) b->output(b->real(b->bytes));
  EXPECT_THAT(operators_of(made_of(zero)), ElementsAre("Div", "Round", "Clip", "Mul", "Identity"));
  EXPECT_THAT(operators_of(made_of(one)), ElementsAre("Div", "Round", "Add", "Clip", "Sub", "Mul", "Identity"));
  Sketch none;
  const TensorId scale = none.constant({}, {0.25});
  const TensorId q = none.node("QuantizeLinear", {none.input({1, 4}), scale}, {1, 4});
  none.graph.tensors[q].integral = true;
  none.graph.tensors[q].integers = IntegerType::uint8;
  none.output(none.node("DequantizeLinear", {q, scale}, {1, 4}));
  EXPECT_THAT(operators_of(made_of(none.graph, {{{1, 4}, {-1, 0.3, 2, 70}, false}})),
              ElementsAre("Div", "Round", "Clip", "Mul", "Identity"));
}

TEST(WriteOutQuantisation, EveryPartOfAConcatenationIsReal) {
  Bytes b;
  const TensorId more = b.quantised(), constant = b.integers({1, 2}, {9, 200});
  const TensorId joined = b.byte_node("Concat", {b.bytes, more, constant}, {1, 10}, kAlongColumns);
  b.output(b.real(joined));
  EXPECT_THAT(operators_of(made_of(b)), ElementsAre("Div", "Round", "Add", "Clip", "Div", "Round", "Add", "Clip",
                                                    "Concat", "Sub", "Mul", "Identity"));
}

/// Pads and positions stay integers, and the number that is padded with is real.
TEST(WriteOutQuantisation, WhereToMoveStaysAnInteger) {
  Bytes b;
  const TensorId pads = b.positions({0, 1, 0, 1}), filling = b.integers({}, {7});
  const TensorId padded = b.byte_node("Pad", {b.bytes, pads, filling}, {1, 6});
  const TensorId starts = b.positions({0, 1}), ends = b.positions({1, 5}), shape = b.positions({2, 2});
  const TensorId middle = b.byte_node("Slice", {padded, starts, ends}, {1, 4});
  b.output(b.real(padded));
  b.output(b.real(b.byte_node("Reshape", {middle, shape}, {2, 2})));
  const Graph made = made_of(b);
  ASSERT_THAT(operators_of(made), ElementsAre("Div", "Round", "Add", "Clip", "Pad", "Slice", "Sub", "Mul", "Identity",
                                              "Reshape", "Sub", "Mul", "Identity"));
  EXPECT_THAT(made.nodes[4].inputs, ElementsAre(testing::_, pads, testing::Ne(filling)));
  EXPECT_EQ(made.constant(made.nodes[4].inputs.at(2)).data, std::vector<double>{7});
  EXPECT_THAT(made.nodes[5].inputs, ElementsAre(testing::_, starts, ends));
  EXPECT_THAT(made.nodes[9].inputs, ElementsAre(testing::_, shape));
}

TEST(WriteOutQuantisation, EveryPartOfASplitIsReal) {
  Bytes b;
  const TensorId first = b.byte_node("Split", {b.bytes, b.positions({1, 3})}, {1, 1}, kAlongColumns);
  const TensorId second = b.whole(GraphEditor(b.graph).tensor("second", {1, 3}));
  b.graph.nodes.back().outputs.push_back(second);
  b.output(b.real(first));
  b.output(b.real(second));
  EXPECT_THAT(operators_of(made_of(b)),
              ElementsAre("Div", "Round", "Add", "Clip", "Split", "Sub", "Mul", "Identity", "Sub", "Mul", "Identity"));
}

TEST(WriteOutQuantisation, ResultsThatAreOutputsAreCastOnce) {
  Bytes b;
  b.output(b.byte_node("Reshape", {b.bytes, b.positions({2, 2})}, {2, 2}));
  EXPECT_THAT(operators_of(made_of(b)), ElementsAre("Div", "Round", "Add", "Clip", "Reshape", "Cast"));
}

/// Positions of maxima, truth values, sums that wrap around, and numbers that integers choose from a table.
TEST(WriteOutQuantisation, WhatNeedsIntegersReadsIntegers) {
  Bytes pool({1, 1, 1, 4});
  pool.output(
      pool.byte_node("MaxPool", {pool.bytes}, {1, 1, 1, 2}, {{"kernel_shape", std::vector<std::int64_t>{1, 3}}}));
  const TensorId places = pool.whole(GraphEditor(pool.graph).tensor("places", {1, 1, 1, 2}), IntegerType::int64);
  pool.graph.nodes.back().outputs.push_back(places);
  pool.output(places);
  EXPECT_THAT(operators_of(made_of(pool.graph, {{{1, 1, 1, 4}, {-1, 0.3, 2, 0.8}, false}})),
              ElementsAre("Div", "Round", "Add", "Clip", "Cast", "MaxPool"));

  Bytes equal;
  const TensorId same = equal.node("Equal", {equal.bytes, equal.integers({}, {4})}, {1, 4});
  equal.whole(same, IntegerType::boolean);
  equal.output(equal.node("Cast", {same}, {1, 4}, {{"to", std::int64_t{1}}}));
  EXPECT_THAT(operators_of(made_of(equal)), ElementsAre("Div", "Round", "Add", "Clip", "Cast", "Equal", "Cast"));

  Bytes sum({1, 4}, 100);
  sum.output(sum.byte_node("Add", {sum.bytes, sum.bytes}, {1, 4}));
  const Graph wrapped = made_of(sum.graph, {{{1, 4}, {0, 10, 20, 30}, false}});
  EXPECT_THAT(operators_of(wrapped), ElementsAre("Div", "Round", "Add", "Clip", "Cast", "Add"));

  Bytes table;
  std::vector<double> numbers(12);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5 * static_cast<double>(i);
  table.output(table.node("Gather", {table.constant({12}, numbers), table.bytes}, {1, 4}));
  EXPECT_THAT(operators_of(made_of(table)), ElementsAre("Div", "Round", "Add", "Clip", "Cast", "Gather"));
}

TEST(WriteOutQuantisation, OtherIntegersAreMovedAsIntegers) {
  Bytes b;
  const TensorId k = b.whole(b.input({1, 4}, "k"));
  const TensorId shape = b.positions({2, 2});
  b.output(b.bytes);
  b.output(b.byte_node("Reshape", {k, shape}, {2, 2}));
  const std::vector<Tensor> inputs{{{1, 4}, {-1, 0.3, 2, 0.8}, false}, {{1, 4}, {4, 5, 6, 7}, true}};
  const Graph made = made_of(b.graph, inputs);
  ASSERT_THAT(operators_of(made), ElementsAre("Div", "Round", "Add", "Clip", "Cast", "Reshape"));
  EXPECT_THAT(made.nodes.back().inputs, ElementsAre(k, shape));
}

TEST(WriteOutQuantisation, ResultsThatNobodyAsksForAreNotMade) {
  Bytes b;
  b.byte_node("Reshape", {b.bytes, b.positions({2, 2})}, {2, 2});
  b.graph.nodes.back().outputs = {kNoTensor};
  b.output(b.real(b.bytes));
  EXPECT_THAT(operators_of(made_of(b)), ElementsAre("Div", "Round", "Add", "Clip", "Sub", "Mul", "Identity"));
  Bytes none;
  none.graph.nodes[0].outputs = {kNoTensor};
  none.output(none.x);
  EXPECT_TRUE(write_out(none.graph).nodes.empty());
}

/// A vector on the left of a product has a zero point for each of its elements, and is cast to 32-bit reals.
TEST(WriteOutQuantisation, VectorsHaveZeroPointsByElement) {
  Bytes b;
  const TensorId vector = b.whole(b.input({3}, "v"), IntegerType::int8);
  const TensorId w = b.integers({3, 2}, {1, -2, 3, 4, -5, 6}, IntegerType::int8);
  const TensorId zeros = b.integers({3}, {1, 2, 3}, IntegerType::int8);
  b.graph.nodes.clear();
  b.graph.inputs = {vector};
  b.output(b.whole(b.node("MatMulInteger", {vector, w, zeros}, {2}), IntegerType::int32));
  const std::vector<Tensor> inputs{{{3}, {4, -5, 6}, true}};
  EXPECT_THAT(reference::run(b.graph, inputs).at(0).data, ElementsAre(-33, -16));
  const Graph made = made_of(b.graph, inputs);
  ASSERT_THAT(operators_of(made), ElementsAre("Cast", "Sub", "MatMul", "Cast"));
  EXPECT_EQ(std::get<std::int64_t>(made.nodes[0].attributes.at("to")), 1);
}

TEST(WriteOutQuantisation, BiasesAreInUnitsOfBothScales) {
  const Graph graph = onnx::import_text(
      "m (uint8[1,1,2,2] x) => (uint8[1,2,2,2] y) <float sx = {0.5}, uint8 zx = {5}, int8[2,1,1,1] w = {1, -2}, "
      "float sw = {0.25}, int8 zw = {0}, float sy = {0.125}, uint8 zy = {100}, int32[2] b = {10, -20}> "
      "{ y = QLinearConv(x, sx, zx, w, sw, zw, sy, zy, b) }");
  const Graph made = made_of(graph, {{{1, 1, 2, 2}, {5, 6, 15, 4}, true}});
  std::vector<double> bias;
  for (const TensorInfo& info : made.tensors)
    if (info.name == "y.bias") bias = made.constants.at(static_cast<std::size_t>(info.constant)).data;
  EXPECT_THAT(bias, ElementsAre(1.25, -2.5)) << "eighths";
}

}  // namespace
}  // namespace tacit::graph::passes
