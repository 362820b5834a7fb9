#include "graph/passes/graph_editor.h"

#include <gtest/gtest.h>

namespace tacit::graph::passes {
namespace {

TEST(GraphEditor, WritesTensorsConstantsAndNodesBehindWhatIsThere) {
  Graph graph;
  GraphEditor editor(graph);
  const TensorId x = editor.tensor("x", {2, 3});
  EXPECT_EQ(editor.shape(x), (Shape{2, 3}));
  EXPECT_FALSE(editor.is_constant(x));
  const TensorId one = editor.constant("one", {{1}, {1}, false}), two = editor.constant("two", {{1}, {2}, true});
  EXPECT_TRUE(editor.is_constant(one));
  EXPECT_EQ(graph.constant(one).data, std::vector<double>{1});
  EXPECT_EQ(graph.constant(two).data, std::vector<double>{2});
  const TensorId y = editor.step("Add", "sum", {x, one}, {2, 3});
  EXPECT_EQ(graph.tensors[y].name, "sum");
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<TensorId>{x, one}));
  EXPECT_EQ(graph.nodes[0].outputs, std::vector<TensorId>{y});
}

TEST(GraphEditor, TensorsHoldIntegersWhereThatIsSaid) {
  Graph graph;
  GraphEditor editor(graph);
  EXPECT_FALSE(editor.is_integral(editor.constant("real", {{1}, {1}, false})));
  EXPECT_TRUE(editor.is_integral(editor.constant("whole", {{1}, {1}, true})));
  const TensorId x = editor.tensor("x", {2});
  EXPECT_FALSE(editor.is_integral(x));
  editor.integral(x);
  EXPECT_TRUE(editor.is_integral(x));
}

}  // namespace
}  // namespace tacit::graph::passes
