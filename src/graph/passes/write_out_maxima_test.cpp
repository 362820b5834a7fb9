#include "graph/passes/write_out_maxima.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "graph/operators_for_test.h"
#include "graph/passes/relu_behind_pools.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;

std::ptrdiff_t count(const Graph& graph, const std::string& op) {
  const std::vector<std::string> all = operators_of(graph);
  return std::ranges::count(all, op);
}

/// The graph without maxima, which computes what it computed on inputs of both signs.
Graph without_maxima(const Graph& graph) {
  const Graph made = write_out_maxima(relu_behind_pools(graph));
  for (const char* op : {"Max", "Min", "MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin"})
    EXPECT_EQ(count(made, op), 0) << op;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Tensor> inputs;
  for (const TensorId id : graph.inputs) {
    const Shape& shape = graph.tensors[id].shape;
    Tensor input{shape, std::vector<double>(static_cast<std::size_t>(element_count(shape))), false};
    for (double& x : input.data) x = number(random);
    inputs.push_back(std::move(input));
  }
  const std::vector<Tensor> expected = reference::run(graph, inputs), got = reference::run(made, inputs);
  EXPECT_EQ(got.at(0).shape, expected.at(0).shape);
  for (std::size_t e = 0; e < expected[0].data.size(); ++e)
    EXPECT_NEAR(got[0].data.at(e), expected[0].data[e], 1e-6) << e;
  return made;
}

TEST(WriteOutMaxima, PoolsTakeTheirWindowsAxisByAxis) {
  const Attributes two{{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}};
  const Graph pairs = without_maxima(one_node("MaxPool", {{1, 3, 6, 4}}, {1, 3, 3, 2}, two));
  EXPECT_EQ(count(pairs, "Abs"), 2);  // one for each axis
  const Attributes three{{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}};
  const Graph overlapping = without_maxima(one_node("MaxPool", {{1, 2, 7, 9}}, {1, 2, 3, 4}, three));
  EXPECT_EQ(count(overlapping, "Abs"), 4);
  without_maxima(one_node("MaxPool", {{1, 2, 9}}, {1, 2, 4},
                          {{"kernel_shape", Integers{3}}, {"strides", Integers{2}}, {"dilations", Integers{1}}}));
  const Graph global = without_maxima(one_node("GlobalMaxPool", {{1, 3, 5, 4}}, {1, 3, 1, 1}));
  EXPECT_EQ(count(global, "Abs"), 3 + 2);  // 5, 3, 2, 1 rows; 4, 2, 1 columns
}

// The inputs are negative in places, so that a padding of zeros would show.
TEST(WriteOutMaxima, WindowsThatReachBeyondTheInputTakeTheirInnerTaps) {
  without_maxima(one_node("MaxPool", {{1, 2, 5, 5}}, {1, 2, 5, 5},
                          {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}}));
  without_maxima(
      one_node("MaxPool", {{1, 1, 6, 6}}, {1, 1, 3, 3},
               {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"pads", Integers{0, 0, 1, 1}}}));
  without_maxima(
      one_node("MaxPool", {{1, 1, 6, 6}}, {1, 1, 3, 3},
               {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"ceil_mode", std::int64_t{1}}}));
  without_maxima(
      one_node("MaxPool", {{1, 1, 7, 7}}, {1, 1, 7, 7},
               {{"kernel_shape", Integers{3, 3}}, {"dilations", Integers{2, 2}}, {"pads", Integers{2, 2, 2, 2}}}));
}

TEST(WriteOutMaxima, ExtremesOfSeveralValuesAreTakenPairByPair) {
  const Graph largest = without_maxima(one_node("Max", {{2, 3}, {3}, {2, 1}}, {2, 3}));
  EXPECT_EQ(count(largest, "Abs"), 2);
  without_maxima(one_node("Min", {{4}, {4}}, {4}));
  // With one encrypted value it stays a function of one variable.
  Sketch s;
  s.output(s.node("Max", {s.input({4}), s.constant({1}, {0.5})}, {4}));
  EXPECT_THAT(operators_of(write_out_maxima(s.graph)), ElementsAre("Max"));
}

