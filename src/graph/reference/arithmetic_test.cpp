#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Inputs 0, 1, ... of a graph whose first tensor is as said, and the others int64 or float64.
Tensor first_as(const TensorInfo& first, const std::string& op, const std::vector<Tensor>& inputs) {
  Graph graph;
  Node node{op, "n", {}, {0}, {}};
  std::vector<const Tensor*> arguments;
  for (const Tensor& input : inputs) {
    node.inputs.push_back(static_cast<TensorId>(arguments.size()));
    graph.tensors.push_back({"other", input.shape, input.integral});
    arguments.push_back(&input);
  }
  graph.tensors.at(0).rounding = first.rounding;
  graph.tensors.at(0).integers = first.integers;
  return evaluate(graph, node, arguments).at(0);
}
TensorInfo of_type(IntegerType type) {
  TensorInfo info;
  info.integers = type;
  return info;
}
TensorInfo of_format(FloatFormat format) {
  TensorInfo info;
  info.rounding = format;
  return info;
}

TEST(Arithmetic, IntegersWrapAroundInTheirType) {
  const auto of = [](IntegerType type, const char* op, double a, double b) {
    const Tensor result = first_as(of_type(type), op, {integers({a}), integers({b})});
    EXPECT_TRUE(result.integral) << op;
    return result.data.at(0);
  };
  EXPECT_EQ(of(IntegerType::int8, "Add", 100, 100), -56);
  EXPECT_EQ(of(IntegerType::int8, "Add", 100, 27), 127);
  EXPECT_EQ(of(IntegerType::int8, "Sub", -100, 100), 56);
  EXPECT_EQ(of(IntegerType::uint8, "Sub", 3, 5), 254);
  EXPECT_EQ(of(IntegerType::int8, "Mul", 16, 9), -112);
  EXPECT_EQ(of(IntegerType::int8, "Sum", 100, 100), -56);
  EXPECT_EQ(of(IntegerType::int64, "Mul", 16, 9), 144);
}

TEST(Arithmetic, AnIntegerWithARealIsReal) {
  const Tensor whole = integers({2, 3}), real = reals({2}, {0.5, -0.5});
  for (const bool turned : {false, true}) {
    const std::vector<Tensor> operands = turned ? std::vector{real, whole} : std::vector{whole, real};
    const double sign = turned ? -1 : 1;
    EXPECT_THAT(only("Add", operands).data, ElementsAre(2.5, 2.5));
    EXPECT_THAT(only("Sub", operands).data, ElementsAre(sign * 1.5, sign * 3.5));
    EXPECT_THAT(only("Mul", operands).data, ElementsAre(1, -1.5));
    for (const char* op : {"Add", "Sub", "Mul", "Min", "Max", "Mod", "Sum"})
      EXPECT_FALSE(only(op, operands).integral) << op;
    EXPECT_FALSE(only("Where", {integers({1, 0}), operands[0], operands[1]}).integral);
  }
  for (const char* op : {"Add", "Sub", "Mul", "Min", "Max", "Mod", "Sum"})
    EXPECT_TRUE(only(op, {whole, whole}).integral) << op;
  EXPECT_TRUE(only("Where", {integers({1, 0}), whole, whole}).integral);
}

TEST(Arithmetic, ComparesBelowAtAndAbove) {
  const Tensor a = reals({3}, {1, 2, 3}), b = reals({}, {2});
  const auto expect = [&](const char* op, double below, double at, double above) {
    const Tensor result = only(op, {a, b});
    EXPECT_THAT(result.data, ElementsAre(below, at, above)) << op;
    EXPECT_TRUE(result.integral) << op;
  };
  expect("Equal", 0, 1, 0);
  expect("Less", 1, 0, 0);
  expect("LessOrEqual", 1, 1, 0);
  expect("Greater", 0, 0, 1);
  expect("GreaterOrEqual", 0, 1, 1);
}

