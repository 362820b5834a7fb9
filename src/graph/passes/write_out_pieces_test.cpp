#include "graph/passes/write_out_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/onnx/import.h"
#include "graph/onnx/text_model.h"
#include "graph/passes/recognise.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> result;
  for (const Node& node : graph.nodes) result.push_back(node.op);
  return result;
}

Graph model(const std::string& body, const std::string& type = "float") {
  return onnx::import_bytes(onnx::text_model_bytes("m (" + type + "[1,3] x, " + type +
                                                   "[1,3] z) => (float[1,3] y) <float[3] k = {0.5, -1, 2}, " +
                                                   "float[3] l = {1, 2, -1}, float zero = {0}> { " + body + " }"),
                            "m.onnx");
}

/// The operators that are left, which compute what there was.
std::vector<std::string> written(const Graph& graph, const std::vector<std::vector<double>>& rows) {
  const Graph made = write_out_pieces(graph);
  for (const std::vector<double>& x : rows)
    for (const std::vector<double>& z : rows) {
      const bool whole = graph.tensors[graph.inputs[0]].integral;
      const std::vector<Tensor> inputs{{{1, 3}, x, whole}, {{1, 3}, z, whole}};
      EXPECT_THAT(reference::run(made, inputs).at(0).data,
                  testing::Pointwise(testing::DoubleNear(1e-6), reference::run(graph, inputs).at(0).data));
    }
  return operators(made);
}

const std::vector<std::vector<double>> kReals{{0.5, 1, -2}, {-1.5, 0.25, 3}, {2, -1, 1}};
const std::vector<std::vector<double>> kWhole{{0, 1, 2}, {2, 1, 0}, {1, 1, 1}};

TEST(WriteOutPieces, ComparisonsOfTwoTensorsAreOfTheirDifference) {
  for (const std::string op : {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}) {
    EXPECT_THAT(written(model("c = " + op + "(x, z) y = Cast<to = 1>(c)"), kReals), ElementsAre("Sub", op, "Cast"));
    EXPECT_THAT(written(model("c = " + op + "(x, k) y = Cast<to = 1>(c)"), kReals), ElementsAre("Sub", op, "Cast"));
    EXPECT_THAT(written(model("c = " + op + "(x, z) y = Cast<to = 1>(c)", "int32"), kWhole),
                ElementsAre("Cast", "Cast", "Sub", op, "Cast"));
  }
  EXPECT_THAT(written(model("c = Equal(x, z) y = Cast<to = 1>(c)", "int32"), kWhole),
              ElementsAre("Cast", "Cast", "Sub", "Abs", "Less", "Cast"));
  EXPECT_THAT(written(model("c = Equal(x, z) y = Cast<to = 1>(c)"), kReals), ElementsAre("Equal", "Cast"));
}

TEST(WriteOutPieces, LogicOfTwoTensorsIsOfSums) {
  const auto both = [](const std::string& op) {
    return model("a = Less(x, zero) b = Less(z, zero) c = " + op + "(a, b) y = Cast<to = 1>(c)");
  };
  EXPECT_THAT(written(both("And"), kReals), ElementsAre("Less", "Less", "Cast", "Cast", "Add", "Greater", "Cast"));
  EXPECT_THAT(written(both("Or"), kReals), ElementsAre("Less", "Less", "Cast", "Cast", "Add", "Greater", "Cast"));
  EXPECT_THAT(written(both("Xor"), kReals),
              ElementsAre("Less", "Less", "Cast", "Cast", "Add", "Sub", "Abs", "Less", "Cast"));
}

TEST(WriteOutPieces, ChoicesAreProductsWithTruthValues) {
  EXPECT_THAT(written(model("c = Less(x, zero) y = Where(c, x, z)"), kReals),
              ElementsAre("Less", "Sub", "Cast", "Mul", "Add"));
  EXPECT_THAT(written(model("c = Less(x, zero) y = Where(c, k, l)"), kReals),
              ElementsAre("Less", "Cast", "Mul", "Add"));
}

TEST(WriteOutPieces, QuotientsAreProductsWithReciprocals) {
  EXPECT_THAT(written(model("y = Div(x, z)"), kReals), ElementsAre("Reciprocal", "Mul"));
  EXPECT_THAT(written(model("y = Div(k, x)"), kReals), ElementsAre("Reciprocal", "Mul"));
}

TEST(WriteOutPieces, WhatDependsOnOneTensorStays) {
  EXPECT_THAT(written(model("e = Exp(x) c = Less(x, zero) a = Greater(e, x) b = And(c, a) y = Where(b, e, x)"), kReals),
              ElementsAre("Exp", "Less", "Greater", "And", "Where"));
  EXPECT_THAT(written(model("e = Exp(x) y = Div(x, e)"), kReals), ElementsAre("Exp", "Div"));
  EXPECT_THAT(written(model("y = Div(x, k)"), kReals), ElementsAre("Div"));
}

/// A function may end where a truth value becomes a number, and pass through one, where tables look it up.
TEST(WriteOutPieces, TablesTakeFunctionsThatJump) {
  const Graph graph =
      model("c = Less(x, zero) a = Cast<to = 1>(c) i = Cast<to = 6>(x) b = Cast<to = 1>(i) y = Add(a, b)");
  EXPECT_THAT(operators(recognise(graph, true).graph), ElementsAre(kFunctionOp));
  EXPECT_THAT(operators(recognise(graph).graph), testing::Contains("Less"));
}

/// What a constant chooses is chosen element by element, and a constant that all is divided by is a factor.
TEST(WriteOutPieces, ConstantsDecideWithoutPieces) {
  EXPECT_THAT(written(model("c = Less(k, l) y = Where(c, x, z)"), kReals), testing::Contains("Where"));
  EXPECT_THAT(written(model("y = Div(x, l)"), kReals), ElementsAre("Div"));
  EXPECT_THAT(written(model("c = GreaterOrEqual(k, x) y = Cast<to = 1>(c)"), kReals),
              ElementsAre("Sub", "GreaterOrEqual", "Cast"));
  EXPECT_THAT(written(model("c = Less(x, zero) y = Where(c, k, z)"), kReals),
              ElementsAre("Less", "Sub", "Cast", "Mul", "Add"));
}

}  // namespace
}  // namespace tacit::graph::passes
