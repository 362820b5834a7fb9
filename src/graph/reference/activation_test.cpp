#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Of integers of a type.
Tensor of_integers(const std::string& op, IntegerType type, const Tensor& x) {
  Graph graph;
  graph.tensors = {{"x", x.shape, true}};
  graph.tensors[0].integers = type;
  const Tensor* inputs[] = {&x};
  return evaluate(graph, Node{op, "n", {0}, {0}, {}}, inputs).at(0);
}

TEST(Activation, SignsAndTruthAtZeroAndBeside) {
  const Tensor x = reals({4}, {-2, 0, 3, NAN});
  const Tensor sign = only("Sign", {x});
  EXPECT_THAT(Reals(sign.data.begin(), sign.data.begin() + 3), ElementsAre(-1, 0, 1));
  EXPECT_TRUE(std::isnan(sign.data[3]));
  const Tensor nan = only("IsNaN", {x});
  EXPECT_THAT(nan.data, ElementsAre(0, 0, 0, 1));
  EXPECT_TRUE(nan.integral);
  const Tensor opposite = only("Not", {integers({0, 1, 2})});
  EXPECT_THAT(opposite.data, ElementsAre(1, 0, 0));
  EXPECT_TRUE(opposite.integral);
}

TEST(Activation, OppositesOfIntegersStayInTheirType) {
  const Tensor x = integers({-128, -1, 0, 127});
  for (const char* op : {"Neg", "Abs"}) {
    const bool negates = std::string(op) == "Neg";
    const Tensor narrow = of_integers(op, IntegerType::int8, x);
    EXPECT_THAT(narrow.data, ElementsAre(-128, 1, 0, negates ? -127 : 127)) << op;
    EXPECT_TRUE(narrow.integral) << op;
    EXPECT_THAT(of_integers(op, IntegerType::int16, x).data, ElementsAre(128, 1, 0, negates ? -127 : 127)) << op;
    const Tensor real = only(op, {reals({2}, {-1.5, 0.25})});
    EXPECT_THAT(real.data, ElementsAre(1.5, negates ? -0.25 : 0.25)) << op;
    EXPECT_FALSE(real.integral) << op;
  }
  EXPECT_TRUE(only("Relu", {integers({-1, 2})}).integral);
  EXPECT_FALSE(only("Relu", {reals({1}, {2})}).integral);
}

TEST(Activation, FunctionsOfTheLibrary) {
  const Reals inside{-0.75, 0, 0.5}, above{1, 1.5, 4};
  const auto expect = [](const char* op, const Reals& points, double (*function)(double)) {
    Reals expected;
    for (const double x : points) expected.push_back(function(x));
    EXPECT_THAT(only(op, {reals({3}, points)}).data, near(expected)) << op;
  };
  expect("Exp", inside, [](double x) { return std::exp(x); });
  expect("Sin", inside, [](double x) { return std::sin(x); });
  expect("Cos", inside, [](double x) { return std::cos(x); });
  expect("Tan", inside, [](double x) { return std::tan(x); });
  expect("Asin", inside, [](double x) { return std::asin(x); });
  expect("Acos", inside, [](double x) { return std::acos(x); });
  expect("Atan", inside, [](double x) { return std::atan(x); });
  expect("Sinh", inside, [](double x) { return std::sinh(x); });
  expect("Cosh", inside, [](double x) { return std::cosh(x); });
  expect("Tanh", inside, [](double x) { return std::tanh(x); });
  expect("Asinh", inside, [](double x) { return std::asinh(x); });
  expect("Atanh", inside, [](double x) { return std::atanh(x); });
  expect("Acosh", above, [](double x) { return std::acosh(x); });
  expect("Log", above, [](double x) { return std::log(x); });
  expect("Sqrt", above, [](double x) { return std::sqrt(x); });
  EXPECT_THAT(only("Reciprocal", {reals({2}, {4, -0.5})}).data, ElementsAre(0.25, -2));
  EXPECT_THAT(only("Floor", {reals({3}, {-1.5, 2, 2.5})}).data, ElementsAre(-2, 2, 2));
  EXPECT_THAT(only("Ceil", {reals({3}, {-1.5, 2, 2.5})}).data, ElementsAre(-1, 2, 3));
}

TEST(Activation, WhatAlphaDoesAndIsWhereNothingIsSaid) {
  const Tensor x = reals({3}, {-2, 0, 2});
  const Attributes two{{"alpha", 2.0}}, three{{"alpha", 3.0}};
  EXPECT_THAT(only("LeakyRelu", {x}).data, near({-0.02, 0, 2}));
  EXPECT_THAT(only("Elu", {x}, three).data, near({3 * (std::exp(-2) - 1), 0, 2}));
  EXPECT_THAT(only("Celu", {x}).data, near({std::exp(-2) - 1, 0, 2}));
  EXPECT_THAT(only("Celu", {x}, two).data, near({2 * (std::exp(-1) - 1), 0, 2}));
  constexpr double kAlpha = 1.67326324235, kGamma = 1.05070098736;  // held in float32
  EXPECT_THAT(only("Selu", {x}).data, close({kGamma * kAlpha * (std::exp(-2) - 1), 0, 2 * kGamma}));
  EXPECT_THAT(only("Selu", {x}, {{"alpha", 2.0}, {"gamma", 3.0}}).data, near({6 * (std::exp(-2) - 1), 0, 6}));
  const Tensor edges = reals({4}, {0.5, 1, 1.5, 3});
  EXPECT_THAT(only("ThresholdedRelu", {edges}).data, ElementsAre(0, 0, 1.5, 3)) << "alpha 1 itself is cut";
  EXPECT_THAT(only("ThresholdedRelu", {edges}, two).data, ElementsAre(0, 0, 0, 3));
  for (const char* op : {"LeakyRelu", "Elu", "Celu", "Selu", "ThresholdedRelu", "HardSigmoid", "Swish", "Gelu"})
    EXPECT_FALSE(only(op, {integers({1})}).integral) << op;
}

