#include "graph/passes/write_out_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/operators_for_test.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

Graph pieces_model(const std::string& body, const std::string& type = "float") {
  return onnx::import_bytes(onnx::text_model_bytes("m (" + type + "[1,3] x, " + type +
                                                   "[1,3] z) => (float[1,3] y) <float[3] k = {0.5, -1, 2}, " +
                                                   "float[3] l = {1, 2, -1}, float zero = {0}> { " + body + " }"),
                            "m.onnx");
}

/// Returns the remaining operators, after a check that they compute the same.
std::vector<std::string> written(const Graph& graph, const std::vector<std::vector<double>>& rows) {
  const Graph made = write_out_pieces(graph);
  for (const std::vector<double>& x : rows)
    for (const std::vector<double>& z : rows) {
      const bool whole = graph.tensors[graph.inputs[0]].integral;
      const std::vector<Tensor> inputs{{{1, 3}, x, whole}, {{1, 3}, z, whole}};
      EXPECT_THAT(reference::run(made, inputs).at(0).data,
                  testing::Pointwise(testing::DoubleNear(1e-6), reference::run(graph, inputs).at(0).data));
    }
  return operators_of(made);
}

const std::vector<std::vector<double>> kReals{{0.5, 1, -2}, {-1.5, 0.25, 3}, {2, -1, 1}};
const std::vector<std::vector<double>> kWhole{{0, 1, 2}, {2, 1, 0}, {1, 1, 1}};

TEST(WriteOutPieces, ComparisonsOfTwoTensorsAreOfTheirDifference) {
  for (const std::string op : {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}) {
    EXPECT_THAT(written(pieces_model("c = " + op + "(x, z) y = Cast<to = 1>(c)"), kReals),
                ElementsAre("Sub", op, "Cast"));
    EXPECT_THAT(written(pieces_model("c = " + op + "(x, k) y = Cast<to = 1>(c)"), kReals),
                ElementsAre("Sub", op, "Cast"));
    EXPECT_THAT(written(pieces_model("c = " + op + "(x, z) y = Cast<to = 1>(c)", "int32"), kWhole),
                ElementsAre("Cast", "Cast", "Sub", op, "Cast"));
  }
  EXPECT_THAT(written(pieces_model("c = Equal(x, z) y = Cast<to = 1>(c)", "int32"), kWhole),
              ElementsAre("Cast", "Cast", "Sub", "Abs", "Less", "Cast"));
  EXPECT_THAT(written(pieces_model("c = Equal(x, z) y = Cast<to = 1>(c)"), kReals), ElementsAre("Equal", "Cast"));
}

TEST(WriteOutPieces, LogicOfTwoTensorsIsOfSums) {
  const auto both = [](const std::string& op) {
    return pieces_model("a = Less(x, zero) b = Less(z, zero) c = " + op + "(a, b) y = Cast<to = 1>(c)");
  };
  EXPECT_THAT(written(both("And"), kReals), ElementsAre("Less", "Less", "Cast", "Cast", "Add", "Greater", "Cast"));
  EXPECT_THAT(written(both("Or"), kReals), ElementsAre("Less", "Less", "Cast", "Cast", "Add", "Greater", "Cast"));
  EXPECT_THAT(written(both("Xor"), kReals),
              ElementsAre("Less", "Less", "Cast", "Cast", "Add", "Sub", "Abs", "Less", "Cast"));
}

TEST(WriteOutPieces, ChoicesAreProductsWithTruthValues) {
  EXPECT_THAT(written(pieces_model("c = Less(x, zero) y = Where(c, x, z)"), kReals),
              ElementsAre("Less", "Sub", "Cast", "Mul", "Add"));
  EXPECT_THAT(written(pieces_model("c = Less(x, zero) y = Where(c, k, l)"), kReals),
              ElementsAre("Less", "Cast", "Mul", "Add"));
}

TEST(WriteOutPieces, QuotientsAreProductsWithReciprocals) {
  EXPECT_THAT(written(pieces_model("y = Div(x, z)"), kReals), ElementsAre("Reciprocal", "Mul"));
  EXPECT_THAT(written(pieces_model("y = Div(k, x)"), kReals), ElementsAre("Reciprocal", "Mul"));
}

TEST(WriteOutPieces, WhatDependsOnOneTensorStays) {
  EXPECT_THAT(
      written(pieces_model("e = Exp(x) c = Less(x, zero) a = Greater(e, x) b = And(c, a) y = Where(b, e, x)"), kReals),
      ElementsAre("Exp", "Less", "Greater", "And", "Where"));
  EXPECT_THAT(written(pieces_model("e = Exp(x) y = Div(x, e)"), kReals), ElementsAre("Exp", "Div"));
  EXPECT_THAT(written(pieces_model("y = Div(x, k)"), kReals), ElementsAre("Div"));
}

/// With tables, a function may end where a truth value becomes a number, and may pass through a truth value.
TEST(WriteOutPieces, TablesTakeFunctionsThatJump) {
  const Graph graph =
      pieces_model("c = Less(x, zero) a = Cast<to = 1>(c) i = Cast<to = 6>(x) b = Cast<to = 1>(i) y = Add(a, b)");
  EXPECT_THAT(operators_of(recognise(graph, true).graph), ElementsAre(kFunctionOp));
  EXPECT_THAT(operators_of(recognise(graph).graph), testing::Contains("Less"));
}