TEST(WriteOutMaxima, ReductionsHalveTheirAxes) {
  const Graph all = without_maxima(one_node("ReduceMax", {{2, 5}}, {1, 1}));
  EXPECT_EQ(count(all, "Abs"), 1 + 3);
  without_maxima(one_node("ReduceMin", {{2, 5, 3}}, {2, 3}, {{"axes", Integers{-2}}, {"keepdims", std::int64_t{0}}}));
}

TEST(WriteOutMaxima, AReluThatOnlyAPoolReadsGoesBehindIt) {
  const Attributes two{{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}};
  Sketch s;
  const TensorId relu = s.node("Relu", {s.input({1, 1, 4, 4})}, {1, 1, 4, 4});
  s.output(s.node("MaxPool", {relu}, {1, 1, 2, 2}, two));
  const Graph made = without_maxima(s.graph);
  EXPECT_EQ(made.nodes.back().op, "Relu");
  EXPECT_EQ(count(made, "Relu"), 1);
  // A Relu with another reader stays, and the pool reads it.
  Sketch shared;
  const TensorId both = shared.node("Relu", {shared.input({1, 1, 4, 4})}, {1, 1, 4, 4});
  shared.output(shared.node("MaxPool", {both}, {1, 1, 2, 2}, two));
  shared.output(both);
  EXPECT_EQ(without_maxima(shared.graph).nodes.front().op, "Relu");
}

TEST(WriteOutMaxima, LeavesWhatHasNoSuchForm) {
  Graph integers = one_node("Max", {{4}, {4}}, {4});
  integers.tensors[integers.outputs[0]].integral = true;
  EXPECT_THAT(operators_of(write_out_maxima(integers)), ElementsAre("Max"));
  const Graph empty = one_node("MaxPool", {{1, 1, 2, 2}}, {1, 1, 3, 2},
                               {{"kernel_shape", Integers{1, 1}}, {"pads", Integers{1, 0, 0, 0}}});
  EXPECT_THAT([&] { write_out_maxima(empty); }, testing::ThrowsMessage<base::InputError>(HasSubstr("MaxPool0")));
}

/// Bounds that differ between elements are no function of one variable; one bound is.
TEST(WriteOutMaxima, BoundsOfSeveralElementsAreWrittenOut) {
  for (const char* op : {"Max", "Min"}) {
    Sketch s;
    s.output(s.node(op, {s.input({2}), s.constant({2}, {0.5, -0.5})}, {2}));
    EXPECT_EQ(count(without_maxima(s.graph), "Abs"), 1);
    Sketch repeated;
    repeated.output(repeated.node(op, {repeated.input({1, 3}), repeated.constant({2, 1}, {0.25, -0.25})}, {2, 3}));
    EXPECT_EQ(count(without_maxima(repeated.graph), "Abs"), 1);
  }
}

/// A Relu also moves after a maximum over everything. It stays if two pools read it, or if the pool returns positions.
TEST(WriteOutMaxima, RelusGoBehindPoolsThatAloneReadThem) {
  const auto moved = [](const char* pool, const Shape& out, int readers, std::size_t results) {
    Sketch s;
    const TensorId relu = s.node("Relu", {s.input({1, 1, 4, 4})}, {1, 1, 4, 4});
    for (int i = 0; i < readers; ++i)
      s.output(s.node(pool, {relu}, out, {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}}));
    s.graph.nodes.back().outputs.resize(results, kNoTensor);
    return operators_of(relu_behind_pools(s.graph));
  };
  EXPECT_THAT(moved("MaxPool", {1, 1, 2, 2}, 1, 1), ElementsAre("MaxPool", "Relu"));
  EXPECT_THAT(moved("GlobalMaxPool", {1, 1, 1, 1}, 1, 1), ElementsAre("GlobalMaxPool", "Relu"));
  EXPECT_THAT(moved("AveragePool", {1, 1, 2, 2}, 1, 1), ElementsAre("Relu", "AveragePool"));
  EXPECT_THAT(moved("MaxPool", {1, 1, 2, 2}, 2, 1), ElementsAre("Relu", "MaxPool", "MaxPool"));
  EXPECT_THAT(moved("MaxPool", {1, 1, 2, 2}, 1, 2), ElementsAre("Relu", "MaxPool"));
  Sketch s;
  const TensorId x = s.input({1, 1, 4, 4});
  const TensorId relu = s.node("Relu", {x}, {1, 1, 4, 4});
  const TensorId y = s.node("MaxPool", {relu}, {1, 1, 2, 2}, {{"kernel_shape", Integers{3, 3}}});
  s.output(y);
  const Graph made = relu_behind_pools(s.graph);
  ASSERT_EQ(made.nodes.size(), 2u);
  EXPECT_EQ(made.nodes[0].name, "MaxPool1");
  EXPECT_EQ(made.nodes[0].inputs, std::vector<TensorId>{x});
  EXPECT_EQ(made.nodes[1].name, "Relu0");
  EXPECT_EQ(made.nodes[1].inputs, made.nodes[0].outputs);
  EXPECT_EQ(made.nodes[1].outputs, std::vector<TensorId>{y});
  EXPECT_EQ(made.tensors[made.nodes[0].outputs[0]].shape, (Shape{1, 1, 2, 2}));
}

