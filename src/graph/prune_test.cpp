#include "graph/prune.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/operators_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph {
namespace {

/// x is read, y is not. The first of two outputs of a node is read, and nothing of what stands beside it.
Graph with_unread() {
  passes::Sketch s;
  const TensorId x = s.input({2});
  s.input({3});
  s.node("Neg", {s.constant({2}, {7, 8})}, {2});  // nobody reads it
  const TensorId sum = s.node("Add", {x, s.constant({2}, {1, 2})}, {2});
  s.node("Exp", {s.node("Abs", {sum}, {2})}, {2});  // nobody reads either
  s.output(s.node("Mul", {sum, s.constant({2}, {3, 4})}, {2}));
  s.graph.tensors.push_back({.name = "second", .shape = {2}});
  s.graph.nodes.back().outputs.push_back(static_cast<TensorId>(s.graph.tensors.size() - 1));
  s.graph.nodes.back().outputs.push_back(kNoTensor);
  s.graph.nodes.back().inputs.push_back(kNoTensor);
  s.graph.name = "example";
  return s.graph;
}

TEST(Prune, DropsNodesThatNoOutputDependsOn) {
  Graph graph = with_unread();
  const std::size_t tensors = graph.tensors.size();
  drop_unread(graph);
  EXPECT_EQ(operators_of(graph), (std::vector<std::string>{"Add", "Mul"}));
  EXPECT_EQ(graph.tensors.size(), tensors) << "tensors keep their numbers";
}

TEST(Prune, NumbersWhatIsLeftAnewAndKeepsInputs) {
  const Graph graph = prune(with_unread());
  EXPECT_EQ(graph.name, "example");
  EXPECT_EQ(operators_of(graph), (std::vector<std::string>{"Add", "Mul"}));
  // Two inputs, two constants, the sum, the product, and the output that nobody reads.
  EXPECT_EQ(graph.tensors.size(), 7u);
  ASSERT_EQ(graph.constants.size(), 2u);
  ASSERT_EQ(graph.inputs.size(), 2u);
  EXPECT_EQ(graph.tensors.at(graph.inputs[0]).shape, Shape{2});
  EXPECT_EQ(graph.tensors.at(graph.inputs[1]).shape, Shape{3});
  const Node &add = graph.nodes[0], &mul = graph.nodes[1];
  EXPECT_EQ(add.inputs.at(0), graph.inputs[0]);
  EXPECT_EQ(mul.inputs.at(0), add.outputs.at(0));
  EXPECT_EQ(mul.inputs.at(2), kNoTensor);
  EXPECT_EQ(mul.outputs.at(0), graph.outputs.at(0));
  EXPECT_EQ(graph.tensors.at(mul.outputs.at(1)).name, "second");
  EXPECT_EQ(mul.outputs.at(2), kNoTensor);
  for (const auto& [node, first] : {std::pair(&add, 1.0), {&mul, 3.0}}) {
    const TensorId id = node->inputs.at(1);
    ASSERT_TRUE(graph.is_constant(id));
    const auto place = static_cast<std::size_t>(graph.tensors[id].constant);
    EXPECT_EQ(graph.constants.at(place).data, (std::vector<double>{first, first + 1}));
  }
  EXPECT_FALSE(graph.is_constant(mul.outputs[0]));
}

}  // namespace
}  // namespace tacit::graph