/// A constant condition chooses element by element, and a constant divisor becomes a factor.
TEST(WriteOutPieces, ConstantsDecideWithoutPieces) {
  EXPECT_THAT(written(pieces_model("c = Less(k, l) y = Where(c, x, z)"), kReals), testing::Contains("Where"));
  EXPECT_THAT(written(pieces_model("y = Div(x, l)"), kReals), ElementsAre("Div"));
  EXPECT_THAT(written(pieces_model("c = GreaterOrEqual(k, x) y = Cast<to = 1>(c)"), kReals),
              ElementsAre("Sub", "GreaterOrEqual", "Cast"));
  EXPECT_THAT(written(pieces_model("c = Less(x, zero) y = Where(c, k, z)"), kReals),
              ElementsAre("Less", "Sub", "Cast", "Mul", "Add"));
}

/// Returns the operators of a comparison of x with the result of an operator on x.
std::vector<std::string> comparison_pieces(const std::string& op, const std::vector<double>& constant = {}) {
  Sketch s;
  std::vector<TensorId> inputs{s.input({1, 3})};
  if (!constant.empty()) inputs.push_back(s.constant({}, constant));
  const TensorId made = s.node(op, inputs, {1, 3});
  s.output(s.node("Greater", {made, s.graph.inputs[0]}, {1, 3}));
  return operators_of(write_out_pieces(s.graph));
}

TEST(WriteOutPieces, FunctionsOfSingleElementsKeepTheirComparisons) {
  for (const std::string op : {"Exp", "Floor", "Identity", "Dropout"})
    EXPECT_THAT(comparison_pieces(op), ElementsAre(op, "Greater"));
  for (const std::string op : {"Max", "Pow", "Add"})
    EXPECT_THAT(comparison_pieces(op, {2}), ElementsAre(op, "Greater"));
  EXPECT_THAT(comparison_pieces("Softmax"), ElementsAre("Softmax", "Sub", "Greater")) << "of all elements";
}

/// x [1, 3] > k [1, 1, 1] has another shape than x, so that it is a difference first.
TEST(WriteOutPieces, ResultsOfAnotherShapeAreOfNoSingleTensor) {
  Sketch s;
  s.output(s.node("Greater", {s.input({1, 3}), s.constant({1, 1, 1}, {0.5})}, {1, 1, 3}));
  EXPECT_THAT(operators_of(write_out_pieces(s.graph)), ElementsAre("Sub", "Greater"));
}

TEST(WriteOutPieces, NodesWithoutAFirstResultAndChoicesOfTextsStay) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  s.node("Dropout", {x}, {1, 3});
  const TensorId mask = GraphEditor(s.graph).tensor("mask", {1, 3});
  s.graph.nodes.back().outputs = {kNoTensor, mask};
  s.output(mask);
  EXPECT_THAT(operators_of(write_out_pieces(s.graph)), ElementsAre("Dropout"));
  Sketch texts;
  std::vector<TensorId> choice{texts.node("Less", {texts.input({1, 3}), texts.constant({}, {0})}, {1, 3})};
  for (const char* word : {"red", "blue"}) {
    choice.push_back(GraphEditor(texts.graph).constant(word, text_tensor({1, 3}, {word, "none", word})));
    texts.graph.tensors[choice.back()].text = true;
  }
  texts.output(texts.node("Where", choice, {1, 3}));
  texts.graph.tensors[texts.graph.outputs[0]].text = true;
  EXPECT_THAT(operators_of(write_out_pieces(texts.graph)), ElementsAre("Less", "Where"));
}

/// Integers are cast to 32-bit reals; so are constants, once and for all.
TEST(WriteOutPieces, StepsAreNumberedAndTheirConstantsAreReal) {
  Sketch s;
  const TensorId x = s.input({1, 3}), k = s.constant({1, 3}, {1, 2, 3});
  s.graph.tensors[x].integral = s.graph.tensors[k].integral = s.graph.constants.back().integral = true;
  s.output(s.node("Less", {x, k}, {1, 3}));
  const Graph made = write_out_pieces(s.graph);
  ASSERT_THAT(operators_of(made), ElementsAre("Cast", "Sub", "Less"));
  EXPECT_EQ(std::get<std::int64_t>(made.nodes[0].attributes.at("to")), 1);
  std::vector<std::string> names;
  for (std::size_t id = s.graph.tensors.size(); id < made.tensors.size(); ++id) {
    names.push_back(made.tensors[id].name);
    EXPECT_FALSE(made.tensors[id].integral) << names.back();
  }
  for (std::size_t c = s.graph.constants.size(); c < made.constants.size(); ++c)
    EXPECT_FALSE(made.constants[c].integral) << c;
  EXPECT_THAT(names, ElementsAre("Less0.0", "Less0.1", "Less0.2", "Less0.3"));
}

/// The difference between 1 and 1.25 is less than a half.
TEST(WriteOutPieces, IntegersBesideRealsAreComparedExactly) {
  for (const std::string op : {"Less", "Greater"})
    for (const std::size_t whole : {0, 1}) {
      Sketch s;
      const TensorId x = s.input({1, 3}), z = s.input({1, 3}, "z");
      s.graph.tensors[whole == 0 ? x : z].integral = true;
      s.output(s.node(op, {x, z}, {1, 3}));
      std::vector<Tensor> inputs(2, {{1, 3}, {1.25, 0.75, 1}, false});
      inputs[whole] = {{1, 3}, {1, 1, 1}, true};
      const bool less = op == "Less", first = whole == 0;
      const std::vector<double> expected{less == first ? 1.0 : 0.0, less == first ? 0.0 : 1.0, 0};
      EXPECT_EQ(reference::run(write_out_pieces(s.graph), inputs).at(0).data, expected) << op << " " << whole;
    }
}

}  // namespace
}  // namespace tacit::graph::passes
