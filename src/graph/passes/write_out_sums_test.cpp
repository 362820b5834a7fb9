#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/operators_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::Contains;
using testing::ElementsAre;

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;

std::vector<double> first_output(const Graph& graph, const std::vector<Tensor>& inputs) {
  return reference::run(graph, inputs).at(0).data;
}

auto near(const std::vector<double>& numbers) { return testing::Pointwise(testing::DoubleNear(1e-6), numbers); }

// Numbers are NumPy's.

TEST(WriteOutSums, ALogSumOfTwoIsASoftplusOfTheirDifference) {
  const Graph made = write_out_maxima(
      one_node("ReduceLogSumExp", {{1, 2}}, {1}, {{"axes", Integers{1}}, {"keepdims", std::int64_t{0}}}));
  EXPECT_THAT(operators_of(made), ElementsAre("Gather", "Gather", "Sub", "Softplus", "Add", "Reshape"));
  EXPECT_THAT(first_output(made, {{{1, 2}, {0.5, -1}, false}}), near({0.7014133}));
  EXPECT_THAT(first_output(made, {{{1, 2}, {-900, 900}, false}}), near({900})) << "no exponential of 900";
}

TEST(WriteOutSums, ALogSumOfMoreGoesInPairs) {
  const Graph five = write_out_maxima(
      one_node("ReduceLogSumExp", {{2, 5}}, {2, 1}, {{"axes", Integers{-1}}, {"keepdims", std::int64_t{1}}}));
  EXPECT_THAT(operators_of(five), Contains("Softplus").Times(3))
      << "of 2 and 2, of 1 and 1, and of what had no partner";
  EXPECT_THAT(first_output(five, {{{2, 5}, {0, 1, 2, 3, 4, -1, 0, 0.5, 9, -3}, false}}), near({4.4519144, 9.0003784}));
  const Graph all = write_out_maxima(one_node("ReduceLogSumExp", {{1, 2, 3}}, {1, 1, 1}));
  EXPECT_THAT(first_output(all, {{{1, 2, 3}, {0, 1, 2, 3, 4, 5}, false}}), near({5.4561934}));
  EXPECT_THAT(operators_of(write_out_maxima(one_node("ReduceLogSumExp", {{1, 17}}, {1, 1}, {{"axes", Integers{1}}}))),
              ElementsAre("ReduceLogSumExp"));
}

TEST(WriteOutSums, ProbabilitiesOfFewClassesFollowFromTheLogSum) {
  const Tensor x{{1, 3}, {1, -2, 0.5}, false};
  EXPECT_THAT(
      first_output(write_out_maxima(one_node("LogSoftmax", {{1, 3}}, {1, 3}, {{"axis", std::int64_t{1}}})), {x}),
      near({-0.5045969, -3.5045969, -1.0045969}));
  EXPECT_THAT(first_output(write_out_maxima(one_node("Softmax", {{1, 3}}, {1, 3}, {{"axis", std::int64_t{1}}})), {x}),
              near({0.6037490, 0.0300589, 0.3661922}));
}

