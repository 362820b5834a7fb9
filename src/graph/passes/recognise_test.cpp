#include "graph/passes/recognise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

const Shape kFour{1, 4};

TEST(Recognise, GeluByErfIsOneFunction) {
  Sketch s;
  const TensorId x = s.input(kFour);
  const TensorId inner = s.node("Div", {x, s.constant({}, {std::numbers::sqrt2})}, kFour);
  const TensorId erf = s.node("Erf", {inner}, kFour);
  const TensorId one = s.node("Add", {erf, s.constant({}, {1})}, kFour);
  const TensorId product = s.node("Mul", {x, one}, kFour);
  const TensorId y = s.node("Mul", {product, s.constant({}, {0.5})}, kFour);
  s.output(y);
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.graph.nodes.size(), 1u);
  EXPECT_EQ(r.graph.nodes[0].op, kFunctionOp);
  const ScalarFunction& gelu = r.functions.at(y);
  EXPECT_EQ(gelu.name(), "Gelu");
  const std::vector<double> points{-1, 0, 2};
  const std::vector<double> values = gelu(points);
  EXPECT_NEAR(values[0], -0.15865525393145707, 1e-12);
  EXPECT_NEAR(values[1], 0, 1e-15);
  EXPECT_NEAR(values[2], 1.9544997361036416, 1e-12);
}

TEST(Recognise, SiluIsOneFunctionAndTheScaleBeforeItStaysLinear) {
  Sketch s;
  const TensorId x = s.input(kFour);
  const TensorId scaled = s.node("Mul", {x, s.constant({}, {3})}, kFour);
  const TensorId gate = s.node("Sigmoid", {scaled}, kFour);
  const TensorId y = s.node("Mul", {scaled, gate}, kFour);
  s.output(y);
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.graph.nodes.size(), 2u);
  EXPECT_EQ(r.graph.nodes[0].op, "Mul");
  EXPECT_EQ(r.functions.at(y).name(), "Silu");
  EXPECT_NEAR(r.functions.at(y)(std::vector<double>{2.0})[0], 2 / (1 + std::exp(-2.0)), 1e-14);
}

TEST(Recognise, SquaresAndScalarArithmeticStayPolynomials) {
  Sketch s;
  const TensorId x = s.input(kFour);
  const TensorId square = s.node("Mul", {x, x}, kFour);
  const TensorId cube = s.node("Pow", {square, s.constant({}, {3})}, kFour);
  s.output(s.node("Add", {cube, s.constant({}, {1})}, kFour));
  const Recognised r = recognise(s.graph);
  EXPECT_EQ(r.graph.nodes.size(), 3u);
  EXPECT_TRUE(r.functions.empty());
}

TEST(Recognise, AFunctionWithAnotherReaderIsNotSwallowed) {
  Sketch s;
  const TensorId x = s.input(kFour);
  const TensorId relu = s.node("Relu", {x}, kFour);
  const TensorId square = s.node("Mul", {relu, relu}, kFour);
  s.output(square);
  s.output(relu);
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.graph.nodes.size(), 2u);
  EXPECT_EQ(r.functions.count(relu), 1u);
  EXPECT_EQ(r.graph.nodes[1].op, "Mul");
}

TEST(Recognise, DropoutIdentityAndCastVanish) {
  Sketch s;
  const TensorId x = s.input(kFour);
  const TensorId a = s.node("Dropout", {x}, kFour);
  const TensorId b = s.node("Identity", {a}, kFour);
  const TensorId c = s.node("Cast", {b}, kFour, {{"to", std::int64_t{11}}});
  s.output(s.node("Neg", {c}, kFour));
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.graph.nodes.size(), 1u);
  EXPECT_EQ(r.graph.nodes[0].inputs, std::vector<TensorId>{x});
}

TEST(Recognise, APerChannelOperandIsNotAScalarFunction) {
  Sketch s;
  const TensorId x = s.input(kFour);
  s.output(s.node("PRelu", {x, s.constant({4}, {0.1, 0.2, 0.3, 0.4})}, kFour));
  EXPECT_TRUE(recognise(s.graph).functions.empty());
}