TEST(Arithmetic, TruthTables) {
  const Tensor a = integers({0, 0, 2, 1}), b = integers({0, 3, 0, 2});  // what is not 0 is true
  EXPECT_THAT(only("And", {a, b}).data, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(only("Or", {a, b}).data, ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(only("Xor", {a, b}).data, ElementsAre(0, 1, 1, 0));
  EXPECT_TRUE(only("Xor", {a, b}).integral);
}

TEST(Arithmetic, ExtremesOfAnyNumberShowWhatIsNoNumber) {
  const Tensor a = reals({3}, {1, 5, 3}), b = reals({3}, {2, 4, 3}), c = reals({3}, {0, 9, 3});
  EXPECT_THAT(only("Min", {a, b}).data, ElementsAre(1, 4, 3));
  EXPECT_THAT(only("Max", {a, b}).data, ElementsAre(2, 5, 3));
  EXPECT_THAT(only("Min", {a, b, c}).data, ElementsAre(0, 4, 3));
  EXPECT_THAT(only("Max", {a, b, c}).data, ElementsAre(2, 9, 3));
  EXPECT_THAT(only("Max", {a}).data, ElementsAre(1, 5, 3));
  for (const char* op : {"Min", "Max"}) {
    const Tensor seen = only(op, {reals({2}, {NAN, 1}), reals({2}, {1, NAN})});
    EXPECT_TRUE(std::isnan(seen.data[0]) && std::isnan(seen.data[1])) << op;
  }
}

TEST(Arithmetic, OnlyIntegersAreNotDividedByZero) {
  EXPECT_THAT(only("Div", {reals({2}, {1, -1}), reals({1}, {0})}).data, ElementsAre(HUGE_VAL, -HUGE_VAL));
  EXPECT_THAT(only("Div", {integers({1}), reals({1}, {0})}).data, ElementsAre(HUGE_VAL));
  EXPECT_THAT(only("Div", {reals({1}, {1}), integers({0})}).data, ElementsAre(HUGE_VAL));
  EXPECT_THAT(refusal("Div", {integers({4, 4}), integers({2, 0})}), HasSubstr("an integer is divided by zero"));
  EXPECT_THAT(refusal("Mod", {integers({4, 4}), integers({2, 0})}), HasSubstr("an integer is divided by zero"));
  for (const auto& [a, b] : {std::pair{integers({1}), reals({1}, {0})}, std::pair{reals({1}, {1}), integers({0})},
                             std::pair{reals({1}, {1}), reals({1}, {0})}})
    EXPECT_TRUE(std::isnan(only("Mod", {a, b}).data[0]));
}

TEST(Arithmetic, RestsHaveTheSignOfTheDivisorOrOfTheDividend) {
  const Tensor a = integers({7, -7, 7, -7, 8, -8}), b = integers({4, 4, -4, -4, -4, 4});
  EXPECT_THAT(only("Mod", {a, b}).data, ElementsAre(3, 1, -1, -3, 0, 0));
  EXPECT_THAT(only("Mod", {a, b}, {{"fmod", std::int64_t{1}}}).data, ElementsAre(3, -3, 3, -3, 0, 0));
  const Tensor real = only("Mod", {reals({2}, {5.5, -5.5}), reals({2}, {-2, 2})});
  EXPECT_THAT(real.data, ElementsAre(-0.5, 0.5));
  EXPECT_TRUE(only("Mod", {a, b}, {{"fmod", std::int64_t{1}}}).integral);
}

TEST(Arithmetic, RestsAndDivisorsBelowOne) {
  const Tensor a = reals({6}, {2.5, -2.5, 2.5, 0.75, -0.625, 0.75}), b = reals({6}, {2, 2, -2, 0.5, 0.5, -0.5});
  EXPECT_THAT(only("Mod", {a, b}).data, ElementsAre(0.5, 1.5, -1.5, 0.25, 0.375, -0.25));
  EXPECT_THAT(only("Mod", {a, b}, {{"fmod", std::int64_t{1}}}).data, ElementsAre(0.5, -0.5, 0.5, 0.25, -0.125, 0.25));
}

TEST(Arithmetic, SumsAreRoundedTermByTerm) {
  const std::vector<Tensor> terms{reals({1}, {2048}), reals({1}, {1}), reals({1}, {1})};
  EXPECT_THAT(first_as(of_format(FloatFormat::float64), "Sum", terms).data, ElementsAre(2050));
  EXPECT_THAT(first_as(of_format(FloatFormat::float16), "Sum", terms).data, ElementsAre(2048)) << "2049 is a tie";
  EXPECT_THAT(only("Mean", {reals({2}, {1, 2}), reals({2}, {3, 5}), reals({}, {5})}).data, ElementsAre(3, 4));
  EXPECT_THAT(only("Sum", {reals({2}, {1, 2})}).data, ElementsAre(1, 2));
  EXPECT_THAT(only("Sum", {reals({2}, {1, 2}), reals({2, 1}, {10, 20})}).data, ElementsAre(11, 12, 21, 22));
}

TEST(Arithmetic, WhereBroadcastsAllThree) {
  const Tensor chosen = only("Where", {integers({2, 1}, {2, 0}), reals({3}, {1, 2, 3}), reals({}, {9})});
  EXPECT_THAT(chosen.shape, ElementsAre(2, 3));
  EXPECT_THAT(chosen.data, ElementsAre(1, 2, 3, 9, 9, 9));
  EXPECT_THAT(refusal("Where", {integers({1, 0}), reals({3}, {1, 2, 3}), reals({}, {9})}),
              HasSubstr("shapes [2], [3] and [] do not broadcast"));
  EXPECT_THAT(refusal("Where", {integers({1}), reals({3}, {1, 2, 3}), reals({2}, {8, 9})}),
              HasSubstr("shapes [1], [3] and [2] do not broadcast"));
}

TEST(Broadcasting, StretchesAxesOfOneAndNoOthers) {
  const auto shape = [](const Shape& a, const Shape& b) {
    const auto zeros = [](const Shape& of) {
      std::int64_t count = 1;
      for (const std::int64_t extent : of) count *= extent;
      return reals(of, Reals(static_cast<std::size_t>(count)));
    };
    return only("Add", {zeros(a), zeros(b)}).shape;
  };
  EXPECT_THAT(shape({}, {}), ElementsAre());
  EXPECT_THAT(shape({}, {2, 1}), ElementsAre(2, 1));
  EXPECT_THAT(shape({3, 1, 2}, {4, 1}), ElementsAre(3, 4, 2));
  EXPECT_THAT(shape({1}, {0}), ElementsAre(0));
  EXPECT_THAT(shape({0}, {1}), ElementsAre(0));
  EXPECT_THAT(refusal("Add", {reals({2}, {1, 2}), reals({0}, {})}), HasSubstr("shapes [2] and [0] do not broadcast"));
  EXPECT_THAT(refusal("Add", {reals({0}, {}), reals({2}, {1, 2})}), HasSubstr("shapes [0] and [2] do not broadcast"));
  EXPECT_THAT(refusal("Add", {reals({2, 1}, {1, 2}), reals({3, 1}, {1, 2, 3})}),
              HasSubstr("shapes [2, 1] and [3, 1] do not broadcast"));
}

TEST(Broadcasting, ReadsInnerMiddleAndOuterAxesAgain) {
  const Tensor a = reals({2, 1, 3}, {1, 2, 3, 4, 5, 6}), b = reals({2, 1}, {10, 20}), c = reals({2, 1, 1}, {100, 200});
  EXPECT_THAT(only("Add", {a, b}).data, ElementsAre(11, 12, 13, 21, 22, 23, 14, 15, 16, 24, 25, 26));
  EXPECT_THAT(only("Sub", {b, c}).data, ElementsAre(-90, -80, -190, -180));
}

}  // namespace
}  // namespace tacit::graph::reference
