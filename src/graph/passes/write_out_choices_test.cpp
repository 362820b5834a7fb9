#include "graph/passes/write_out_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/passes/write_out.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"

namespace tacit::graph::passes {
namespace {

using Reals = std::vector<double>;

TensorId truths(Sketch& s, const Shape& shape, const Reals& values) {
  const TensorId id = s.constant(shape, values);
  s.graph.tensors[id].integral = true;
  s.graph.constants.back().integral = true;
  return id;
}

void expect_written(const Graph& graph, const std::vector<Tensor>& inputs) {
  const Graph made = write_out(graph);
  for (const Node& node : made.nodes) EXPECT_NE(node.op, "Where");
  EXPECT_THAT(reference::run(made, inputs).at(0).data,
              testing::Pointwise(testing::DoubleNear(1e-12), reference::run(graph, inputs).at(0).data));
}

TEST(WriteOutChoices, AConstantConditionIsLinear) {
  const Tensor x{{1, 2, 3}, {1, -2, 3, 4, -5, 6}, false}, y{{1, 1, 3}, {7, 8, -9}, false};
  for (const bool first : {false, true})
    for (const double number : {0.0, -2.5}) {
      Sketch s;
      const TensorId in = s.input({1, 2, 3}), c = truths(s, {2, 3}, {1, 0, 1, 0, 0, 1}), k = s.constant({}, {number});
      s.output(s.node("Where", first ? std::vector{c, k, in} : std::vector{c, in, k}, {1, 2, 3}));
      expect_written(s.graph, {x});
    }
  Sketch s;
  const TensorId a = s.input({1, 2, 3}), b = s.input({1, 1, 3});
  s.output(s.node("Where", {truths(s, {1, 1, 3}, {1, 0, 0}), a, b}, {1, 2, 3}));
  expect_written(s.graph, {x, y});
}

TEST(WriteOutChoices, AMaskBelowASoftmaxIsAdded) {
  for (const double hides : {-1e4, -1e9, -HUGE_VAL}) {
    Sketch s;
    const TensorId in = s.input({1, 3, 3}), causal = truths(s, {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1});
    const TensorId hidden = s.node("Where", {causal, in, s.constant({}, {hides})}, {1, 3, 3});
    s.output(s.node("Softmax", {hidden}, {1, 3, 3}, {{"axis", std::int64_t{-1}}}));
    EXPECT_EQ(std::ranges::count(write_out(s.graph).nodes, "Mul", &Node::op), 0) << hides;
    expect_written(s.graph, {{{1, 3, 3}, {0.5, 2, -1, 1, 1, 3, -2, 0, 0.25}, false}});
  }
}

TEST(WriteOutChoices, NumbersThatAreNotFiniteStay) {
  Sketch s;
  s.output(s.node("Where", {truths(s, {1, 2}, {1, 0}), s.input({1, 2}), s.constant({}, {HUGE_VAL})}, {1, 2}));
  EXPECT_EQ(write_out(s.graph).nodes.at(0).op, "Where");
}

TEST(WriteOutChoices, RunOnSlots) {
  Sketch s;
  const TensorId in = s.input({1, 4}), c = truths(s, {1, 4}, {1, 0, 0, 1});
  s.output(s.node("Where", {c, in, s.constant({1, 4}, {5, 6, 7, 8})}, {1, 4}));
  CompileOptions options;
  options.input_range = std::pair{-1.0, 1.0};
  const CompiledModel model = compile(s.graph, options);
  const std::vector<Reals> row{{0.5, -0.5, 0.25, 1}};
  const auto got = program::from_units(model.client, slots::ClearProgram(model.program).run(row));
  EXPECT_THAT(got.at(0), testing::Pointwise(testing::DoubleNear(1e-9), Reals{0.5, 6, 7, 1}));
}

}  // namespace
}  // namespace tacit::graph::passes
