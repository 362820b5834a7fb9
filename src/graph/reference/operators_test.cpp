#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/reference/run.h"

namespace tacit::graph::reference {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;

Tensor reals(Shape shape, std::vector<double> data) { return {std::move(shape), std::move(data), false}; }
Tensor integers(std::vector<double> data) { return {{static_cast<std::int64_t>(data.size())}, std::move(data), true}; }

/// Evaluates one operator. `outputs` is how many outputs the node asks for.
std::vector<Tensor> all_of(const std::string& op, const std::vector<Tensor>& inputs, Attributes attributes = {},
                           std::size_t outputs = 1) {
  Node node{op, "n", {}, std::vector<TensorId>(outputs, 0), std::move(attributes)};
  std::vector<const Tensor*> arguments;
  for (const Tensor& input : inputs) arguments.push_back(&input);
  return evaluate(Graph{}, node, arguments);
}

Tensor only(const std::string& op, const std::vector<Tensor>& inputs, Attributes attributes = {}) {
  return all_of(op, inputs, std::move(attributes)).at(0);
}

std::string refusal(const std::string& op, const std::vector<Tensor>& inputs, Attributes attributes = {}) {
  try {
    all_of(op, inputs, std::move(attributes));
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

auto near(std::vector<double> expected) { return Pointwise(DoubleNear(1e-12), std::move(expected)); }

const Tensor kCount9 = reals({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});

TEST(Convolution, StridesPadsAndBias) {
  const Tensor ones = reals({1, 1, 2, 2}, {1, 1, 1, 1});
  EXPECT_THAT(only("Conv", {kCount9, ones}).data, ElementsAre(12, 16, 24, 28));
  const Tensor padded =
      only("Conv", {kCount9, ones, reals({1}, {100})}, {{"pads", Integers{1, 0, 0, 1}}, {"strides", Integers{2, 1}}});
  EXPECT_THAT(padded.shape, ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(padded.data, ElementsAre(103, 105, 103, 124, 128, 115));
}

TEST(Convolution, DilationGroupsAndOneDimension) {
  const Tensor powers = reals({1, 1, 2, 2}, {1, 10, 100, 1000});
  const Tensor corners = only("Conv", {kCount9, powers}, {{"dilations", Integers{2, 2}}});
  EXPECT_THAT(corners.data, ElementsAre(1 + 30 + 700 + 9000));
  const Tensor line = reals({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor grouped = only("Conv", {line, reals({2, 1, 2}, {1, 1, 1, -1})}, {{"group", std::int64_t{2}}});
  EXPECT_THAT(grouped.shape, ElementsAre(1, 2, 2));
  EXPECT_THAT(grouped.data, ElementsAre(3, 5, -1, -1));
}

TEST(Convolution, AutomaticPadding) {
  const Tensor line = reals({1, 1, 4}, {1, 2, 3, 4}), pair = reals({1, 1, 2}, {1, 10});
  EXPECT_THAT(only("Conv", {line, pair}, {{"auto_pad", std::string("SAME_UPPER")}}).data, ElementsAre(21, 32, 43, 4));
  EXPECT_THAT(only("Conv", {line, pair}, {{"auto_pad", std::string("SAME_LOWER")}}).data, ElementsAre(10, 21, 32, 43));
  EXPECT_THAT(only("Conv", {line, pair}, {{"auto_pad", std::string("VALID")}}).data, ElementsAre(21, 32, 43));
}

TEST(Convolution, RefusesWeightsThatDoNotFit) {
  EXPECT_THAT(refusal("Conv", {kCount9, reals({1, 2, 1, 1}, {1, 1})}), HasSubstr("node 'n' (Conv): weights of shape"));
  EXPECT_THAT(refusal("Conv", {kCount9, reals({1, 1, 4, 4}, std::vector<double>(16))}), HasSubstr("larger than"));
}

TEST(Pooling, AveragesAndPadding) {
  const Attributes padded{
      {"kernel_shape", Integers{2, 2}}, {"pads", Integers{1, 1, 0, 0}}, {"strides", Integers{2, 2}}};
  EXPECT_THAT(only("AveragePool", {kCount9}, padded).data, ElementsAre(1, 2.5, 5.5, 7));
  Attributes counted = padded;
  counted["count_include_pad"] = std::int64_t{1};
  EXPECT_THAT(only("AveragePool", {kCount9}, counted).data, ElementsAre(0.25, 1.25, 2.75, 7));
  EXPECT_THAT(only("GlobalAveragePool", {kCount9}).data, ElementsAre(5));
  EXPECT_THAT(only("GlobalMaxPool", {kCount9}).shape, ElementsAre(1, 1, 1, 1));
}

TEST(Pooling, CeilModeCountsOnlyWhatIsThere) {
  const Attributes ceil{{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}, {"ceil_mode", std::int64_t{1}}};
  EXPECT_THAT(only("AveragePool", {kCount9}, ceil).data, ElementsAre(3, 4.5, 7.5, 9));
  EXPECT_THAT(only("MaxPool", {kCount9}, ceil).data, ElementsAre(5, 6, 8, 9));
}

TEST(Pooling, MaximumAndItsPosition) {
  const auto both = all_of("MaxPool", {kCount9}, {{"kernel_shape", Integers{2, 2}}}, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(both.at(1).data, ElementsAre(4, 5, 7, 8));
  const auto by_columns =
      all_of("MaxPool", {kCount9}, {{"kernel_shape", Integers{2, 2}}, {"storage_order", std::int64_t{1}}}, 2);
  EXPECT_THAT(by_columns.at(1).data, ElementsAre(4, 7, 5, 8));
}

TEST(Matrix, GemmWithEveryOption) {
  const Tensor a = reals({2, 3}, {1, 2, 3, 4, 5, 6}), b = reals({2, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(only("Gemm", {a, b}, {{"transA", std::int64_t{1}}}).data, ElementsAre(401, 4010, 502, 5020, 603, 6030));
  const Tensor biased = only("Gemm", {a, reals({1, 3}, {1, 1, 1}), reals({1}, {5})},
                             {{"transB", std::int64_t{1}}, {"alpha", 2.0}, {"beta", 0.5}});
  EXPECT_THAT(biased.data, ElementsAre(14.5, 32.5));
  EXPECT_THAT(refusal("Gemm", {a, b}), HasSubstr("do not chain"));
}

TEST(Matrix, MatMulStacksAndVectors) {
  const Tensor stack = reals({2, 1, 2}, {1, 2, 3, 4}), matrix = reals({2, 2}, {1, 10, 100, 1000});
  const Tensor product = only("MatMul", {stack, matrix});
  EXPECT_THAT(product.shape, ElementsAre(2, 1, 2));
  EXPECT_THAT(product.data, ElementsAre(201, 2010, 403, 4030));
  EXPECT_THAT(only("MatMul", {reals({2}, {1, 2}), matrix}).shape, ElementsAre(2));
  EXPECT_THAT(only("MatMul", {matrix, reals({2}, {1, 2})}).data, ElementsAre(21, 2100));
  const Tensor inner = only("MatMul", {reals({2}, {1, 2}), reals({2}, {3, 4})});
  EXPECT_TRUE(inner.shape.empty());
  EXPECT_THAT(inner.data, ElementsAre(11));
}

TEST(Arithmetic, BroadcastsBothWays) {
  const Tensor column = reals({2, 1}, {1, 2}), row = reals({3}, {10, 20, 30});
  const Tensor sum = only("Add", {column, row});
  EXPECT_THAT(sum.shape, ElementsAre(2, 3));
  EXPECT_THAT(sum.data, ElementsAre(11, 21, 31, 12, 22, 32));
  EXPECT_THAT(only("Sub", {row, column}).data, ElementsAre(9, 19, 29, 8, 18, 28));
  EXPECT_THAT(only("Max", {column, row, reals({}, {15})}).data, ElementsAre(15, 20, 30, 15, 20, 30));
  EXPECT_THAT(only("Mean", {column, reals({2, 1}, {3, 6})}).data, ElementsAre(2, 4));
  EXPECT_THAT(refusal("Add", {reals({2}, {1, 2}), row}), HasSubstr("do not broadcast"));
}

TEST(Arithmetic, IntegersStayIntegers) {
  const Tensor quotient = only("Div", {integers({7, -7}), integers({2, 2})});
  EXPECT_THAT(quotient.data, ElementsAre(3, -3));
  EXPECT_TRUE(quotient.integral);
  EXPECT_THAT(only("Mod", {integers({7, -7}), integers({4, 4})}).data, ElementsAre(3, 1));
  EXPECT_THAT(only("Mod", {integers({7, -7}), integers({4, 4})}, {{"fmod", std::int64_t{1}}}).data, ElementsAre(3, -3));
  EXPECT_THAT(only("Pow", {integers({2, 3}), reals({}, {2})}).data, ElementsAre(4, 9));
  EXPECT_THAT(refusal("Div", {integers({1}), integers({0})}), HasSubstr("divided by zero"));
  EXPECT_THAT(only("Where", {integers({1, 0}), reals({}, {5}), reals({2}, {8, 9})}).data, ElementsAre(5, 9));
  EXPECT_TRUE(only("Less", {reals({1}, {1}), reals({1}, {2})}).integral);
}

TEST(Activation, ValuesAtKnownPoints) {
  const Tensor x = reals({3}, {-1, 0, 2});
  EXPECT_THAT(only("Relu", {x}).data, ElementsAre(0, 0, 2));
  EXPECT_THAT(only("LeakyRelu", {x}, {{"alpha", 0.5}}).data, ElementsAre(-0.5, 0, 2));
  EXPECT_THAT(only("Elu", {x}).data, near({std::exp(-1) - 1, 0, 2}));
  EXPECT_THAT(only("Sigmoid", {x}).data, near({0.26894142136999512, 0.5, 0.88079707797788244}));
  EXPECT_THAT(only("Softplus", {x}).data, near({0.31326168751822284, 0.69314718055994531, 2.1269280110429725}));
  EXPECT_THAT(only("Softsign", {x}).data, near({-0.5, 0, 2.0 / 3}));
  EXPECT_THAT(only("HardSigmoid", {x}).data, near({0.3, 0.5, 0.9}));
  EXPECT_THAT(only("HardSwish", {x}).data, near({-1.0 / 3, 0, 5.0 / 3}));
  EXPECT_THAT(only("Erf", {x}).data, near({-0.84270079294971487, 0, 0.99532226501895273}));
  EXPECT_THAT(only("ThresholdedRelu", {x}).data, ElementsAre(0, 0, 2));
  EXPECT_THAT(only("PRelu", {x, reals({1}, {0.25})}).data, ElementsAre(-0.25, 0, 2));
  EXPECT_THAT(only("Clip", {x, reals({}, {-0.5}), reals({}, {1})}).data, ElementsAre(-0.5, 0, 1));
  EXPECT_THAT(only("Sigmoid", {reals({2}, {-800, 800})}).data, ElementsAre(0, 1));
  EXPECT_THAT(only("Softplus", {reals({2}, {-800, 800})}).data, ElementsAre(0, 800));
  EXPECT_THAT(only("Round", {reals({4}, {0.5, 1.5, -2.5, 2.6})}).data, ElementsAre(0, 2, -2, 3));
}

TEST(Softmax, AlongAnyAxisWithoutOverflow) {
  const Tensor x = reals({2, 2}, {1000, 0, 1000, std::log(3.0)});
  EXPECT_THAT(only("Softmax", {x}, {{"axis", std::int64_t{0}}}).data, near({0.5, 0.25, 0.5, 0.75}));
  EXPECT_THAT(only("LogSoftmax", {x}).data, near({0, -1000, 0, std::log(3.0) - 1000}));
  EXPECT_THAT(only("Hardmax", {x}).data, ElementsAre(1, 0, 1, 0));
}

TEST(Reduction, AxesAndKeptDimensions) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("ReduceSum", {x}).data, ElementsAre(21));
  EXPECT_THAT(only("ReduceSum", {x, integers({-1})}, {{"keepdims", std::int64_t{0}}}).shape, ElementsAre(2));
  EXPECT_THAT(only("ReduceMean", {x}, {{"axes", Integers{0}}}).data, ElementsAre(2.5, 3.5, 4.5));
  EXPECT_THAT(only("ReduceMax", {x}, {{"axes", Integers{1}}}).data, ElementsAre(3, 6));
  EXPECT_THAT(only("ReduceMin", {x}, {{"axes", Integers{1}}}).data, ElementsAre(1, 4));
  EXPECT_THAT(only("ReduceProd", {x}, {{"axes", Integers{1}}}).data, ElementsAre(6, 120));
  EXPECT_THAT(only("ReduceL1", {reals({2}, {-3, 4})}).data, ElementsAre(7));
  EXPECT_THAT(only("ReduceL2", {reals({2}, {-3, 4})}).data, ElementsAre(5));
  EXPECT_THAT(only("ReduceSumSquare", {x}, {{"axes", Integers{1}}}).data, ElementsAre(14, 77));
  EXPECT_THAT(only("ReduceLogSumExp", {reals({2}, {0, 0})}).data, near({std::log(2.0)}));
  EXPECT_THAT(only("ArgMax", {x}, {{"axis", std::int64_t{1}}}).data, ElementsAre(2, 2));
  const Tensor tie = reals({3}, {5, 5, 1});
  EXPECT_THAT(only("ArgMax", {tie}).data, ElementsAre(0));
  EXPECT_THAT(only("ArgMax", {tie}, {{"select_last_index", std::int64_t{1}}}).data, ElementsAre(1));
  EXPECT_THAT(only("ArgMin", {tie}, {{"keepdims", std::int64_t{0}}}).shape, ElementsAre());
}

TEST(Normalisation, BatchAndLayer) {
  const Tensor x = reals({1, 2, 2}, {1, 3, 5, 9});
  const Tensor scale = reals({2}, {2, 1}), bias = reals({2}, {10, 0});
  const Tensor mean = reals({2}, {1, 5}), variance = reals({2}, {4, 16});
  EXPECT_THAT(only("BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 0.0}}).data,
              ElementsAre(10, 12, 0, 1));
  const auto layer = all_of("LayerNormalization", {x, scale, bias}, {{"epsilon", 0.0}}, 3);
  EXPECT_THAT(layer.at(0).data, near({-2 + 10, 1, -2 + 10, 1}));
  EXPECT_THAT(layer.at(1).data, ElementsAre(2, 7));
  EXPECT_THAT(layer.at(2).data, ElementsAre(1, 0.5));
}

TEST(ShapeOperators, KeepTheElements) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("Reshape", {x, integers({0, -1, 1})}).shape, ElementsAre(2, 3, 1));
  EXPECT_THAT(refusal("Reshape", {x, integers({4, -1})}), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("Reshape", {x, integers({-1, -1})}), HasSubstr("leaves two axes open"));
  EXPECT_THAT(only("Flatten", {x}, {{"axis", std::int64_t{0}}}).shape, ElementsAre(1, 6));
  EXPECT_THAT(only("Squeeze", {reals({1, 2, 1}, {1, 2})}).shape, ElementsAre(2));
  EXPECT_THAT(only("Unsqueeze", {x, integers({-1, 0})}).shape, ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(only("Shape", {x}, {{"start", std::int64_t{-1}}}).data, ElementsAre(3));
  EXPECT_THAT(only("ConstantOfShape", {integers({2})}, {{"value", reals({1}, {7})}}).data, ElementsAre(7, 7));
  EXPECT_THAT(only("Range", {integers({5}), integers({0}), integers({-2})}).data, ElementsAre(5, 3, 1));
  EXPECT_THAT(only("Cast", {reals({2}, {-1.7, 2.7})}, {{"to", std::int64_t{7}}}).data, ElementsAre(-1, 2));
  EXPECT_THAT(only("Cast", {reals({2}, {0, 0.5})}, {{"to", std::int64_t{9}}}).data, ElementsAre(0, 1));
}

TEST(Indexing, MovesElements) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("Transpose", {x}).data, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(only("Concat", {x, reals({2, 1}, {8, 9})}, {{"axis", std::int64_t{1}}}).data,
              ElementsAre(1, 2, 3, 8, 4, 5, 6, 9));
  const auto parts = all_of("Split", {x, integers({1, 2})}, {{"axis", std::int64_t{1}}}, 2);
  EXPECT_THAT(parts.at(0).data, ElementsAre(1, 4));
  EXPECT_THAT(parts.at(1).data, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(only("Gather", {x, integers({-1, 0})}, {{"axis", std::int64_t{1}}}).data, ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(refusal("Gather", {x, integers({2})}), HasSubstr("index 2 is outside"));
  EXPECT_THAT(only("GatherElements", {x, {{1, 2}, {1, 0}, true}}).data, ElementsAre(4, 2));
  EXPECT_THAT(only("Expand", {reals({2, 1}, {1, 2}), integers({2})}).data, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(only("Tile", {reals({1, 2}, {1, 2}), integers({2, 2})}).data, ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_THAT(only("NonZero", {reals({2, 2}, {0, 3, 4, 0})}).data, ElementsAre(0, 1, 1, 0));
}

TEST(Indexing, SlicesForwardsAndBackwards) {
  const Tensor x = reals({5}, {0, 1, 2, 3, 4});
  const auto slice = [&](double start, double end, double step) {
    return only("Slice", {x, integers({start}), integers({end}), integers({0}), integers({step})}).data;
  };
  EXPECT_THAT(slice(1, 0x1p53, 2), ElementsAre(1, 3));
  EXPECT_THAT(slice(-2, 0x1p53, 1), ElementsAre(3, 4));
  EXPECT_THAT(slice(-1, -0x1p53, -2), ElementsAre(4, 2, 0));
  EXPECT_THAT(slice(3, 1, 1), ElementsAre());
  EXPECT_THAT(refusal("Slice", {x, integers({0}), integers({1}), integers({1})}), HasSubstr("axis 1 is outside"));
}

TEST(Indexing, PadsInThreeModesAndCrops) {
  const Tensor x = reals({3}, {1, 2, 3});
  EXPECT_THAT(only("Pad", {x, integers({1, 2}), reals({}, {9})}).data, ElementsAre(9, 1, 2, 3, 9, 9));
  EXPECT_THAT(only("Pad", {x, integers({2, 1})}, {{"mode", std::string("reflect")}}).data,
              ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(only("Pad", {x, integers({1, 1})}, {{"mode", std::string("edge")}}).data, ElementsAre(1, 1, 2, 3, 3));
  EXPECT_THAT(only("Pad", {x, integers({-1, 0})}).data, ElementsAre(2, 3));
}

TEST(Indexing, DepthAndSpace) {
  const Tensor depth = reals({1, 4, 1, 1}, {1, 2, 3, 4});
  const Tensor space = only("DepthToSpace", {depth}, {{"blocksize", std::int64_t{2}}});
  EXPECT_THAT(space.shape, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(space.data, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(only("SpaceToDepth", {space}, {{"blocksize", std::int64_t{2}}}).data, ElementsAre(1, 2, 3, 4));
}

TEST(MachineLearning, ScalerAndNormalizer) {
  const Tensor x = reals({1, 2}, {3, 4});
  const Attributes scaler{{"offset", std::vector<double>{1, 0}}, {"scale", std::vector<double>{2}}};
  EXPECT_THAT(only("ai.onnx.ml.Scaler", {x}, scaler).data, ElementsAre(4, 8));
  EXPECT_THAT(only("ai.onnx.ml.Normalizer", {x}, {{"norm", std::string("L2")}}).data, near({0.6, 0.8}));
}

TEST(MachineLearning, LinearClassifier) {
  const Tensor x = reals({1, 2}, {3, 4});
  Attributes attributes{{"coefficients", std::vector<double>{1, 0, 0, 1}},
                        {"intercepts", std::vector<double>{0, -1}},
                        {"classlabels_ints", Integers{5, 6}},
                        {"post_transform", std::string("SOFTMAX")}};
  auto both = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(5)) << "equal scores: the first label";
  EXPECT_THAT(both.at(1).data, ElementsAre(0.5, 0.5));
  attributes["post_transform"] = std::string("LOGISTIC");
  EXPECT_THAT(all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2).at(1).data,
              near({0.95257412682243336, 0.95257412682243336}));
  // One row for two labels: it scores the second.
  attributes["coefficients"] = std::vector<double>{1, -1};
  attributes["intercepts"] = std::vector<double>{1 + std::log(3.0)};
  both = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(6));
  EXPECT_THAT(both.at(1).data, near({0.25, 0.75}));
  attributes["intercepts"] = std::vector<double>{};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("0 intercepts do not fit"));
}

TEST(Reference, KnowsItsOperatorsOnly) {
  EXPECT_TRUE(knows("Conv"));
  EXPECT_TRUE(knows("ai.onnx.ml.Scaler"));
  EXPECT_FALSE(knows("LSTM"));
  EXPECT_THAT(refusal("LSTM", {}), HasSubstr("node 'n' (LSTM): this operator is not supported"));
}

TEST(Reference, RunRefusesInputsThatDoNotFit) {
  Graph graph;
  graph.tensors = {{"x", {1, 2}, false, -1}, {"y", {1, 2}, false, -1}};
  graph.nodes = {{"Relu", "r", {0}, {1}, {}}};
  graph.inputs = {0};
  graph.outputs = {1};
  std::vector<std::string> seen;
  const auto outputs = run(graph, std::vector{reals({1, 2}, {-1, 3})},
                           [&](const Node& node, std::span<const Tensor>) { seen.push_back(node.name); });
  EXPECT_THAT(outputs.at(0).data, ElementsAre(0, 3));
  EXPECT_THAT(seen, ElementsAre("r"));
  EXPECT_THROW(run(graph, std::vector{reals({2, 1}, {-1, 3})}), base::InputError);
  EXPECT_THROW(run(graph, std::vector{reals({1, 2}, {-1})}), base::InputError);
  EXPECT_THROW(run(graph, {}), base::InputError);
}

}  // namespace
}  // namespace tacit::graph::reference
