#include <cmath>
#include <string>
#include <vector>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

// A window that would start behind the input and the padding before it is left out.
TEST(Pooling, CeilModeStartsNoWindowInThePaddingBehind) {
  const Tensor line = reals({1, 1, 4}, {1, -2, 3, -4});
  const Attributes single{{"kernel_shape", Integers{1}}, {"strides", Integers{2}}, {"ceil_mode", std::int64_t{1}}};
  EXPECT_THAT(only("LpPool", {line}, single).data, ElementsAre(1, 3));
  Attributes counted = single;
  counted["count_include_pad"] = std::int64_t{1};
  EXPECT_THAT(only("AveragePool", {line}, counted).data, ElementsAre(1, 3));
  const Attributes padded{{"kernel_shape", Integers{2}},
                          {"strides", Integers{2}},
                          {"pads", Integers{0, 1}},
                          {"ceil_mode", std::int64_t{1}}};
  EXPECT_THAT(only("MaxPool", {line}, padded).data, ElementsAre(1, 3));
}

TEST(Pooling, MaximumAndItsPosition) {
  const auto both = all_of("MaxPool", {kCount9}, {{"kernel_shape", Integers{2, 2}}}, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(both.at(1).data, ElementsAre(4, 5, 7, 8));
  const auto by_columns =
      all_of("MaxPool", {kCount9}, {{"kernel_shape", Integers{2, 2}}, {"storage_order", std::int64_t{1}}}, 2);
  EXPECT_THAT(by_columns.at(1).data, ElementsAre(4, 7, 5, 8));
}

TEST(Pooling, NormsAndDilations) {
  const Attributes pair{{"kernel_shape", Integers{2, 2}}, {"dilations", Integers{2, 2}}};
  EXPECT_THAT(only("AveragePool", {kCount9}, pair).data, ElementsAre(5));
  const Tensor line = reals({1, 1, 3}, {3, -4, 12});
  Attributes attributes{{"kernel_shape", Integers{2}}, {"pads", Integers{0, 1}}};
  EXPECT_THAT(only("LpPool", {line}, attributes).data, near({5, std::sqrt(160.0), 12}));
  attributes["p"] = std::int64_t{1};
  EXPECT_THAT(only("LpPool", {line}, attributes).data, ElementsAre(7, 16, 12));
  attributes["p"] = std::int64_t{3};
  EXPECT_THAT(only("LpPool", {line}, attributes).data, near({std::cbrt(91.0), std::cbrt(1792.0), 12}));
  attributes["p"] = std::int64_t{0};
  EXPECT_THAT(refusal("LpPool", {line}, attributes), HasSubstr("attribute 'p' holds 0, outside [1, 2147483648]"));
  EXPECT_THAT(only("GlobalLpPool", {line}).data, ElementsAre(13));
  EXPECT_THAT(only("GlobalLpPool", {line}, {{"p", std::int64_t{1}}}).data, ElementsAre(19));
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

TEST(Arithmetic, AQuotientWithARealIsReal) {
  for (const auto& operands : {std::vector<Tensor>{integers({7, -7}), reals({2}, {2, 4})},
                               {reals({2}, {7, -7}), integers({2, 4})},
                               {reals({2}, {7, -7}), reals({2}, {2, 4})}}) {
    const Tensor quotient = only("Div", operands);
    EXPECT_THAT(quotient.data, ElementsAre(3.5, -1.75));
    EXPECT_FALSE(quotient.integral);
  }
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

TEST(Activation, OfLaterOpsets) {
  const Tensor x = reals({3}, {-1, 0, 2});
  EXPECT_THAT(only("Gelu", {x}).data, near({-0.15865525393145705, 0, 1.9544997361036416}));
  EXPECT_THAT(only("Gelu", {x}, {{"approximate", std::string("tanh")}}).data,
              close({-0.1588079929351806, 0, 1.954597592353821}));
  EXPECT_THAT(refusal("Gelu", {x}, {{"approximate", std::string("erf")}}), HasSubstr("none of none, tanh"));
  EXPECT_THAT(only("Mish", {x}).data, close({-0.30340146, 0, 1.9439589}));
  EXPECT_THAT(only("Swish", {x}).data, near({-0.26894142136999512, 0, 1.7615941559557649}));
  EXPECT_THAT(only("Swish", {x}, {{"alpha", 2.0}}).data, near({-0.11920292202211755, 0, 1.9640275800758168}));
  EXPECT_THAT(only("Shrink", {reals({4}, {-2, -1, 1, 2})}, {{"lambd", 1.5}, {"bias", 0.5}}).data,
              ElementsAre(-1.5, 0, 0, 1.5));
  const Tensor ends = reals({3}, {-HUGE_VAL, 1, HUGE_VAL});
  EXPECT_THAT(only("IsInf", {ends}).data, ElementsAre(1, 0, 1));
  EXPECT_THAT(only("IsInf", {ends}, {{"detect_negative", std::int64_t{0}}}).data, ElementsAre(0, 0, 1));
  EXPECT_THAT(only("IsInf", {ends}, {{"detect_positive", std::int64_t{0}}}).data, ElementsAre(1, 0, 0));
}

TEST(Softmax, AlongAnyAxisWithoutOverflow) {
  const Tensor x = reals({2, 2}, {1000, 0, 1000, std::log(3.0)});
  EXPECT_THAT(only("Softmax", {x}, {{"axis", std::int64_t{0}}}).data, near({0.5, 0.25, 0.5, 0.75}));
  EXPECT_THAT(only("LogSoftmax", {x}).data, near({0, -1000, 0, std::log(3.0) - 1000}));
  EXPECT_THAT(only("Hardmax", {x}).data, ElementsAre(1, 0, 1, 0));
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
  const Tensor zeros = only("ConstantOfShape", {integers({2})});
  EXPECT_THAT(zeros.data, ElementsAre(0, 0));
  EXPECT_FALSE(zeros.integral) << "zeros of float32 where nothing else is said";
  EXPECT_TRUE(only("ConstantOfShape", {integers({2})}, {{"value", integers({7})}}).integral);
  EXPECT_THAT(only("Range", {integers({5}), integers({0}), integers({-2})}).data, ElementsAre(5, 3, 1));
  EXPECT_THAT(only("Cast", {reals({2}, {-1.7, 2.7})}, {{"to", std::int64_t{7}}}).data, ElementsAre(-1, 2));
  EXPECT_THAT(only("Cast", {reals({2}, {0, 0.5})}, {{"to", std::int64_t{9}}}).data, ElementsAre(0, 1));
}

TEST(Reference, KnowsItsOperatorsOnly) {
  EXPECT_THAT(refusal("LSTM", {}), HasSubstr("node 'n' (LSTM): this operator is not supported"));
}

TEST(Reference, RunRoundsToTheStatedFormat) {
  Graph graph;
  graph.tensors = {{"x", {2}}, {"y", {2}}, {"z", {2}, true}};
  graph.tensors[1].rounding = FloatFormat::float16;
  graph.tensors[2].rounding = FloatFormat::float16;  // integers stay
  graph.nodes = {{"Exp", "e", {0}, {1}, {}}, {"Cast", "c", {0}, {2}, {{"to", std::int64_t{7}}}}};
  graph.inputs = {0};
  graph.outputs = {1, 2};
  const auto outputs = run(graph, std::vector{reals({2}, {1, 4097})});
  EXPECT_THAT(outputs.at(0).data, ElementsAre(2.71875, HUGE_VAL));
  EXPECT_THAT(outputs.at(1).data, ElementsAre(1, 4097));
}

TEST(Reference, RefusesTextsWhereNumbersAreNeeded) {
  const Tensor number = reals({1}, {1}), text = texts({"a"});
  EXPECT_THAT(refusal("Relu", {text}), HasSubstr("(Relu): its input 0 holds texts, where numbers are needed"));
  EXPECT_THAT(refusal("Add", {number, text}), HasSubstr("its input 1 holds texts, where numbers are needed"));
  EXPECT_THAT(refusal("Gather", {text, text}), HasSubstr("its input 1 holds texts"));
  EXPECT_THAT(refusal("Where", {text, number, number}), HasSubstr("its input 0 holds texts"));
  EXPECT_THAT(refusal("ai.onnx.ml.Scaler", {text}), HasSubstr("its input 0 holds texts"));
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

/// A small file may ask for a large tensor: results have 2^22 elements, or four times as many as the shapes that the
/// graph states for the node.
TEST(Reference, ResultsFarBeyondTheStatedShapesAreRefused) {
  Graph graph;
  graph.tensors = {{"n", {1}, true}, {"y", {1}}};
  graph.nodes = {{"ConstantOfShape", "c", {0}, {1}, {{"value", reals({1}, {7})}}}};
  graph.inputs = {0};
  graph.outputs = {1};
  const auto refused = [&](double elements, std::int64_t stated) {
    graph.tensors[1].shape = {stated};
    return base::refusal([&] { run(graph, std::vector{integers({elements})}); });
  };
  EXPECT_THAT(run(graph, std::vector{integers({1})}).at(0).data, ElementsAre(7));
  EXPECT_THAT(refused(0x1p22 + 1, 1), HasSubstr("its result of shape [4194305] has 4194305 elements, and 4194304 is "
                                                "the most that it may have here"));
  EXPECT_THAT(refused(0x1p22 + 1, 1 << 20), HasSubstr("4194304 is the most"));
  EXPECT_THAT(refused(0x1p22 + 5, (1 << 20) + 1), HasSubstr("4194308 is the most"));
  EXPECT_THAT(refused(0x1p23 + 1, 1 << 21), HasSubstr("8388608 is the most"));
  graph.tensors[1].shape = {1};
  EXPECT_THROW(run(graph, std::vector{integers({0x1p22})}), base::InternalError) << "made, and not of the stated shape";
}

TEST(Arithmetic, PowersHaveTheTypeOfTheirBase) {
  const Tensor whole = only("Pow", {integers({2, 3}), reals({2}, {-1, 0.5})});
  EXPECT_THAT(whole.data, ElementsAre(0, 1)) << "cut to integers";
  EXPECT_TRUE(whole.integral);
  const Tensor real = only("Pow", {reals({2}, {2, 4}), integers({-1, 0})});
  EXPECT_THAT(real.data, ElementsAre(0.5, 1));
  EXPECT_FALSE(real.integral);
}

}  // namespace
}  // namespace tacit::graph::reference