TEST(Recognise, SumsBetweenTwoFunctionsJoinThemWhereTheyAreFew) {
  for (const int between : {50, 200}) {
    Sketch s;
    const TensorId one = s.constant({}, {1});
    TensorId x = s.node("Relu", {s.input(kFour)}, kFour);
    for (int i = 0; i < between; ++i) x = s.node("Add", {x, one}, kFour);
    s.output(s.node("Exp", {x}, kFour));
    const Recognised r = recognise(s.graph);
    EXPECT_EQ(r.functions.size(), between == 50 ? 1U : 2U) << between;
    EXPECT_EQ(r.graph.nodes.size(), between == 50 ? 1U : 138U) << between;
  }
}

TEST(Recognise, LongChainsOfNodesThatVanish) {
  Sketch s;
  TensorId x = s.input(kFour);
  const TensorId first = x;
  for (int i = 0; i < 5000; ++i) x = s.node(i % 2 == 0 ? "Identity" : "Dropout", {x}, kFour);
  s.output(s.node("Neg", {x}, kFour));
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.graph.nodes.size(), 1U);
  EXPECT_EQ(r.graph.nodes[0].inputs, std::vector<TensorId>{first});
}

TEST(Recognise, NamesOfLongFunctionsAreCut) {
  Sketch s;
  TensorId x = s.input(kFour);
  for (int i = 0; i < 100; ++i) x = s.node("Relu", {x}, kFour);
  s.output(x);
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.functions.size(), 1U);
  EXPECT_LE(r.functions.at(x).name().size(), 100U);
  EXPECT_TRUE(r.functions.at(x).name().ends_with("Relu+..."));
  EXPECT_EQ(r.functions.at(x)(std::vector<double>{-2, 3}), (std::vector<double>{0, 3}));
}

/// A mask that nobody reads must not get in the way of what the function reads.
TEST(Recognise, DropoutsInsideAFunctionPassItsInputOn) {
  Sketch s;
  const TensorId x = s.input(kFour);
  const TensorId e = s.node("Exp", {s.node("Dropout", {x}, kFour)}, kFour);
  const TensorId y = s.node("Add", {e, x}, kFour);
  s.output(y);
  const Recognised r = recognise(s.graph);
  ASSERT_EQ(r.graph.nodes.size(), 1u);
  const std::vector<double> values = r.functions.at(y)(std::vector<double>{-1, 0, 2});
  EXPECT_NEAR(values.at(0), std::exp(-1.0) - 1, 1e-12);
  EXPECT_NEAR(values.at(1), 1, 1e-12);
  EXPECT_NEAR(values.at(2), std::exp(2.0) + 2, 1e-12);
}

/// Whole exponents up to 64 are products; others, and constants that are divided, are functions.
TEST(Recognise, PowersAndQuotientsAreFunctionsWhereTheyAreNoPolynomials) {
  const auto functions = [](const std::string& op, double constant, bool first) {
    Sketch s;
    const TensorId x = s.input(kFour), k = s.constant({}, {constant});
    s.output(s.node(op, first ? std::vector{k, x} : std::vector{x, k}, kFour));
    return recognise(s.graph).functions.size();
  };
  for (const double exponent : {0, 1, 2, 63, 64}) EXPECT_EQ(functions("Pow", exponent, false), 0u) << exponent;
  for (const double exponent : {-1.0, 0.5, 64.5, 65.0}) EXPECT_EQ(functions("Pow", exponent, false), 1u) << exponent;
  EXPECT_EQ(functions("Div", 2, false), 0u);
  EXPECT_EQ(functions("Div", 2, true), 1u);
  for (const char* op : {"Add", "Sub", "Mul"}) EXPECT_EQ(functions(op, 2, true), 0u) << op;
  for (const char* op : {"Max", "Min"}) EXPECT_EQ(functions(op, 2, true), 1u) << op;
}

TEST(Recognise, SixtyFourSumsAreFew) {
  for (const int between : {64, 65}) {
    Sketch s;
    const TensorId one = s.constant({}, {1});
    TensorId x = s.node("Relu", {s.input(kFour)}, kFour);
    for (int i = 0; i < between; ++i) x = s.node("Add", {x, one}, kFour);
    s.output(s.node("Exp", {x}, kFour));
    EXPECT_EQ(recognise(s.graph).functions.size(), between == 64 ? 1U : 2U) << between;
  }
}