TEST(WriteOutMaxima, ReductionsOfNothingStay) {
  const Graph none = one_node("ReduceMax", {{2, 5}}, {2, 5}, {{"noop_with_empty_axes", std::int64_t{1}}});
  EXPECT_THAT(operators_of(write_out_maxima(none)), ElementsAre("ReduceMax"));
  const Graph last = without_maxima(one_node("ReduceMax", {{2, 5}}, {2, 1}, {{"axes", Integers{-1}}}));
  EXPECT_EQ(count(last, "Abs"), 3);  // 5, 3, 2, 1 columns
  const Graph first = without_maxima(one_node("ReduceMin", {{4, 3}}, {1, 3}, {{"axes", Integers{0}}}));
  EXPECT_EQ(count(first, "Abs"), 2);  // 4, 2, 1 rows
  EXPECT_EQ(count(without_maxima(one_node("Max", {{3}, {3}, {3}, {3}, {3}}, {3})), "Abs"), 4);
}

TEST(WriteOutMaxima, WindowsOfFourAndFiveTapsLoseNone) {
  for (const std::int64_t width : {4, 5}) {
    const Graph made =
        without_maxima(one_node("MaxPool", {{1, 2, 9}}, {1, 2, 10 - width}, {{"kernel_shape", Integers{width}}}));
    EXPECT_EQ(count(made, "Abs"), width - 1);
  }
}

TEST(WriteOutMaxima, PositionsOfMaximaKeepTheirPool) {
  const Attributes two{{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}};
  Graph graph = one_node("MaxPool", {{1, 1, 4, 4}}, {1, 1, 2, 2}, two);
  graph.nodes[0].outputs.push_back(kNoTensor);
  EXPECT_THAT(operators_of(write_out_maxima(graph)), ElementsAre("MaxPool"));
}

TEST(WriteOutMaxima, StepsAreNumberedAndIndicesAreIntegers) {
  const Graph largest = write_out_maxima(one_node("Max", {{2}, {2}}, {2}));
  std::vector<std::string> names;
  for (const Node& node : largest.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("Max0.0", "Max0.1", "Max0.2", "Max0.3", "Max0.4", "Max0"));
  for (const Graph& graph : {one_node("ReduceMax", {{2, 2}}, {1, 1}),
                             one_node("MaxPool", {{1, 1, 3}}, {1, 1, 2}, {{"kernel_shape", Integers{2}}})}) {
    const Graph made = write_out_maxima(graph);
    std::size_t halves = 0;
    for (const TensorInfo& info : made.tensors) {
      if (info.constant < 0) continue;
      const bool half = info.name.ends_with(".half");
      halves += half ? 1 : 0;
      EXPECT_EQ(info.integral, !half) << info.name;
    }
    EXPECT_EQ(halves, 1u);
    EXPECT_GE(made.constants.size(), 3u);
  }
}

}  // namespace
}  // namespace tacit::graph::passes
