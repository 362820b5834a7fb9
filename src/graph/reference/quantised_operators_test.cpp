#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kSteps = integers({2, 3}, {1, 2, 3, 4, 5, 6});

Attributes along(std::int64_t axis) { return {{"axis", axis}}; }

TEST(QuantisedOperators, ScalesAndZeroPointsBelongToAnAxis) {
  const Tensor three = reals({3}, {1, 10, 100}), two = reals({2}, {1, 10});
  const Tensor made = only("DequantizeLinear", {kSteps, three, integers({1, 0, 2})});
  EXPECT_THAT(made.data, ElementsAre(0, 20, 100, 3, 50, 400)) << "axis 1 where nothing else is said";
  EXPECT_FALSE(made.integral);
  EXPECT_THAT(only("DequantizeLinear", {kSteps, three}, along(-1)).data, ElementsAre(1, 20, 300, 4, 50, 600));
  EXPECT_THAT(only("DequantizeLinear", {kSteps, two, integers({0, 4})}, along(0)).data,
              ElementsAre(1, 2, 3, 0, 10, 20));
  EXPECT_THAT(only("DequantizeLinear", {kSteps, reals({1, 1}, {2})}).data, ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(only("QuantizeLinear", {reals({2, 3}, {0, 20, 100, 3, 50, 400}), three, integers({1, 0, 2})}).data,
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(only("QuantizeLinear", {reals({2, 2}, {1, 2, 30, 40}), two, integers({0, 4})}, along(0)).data,
              ElementsAre(1, 2, 7, 8));
}

TEST(QuantisedOperators, RefuseNumbersThatDoNotFit) {
  const Tensor two = reals({2}, {1, 10});
  EXPECT_THAT(refusal("DequantizeLinear", {kSteps, two}),
              HasSubstr("its scale holds 2 numbers, which do not fit axis 1 of shape [2, 3]"));
  EXPECT_THAT(refusal("DequantizeLinear", {kSteps, reals({1, 3}, {1, 2, 3})}),
              HasSubstr("its scale of shape [1, 3] is neither one number nor one for every index of an axis"));
  EXPECT_THAT(refusal("DequantizeLinear", {kSteps, two}, along(2)), HasSubstr("axis 2 is outside"));
  EXPECT_THAT(refusal("QuantizeLinear", {reals({2}, {1, 2}), two, integers({1, 2, 3})}, along(0)),
              HasSubstr("its zero point holds 3 numbers, which do not fit axis 0 of shape [2]"));
}

TEST(QuantisedOperators, QuotientsAreRoundedToEvenAndCutToTheirType) {
  const Tensor x = reals({8}, {-1, 0.5, 1.5, 2.4, 2.6, 254.5, 255.5, HUGE_VAL}), one = reals({}, {1});
  const Tensor made = only("QuantizeLinear", {x, one});
  EXPECT_THAT(made.data, ElementsAre(0, 0, 2, 2, 3, 254, 255, 255)) << "uint8 without a zero point";
  EXPECT_TRUE(made.integral);
  EXPECT_THAT(only("QuantizeLinear", {reals({3}, {1, -3, 5}), reals({}, {2}), integers({}, {10})}).data,
              ElementsAre(10, 8, 12));
  for (const Tensor& nothing : {reals({1}, {NAN}), reals({1}, {0})})
    EXPECT_THAT(refusal("QuantizeLinear", {nothing, reals({}, {0})}),
                HasSubstr("it quantises a number that is none, or divides by a scale of 0"));
  EXPECT_THAT(refusal("QuantizeLinear", {reals({1}, {NAN}), one}), HasSubstr("a number that is none"));
}

/// The quotient is a number of the scale's format, and the result has the zero point's type.
TEST(QuantisedOperators, FormatOfTheScaleAndTypeOfTheZeroPoint) {
  Graph graph;
  graph.tensors = {{"x", {4}}, {"scale", {}}, {"zero", {}, true}};
  graph.tensors[1].rounding = FloatFormat::float16;
  graph.tensors[2].integers = IntegerType::int8;
  const Tensor x = reals({4}, {2.5001, 127, -127, -3}), scale = reals({}, {1}), zero = integers({}, {-2});
  const Tensor* inputs[] = {&x, &scale, &zero};
  const Node node{"QuantizeLinear", "n", {0, 1, 2}, {0}, {}};
  EXPECT_THAT(evaluate(graph, node, inputs).at(0).data, ElementsAre(0, 125, -128, -5));
  graph.tensors[0].rounding = FloatFormat::float16;
  graph.tensors[1].rounding = FloatFormat::float64;
  EXPECT_THAT(evaluate(graph, node, inputs).at(0).data, ElementsAre(1, 125, -128, -5));
}

/// Scales and zero points of the channels that go in, of those that come out, and of the result's.
TEST(QuantisedOperators, ConvolutionOfChannels) {
  const Tensor x = integers({1, 1, 1, 2}, {3, 5}), w = integers({2, 1, 1, 1}, {2, 5});
  std::vector<Tensor> operands{x,
                               reals({}, {0.5}),
                               integers({}, {1}),
                               w,
                               reals({2}, {0.5, 2}),
                               integers({0, 1}),
                               reals({2}, {0.5, 1}),
                               integers({10, 20})};
  // x is (1, 2), w is (1, 8).
  const Tensor made = only("QLinearConv", operands);
  EXPECT_THAT(made.data, ElementsAre(12, 14, 28, 36));
  EXPECT_TRUE(made.integral);
  operands.push_back(integers({4, 3}));  // worth 4 * 0.5 * 0.5 and 3 * 0.5 * 2
  EXPECT_THAT(only("QLinearConv", operands).data, ElementsAre(14, 16, 31, 39));
  operands.back() = integers({1, 2, 3});
  EXPECT_THAT(refusal("QLinearConv", operands), HasSubstr("its scale holds 2 numbers, which do not fit axis 0 of"));
  const Tensor channels = integers({1, 2, 1, 1}, {3, 5});
  EXPECT_THAT(only("ConvInteger", {channels, integers({1, 2, 1, 1}, {1, 10}), integers({1, 2})}).data, ElementsAre(32));
}

TEST(QuantisedOperators, VectorsHaveNumbersForTheirColumns) {
  const Tensor identity = integers({2, 2}, {1, 0, 0, 1}), none = integers({}, {0}), one = reals({}, {1});
  EXPECT_THAT(only("MatMulInteger", {integers({3, 4}), identity, integers({1, 2})}).data, ElementsAre(2, 2));
  EXPECT_THAT(only("MatMulInteger", {identity, identity, none, integers({0, 5})}).data, ElementsAre(1, -5, 0, -4));
  EXPECT_THAT(only("QLinearMatMul", {integers({1, 2}), reals({2}, {1, 2}), none, identity, one, none,
                                     reals({2}, {1, 2}), integers({0, 10})})
                  .data,
              ElementsAre(1, 12));
  EXPECT_THAT(only("QLinearMatMul", {integers({1, 2}), one, none, identity, reals({2}, {1, 3}), integers({0, 1}), one,
                                     integers({}, {100})})
                  .data,
              ElementsAre(101, 97));
}

}  // namespace
}  // namespace tacit::graph::reference