/// Each reads it, the last one too, which is looked at first.
TEST(Recognise, AFunctionThatTwoOthersReadIsOneOfItsOwn) {
  Sketch s;
  const TensorId relu = s.node("Relu", {s.input(kFour)}, kFour);
  const TensorId exp = s.node("Exp", {relu}, kFour), sigmoid = s.node("Sigmoid", {relu}, kFour);
  s.output(exp);
  s.output(sigmoid);
  const Recognised r = recognise(s.graph);
  EXPECT_EQ(r.graph.nodes.size(), 3u);
  for (const TensorId id : {relu, exp, sigmoid}) EXPECT_EQ(r.functions.count(id), 1u) << id;
}

/// A choice between real numbers is one, though its condition is a truth value; so is a function that is cast.
TEST(Recognise, FunctionsEndInChoicesAndInCastsOfReals) {
  Sketch s;
  const TensorId x = s.input(kFour), above = s.node("Greater", {x, s.constant({}, {0})}, kFour);
  s.graph.tensors[above].integral = true;
  const TensorId y = s.node("Where", {above, x, s.constant({}, {0.5})}, kFour);
  s.output(y);
  const Recognised chosen = recognise(s.graph);
  EXPECT_EQ(chosen.graph.nodes.size(), 1u);
  ASSERT_EQ(chosen.functions.count(y), 1u);
  EXPECT_EQ(chosen.functions.at(y)(std::vector<double>{-1, 2}), (std::vector<double>{0.5, 2}));
  Sketch cast;
  const TensorId relu = cast.node("Relu", {cast.input(kFour)}, kFour);
  const TensorId z = cast.node("Cast", {relu}, kFour, {{"to", std::int64_t{10}}});
  cast.output(z);
  EXPECT_EQ(recognise(cast.graph).functions.count(z), 1u);
}

TEST(Recognise, UnknownOperatorsAndJumpsStayOutside) {
  Sketch s;
  s.output(s.node("Relu", {s.node("Mystery", {s.input(kFour)}, kFour)}, kFour));
  const Recognised unknown = recognise(s.graph);
  ASSERT_EQ(unknown.graph.nodes.size(), 2u);
  EXPECT_EQ(unknown.graph.nodes[0].op, "Mystery");
  EXPECT_EQ(unknown.graph.nodes[1].op, kFunctionOp);
  Sketch jump;
  jump.output(jump.node("ThresholdedRelu", {jump.input(kFour)}, kFour));
  EXPECT_TRUE(recognise(jump.graph).functions.empty());
  EXPECT_EQ(recognise(jump.graph, true).functions.size(), 1u) << "a table may jump";
}

TEST(Recognise, WholeQuotientsAndTextsAreNoFunctions) {
  Sketch s;
  const std::map<std::string, Attribute> to_whole{{"to", std::int64_t{7}}}, to_real{{"to", std::int64_t{1}}};
  const TensorId whole = s.node("Cast", {s.input(kFour)}, kFour, to_whole);
  const TensorId half = s.node("Div", {whole, s.constant({}, {2})}, kFour);
  s.output(s.node("Cast", {half}, kFour, to_real));
  s.graph.tensors[whole].integral = s.graph.tensors[half].integral = true;
  EXPECT_TRUE(recognise(s.graph, true).functions.empty()) << "a table does not round quotients";
  Sketch texts;
  const TensorId below = texts.node("Less", {texts.input(kFour), texts.constant({}, {0})}, kFour);
  texts.graph.tensors[below].integral = true;
  std::vector<TensorId> choice{below};
  for (const char* word : {"red", "blue"}) {
    choice.push_back(GraphEditor(texts.graph).constant(word, text_tensor({}, {word})));
    texts.graph.tensors[choice.back()].text = true;
  }
  const TensorId chosen = texts.node("Where", choice, kFour);
  texts.graph.tensors[chosen].text = true;
  texts.output(chosen);
  EXPECT_TRUE(recognise(texts.graph).functions.empty());
}

/// Identifiers of tensors say nothing about who is made first.
TEST(Recognise, InputsMayHaveIdentifiersBehindThoseOfResults) {
  Sketch s;
  GraphEditor editor(s.graph);
  const TensorId gate = editor.tensor("gate", kFour), x = s.input(kFour);
  editor.node("Sigmoid", "Sigmoid0", {x}, gate);
  const TensorId y = s.node("Mul", {x, gate}, kFour);
  s.output(y);
  const Recognised r = recognise(s.graph);
  EXPECT_EQ(r.graph.nodes.size(), 1u);
  ASSERT_EQ(r.functions.count(y), 1u);
  EXPECT_EQ(r.functions.at(y).name(), "Silu");
}

}  // namespace
}  // namespace tacit::graph::passes