TEST(WriteOutSums, ARunningSumIsATriangleOfOnes) {
  const auto sums = [](std::int64_t axis, bool exclusive, bool reverse) {
    Sketch s;
    const TensorId x = s.input({2, 3, 2}), along = s.constant({}, {static_cast<double>(axis)});
    s.output(s.node("CumSum", {x, along}, {2, 3, 2},
                    {{"exclusive", std::int64_t{exclusive}}, {"reverse", std::int64_t{reverse}}}));
    const Graph made = write_out_maxima(s.graph);
    EXPECT_THAT(operators_of(made), Contains("MatMul"));
    return first_output(made, {{{2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, false}});
  };
  EXPECT_THAT(sums(1, false, false), ElementsAre(1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30));
  EXPECT_THAT(sums(1, true, false), ElementsAre(0, 0, 1, 2, 4, 6, 0, 0, 7, 8, 16, 18));
  EXPECT_THAT(sums(-1, false, true), ElementsAre(3, 2, 7, 4, 11, 6, 15, 8, 19, 10, 23, 12));
  EXPECT_THAT(sums(0, true, true), ElementsAre(7, 8, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0));
}

TEST(WriteOutSums, AQuotientIsAProductWithAReciprocalUnlessItIsAFunctionOfOneVariable) {
  Sketch two;
  const TensorId x = two.input({1, 3}), y = two.input({1, 1}, "y");
  two.output(two.node("Div", {x, y}, {1, 3}));
  const Graph made = write_out_maxima(two.graph);
  EXPECT_THAT(operators_of(made), ElementsAre("Reciprocal", "Mul"));
  EXPECT_THAT(first_output(made, {{{1, 3}, {1, -2, 3}, false}, {{1, 1}, {4}, false}}), near({0.25, -0.5, 0.75}));
  Sketch one;
  const TensorId z = one.input({1, 3});
  const TensorId bounded = one.node("Add", {one.node("Abs", {z}, {1, 3}), one.constant({}, {1})}, {1, 3});
  one.output(one.node("Div", {z, bounded}, {1, 3}));
  EXPECT_THAT(operators_of(write_out_maxima(one.graph)), ElementsAre("Abs", "Add", "Div"));
}

TEST(WriteOutSums, MaximaOfManyGoInPairs) {
  Sketch s;
  std::vector<TensorId> all;
  for (int i = 0; i < 12; ++i) all.push_back(s.input({1, i % 2 + 1}, "x" + std::to_string(i)));
  s.output(s.node("Max", all, {1, 2}));
  const Graph made = write_out_maxima(s.graph);
  std::vector<int> depth(made.tensors.size(), 0);
  for (const Node& node : made.nodes) {
    int deepest = 0;
    for (const TensorId id : node.inputs) deepest = std::max(deepest, depth[id]);
    for (const TensorId id : node.outputs) depth[id] = deepest + (node.op == "Abs" ? 1 : 0);
  }
  EXPECT_EQ(depth[made.outputs[0]], 4) << "magnitudes one after the other";
  std::vector<Tensor> inputs;
  for (int i = 0; i < 12; ++i) {
    Tensor x{{1, i % 2 + 1}, std::vector<double>(static_cast<std::size_t>(i % 2 + 1), i == 7 ? 3.5 : -i), false};
    inputs.push_back(x);
  }
  EXPECT_THAT(first_output(made, inputs), near({3.5, 3.5}));
}

TEST(WriteOutSums, AChainOfMaximaIsOneMaximum) {
  const auto magnitudes = [](bool read_twice) {
    Sketch s;
    TensorId most = s.input({1, 2}, "x0"), third = 0;
    for (int i = 1; i < 8; ++i) {
      most = s.node("Max", {most, s.input({1, 2}, "x" + std::to_string(i))}, {1, 2});
      if (i == 3) third = most;
    }
    s.output(most);
    if (read_twice) s.output(third);
    const Graph made = write_out_maxima(s.graph);
    std::vector<int> depth(made.tensors.size(), 0);
    for (const Node& node : made.nodes) {
      int deepest = 0;
      for (const TensorId id : node.inputs) deepest = std::max(deepest, depth[id]);
      for (const TensorId id : node.outputs) depth[id] = deepest + (node.op == "Abs" ? 1 : 0);
    }
    std::vector<Tensor> inputs;
    for (int i = 0; i < 8; ++i) inputs.push_back({{1, 2}, {i == 5 ? 4.5 : -i, static_cast<double>(i % 3)}, false});
    EXPECT_THAT(first_output(made, inputs), near({4.5, 2}));
    EXPECT_THAT(operators_of(made), Contains("Abs").Times(7));
    return depth[made.outputs[0]];
  };
  EXPECT_EQ(magnitudes(false), 3);
  EXPECT_EQ(magnitudes(true), 5) << "of four, whose maximum is read twice, and of five";
}

}  // namespace
}  // namespace tacit::graph::passes