TEST(Activation, FromZeroOnLinearOnesAreLinearWhateverAlphaIs) {
  const Tensor x = reals({3}, {0, 0.5, 1});
  for (const double alpha : {0.25, HUGE_VAL}) {
    for (const char* op : {"LeakyRelu", "Elu", "Celu"})
      EXPECT_THAT(only(op, {x}, {{"alpha", alpha}}).data, ElementsAre(0, 0.5, 1)) << op << " " << alpha;
    EXPECT_THAT(only("Selu", {x}, {{"alpha", alpha}, {"gamma", 3.0}}).data, ElementsAre(0, 1.5, 3)) << alpha;
    EXPECT_THAT(only("PRelu", {x, reals({1}, {alpha})}).data, ElementsAre(0, 0.5, 1)) << alpha;
  }
}

TEST(Activation, SignsOfNumbersBelowOne) {
  EXPECT_THAT(only("Sign", {reals({4}, {0.5, -0.5, 1e-300, -1e-300})}).data, ElementsAre(1, -1, 1, -1));
}

TEST(Activation, HardOnesSaturate) {
  EXPECT_THAT(only("HardSigmoid", {reals({5}, {-3, -2.5, 0, 2.5, 3})}).data, near({0, 0, 0.5, 1, 1}));
  EXPECT_THAT(only("HardSigmoid", {reals({4}, {-2, 0, 0.5, 2})}, {{"alpha", 0.5}, {"beta", 0.25}}).data,
              near({0, 0.25, 0.5, 1}));
  EXPECT_THAT(only("HardSwish", {reals({5}, {-4, -3, 1.5, 3, 4})}).data, near({0, 0, 1.125, 3, 4}));
}

TEST(Activation, ClipsToTheBoundsThatThereAre) {
  const Tensor x = integers({-3, 0, 3}), low = integers({}, {-1}), high = integers({}, {2});
  const auto clip = [&](const Tensor* lower, const Tensor* upper) {
    const Tensor* inputs[] = {&x, lower, upper};
    return evaluate(Graph{}, Node{"Clip", "n", {}, {0}, {}}, inputs).at(0);
  };
  EXPECT_THAT(clip(nullptr, nullptr).data, ElementsAre(-3, 0, 3));
  EXPECT_THAT(clip(&low, nullptr).data, ElementsAre(-1, 0, 3));
  EXPECT_THAT(clip(nullptr, &high).data, ElementsAre(-3, 0, 2));
  EXPECT_THAT(clip(&high, &low).data, ElementsAre(-1, -1, -1)) << "the upper bound wins";
  EXPECT_TRUE(clip(&low, &high).integral);
  EXPECT_FALSE(only("Clip", {reals({1}, {1})}).integral);
  EXPECT_THAT(refusal("Clip", {x, reals({2}, {0, 1})}), HasSubstr("input 1 must hold one element"));
  EXPECT_THAT(refusal("Clip", {x, low, reals({2}, {0, 1})}), HasSubstr("input 2 must hold one element"));
}

TEST(Activation, ShrinkLeavesItsEdgesAtZero) {
  EXPECT_THAT(only("Shrink", {reals({4}, {-0.75, -0.5, 0.5, 0.75})}).data, ElementsAre(-0.75, 0, 0, 0.75));
  const Tensor whole = only("Shrink", {integers({-3, 1, 3})}, {{"lambd", 1.5}, {"bias", 0.5}});
  EXPECT_THAT(whole.data, ElementsAre(-2, 0, 2)) << "cut to integers";
  EXPECT_TRUE(whole.integral);
  EXPECT_FALSE(only("Shrink", {reals({1}, {1})}).integral);
  EXPECT_TRUE(only("IsInf", {reals({1}, {1})}).integral);
  EXPECT_THAT(only("IsInf", {reals({2}, {NAN, -5})}).data, ElementsAre(0, 0));
}

TEST(Activation, SlopesOfChannels) {
  const Tensor x = reals({2, 2}, {-1, -2, 3, -4});
  EXPECT_THAT(only("PRelu", {x, reals({2, 1}, {0.5, 0.25})}).data, ElementsAre(-0.5, -1, 3, -1));
  EXPECT_THAT(only("PRelu", {x, reals({2}, {0.5, 0.25})}).data, ElementsAre(-0.5, -0.5, 3, -1));
  EXPECT_THAT(refusal("PRelu", {x, reals({3}, {1, 1, 1})}),
              HasSubstr("a slope of shape [3] does not broadcast to [2, 2]"));
  EXPECT_THAT(refusal("PRelu", {reals({2}, {1, 1}), reals({2, 1}, {1, 1})}),
              HasSubstr("a slope of shape [2, 1] does not broadcast to [2]"));
}

}  // namespace
}  // namespace tacit::graph::reference
