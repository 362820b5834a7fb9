#include "graph/passes/node_sharding_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

using Attributes = std::map<std::string, Attribute>;

/// Returns the rule of a node on inputs of these shapes.
std::string rule_of(const std::string& op, const std::vector<Shape>& inputs, const Shape& out,
                    Attributes attributes = {}) {
  Sketch s;
  std::vector<TensorId> ids;
  for (const Shape& shape : inputs) ids.push_back(s.input(shape));
  s.output(s.node(op, ids, out, std::move(attributes)));
  return sharding_rule(s.graph, s.graph.nodes[0]).or_refuse().to_string();
}

std::string rule_refusal(const std::string& op, const std::vector<Shape>& inputs, const Shape& out,
                         Attributes attributes = {}) {
  try {
    return rule_of(op, inputs, out, std::move(attributes));
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(NodeShardingRule, IsReadFromTheAttributesOfTheNode) {
  const std::vector<std::int64_t> two{2, 2}, three(4, 3);
  EXPECT_EQ(
      rule_of("Conv", {{1, 3, 224, 224}, {64, 3, 7, 7}, {64}}, {1, 64, 112, 112}, {{"strides", two}, {"pads", three}}),
      "Conv: inputs [n, c, h/2-3+3, w/2-3+3] [f, c, -, -] [f] outputs [n, f, h, w], reduced c");
  EXPECT_EQ(
      rule_of("Conv", {{1, 8, 9, 9}, {8, 1, 3, 3}}, {1, 8, 5, 5}, {{"group", std::int64_t{8}}, {"dilations", two}}),
      "Conv: inputs [n, g, h/1+0+4, w/1+0+4] [g, -, -, -] outputs [n, g, h, w]");
  EXPECT_EQ(rule_of("Conv", {{1, 8, 9}, {4, 8, 1}}, {1, 4, 9}),
            "Conv: inputs [n, c, w] [f, c, -] outputs [n, f, w], reduced c");
  EXPECT_EQ(rule_of("MaxPool", {{1, 64, 112, 112}}, {1, 64, 56, 56},
                    {{"kernel_shape", std::vector<std::int64_t>{3, 3}},
                     {"strides", two},
                     {"pads", std::vector<std::int64_t>(4, 1)}}),
            "MaxPool: inputs [n, c, h/2-1+1, w/2-1+1] outputs [n, c, h, w]");
  EXPECT_EQ(rule_of("GlobalAveragePool", {{1, 512, 7, 7}}, {1, 512, 1, 1}),
            "GlobalAveragePool: inputs [d0, d1, d2, d3] outputs [d0, d1, -, -], reduced d2 d3");
  EXPECT_EQ(rule_of("Gemm", {{1, 512}, {10, 512}, {10}}, {1, 10}, {{"transB", std::int64_t{1}}}),
            "Gemm: inputs [m, k] [n, k] [n] outputs [m, n], reduced k");
  EXPECT_EQ(rule_of("MatMul", {{2, 5, 7}, {7, 4}}, {2, 5, 4}),
            "MatMul: inputs [d0, m, k] [k, n] outputs [d0, m, n], reduced k");
  EXPECT_EQ(rule_of("Add", {{1, 64, 56, 56}, {1, 64, 56, 56}}, {1, 64, 56, 56}),
            "Add: inputs [d0, d1, d2, d3] [d0, d1, d2, d3] outputs [d0, d1, d2, d3]");
  EXPECT_EQ(rule_of("Relu", {{1, 64, 56, 56}}, {1, 64, 56, 56}),
            "Relu: inputs [d0, d1, d2, d3] outputs [d0, d1, d2, d3]");
  EXPECT_EQ(rule_of("Concat", {{1, 64, 5, 5}, {1, 32, 5, 5}}, {1, 96, 5, 5}, {{"axis", std::int64_t{-3}}}),
            "Concat: inputs [d0, -, d2, d3] [d0, -, d2, d3] outputs [d0, -, d2, d3]");
  EXPECT_EQ(rule_of("Flatten", {{1, 512, 7, 7}}, {1, 25088}), "Flatten: inputs [-, d1, d2, d3] outputs [-, d1 d2 d3]");
  EXPECT_EQ(rule_of("Reshape", {{6, 4}, {2}}, {3, 8}), "Reshape: inputs [d0 d0.1, d1] [-] outputs [d0, d0.1 d1]");
  EXPECT_EQ(rule_of("Transpose", {{2, 3, 4}}, {4, 3, 2}), "Transpose: inputs [d0, d1, d2] outputs [d2, d1, d0]");
  EXPECT_EQ(rule_of("BatchNormalization", {{1, 8, 4, 4}, {8}, {8}, {8}, {8}}, {1, 8, 4, 4}),
            "BatchNormalization: inputs [d0, d1, d2, d3] [d1] [d1] [d1] [d1] outputs [d0, d1, d2, d3]");
}

TEST(NodeShardingRule, NamesTheNodeThatHasNone) {
  EXPECT_THAT(rule_refusal("TopK", {{1, 8}}, {1, 2}),
              AllOf(HasSubstr("node 'TopK0' (TopK)"), HasSubstr("states no sharding rule")));
  EXPECT_THAT(rule_refusal("MatMul", {{2, 3}, {2, 3}}, {2, 3}),
              AllOf(HasSubstr("node 'MatMul0'"), HasSubstr("do not chain")));
  EXPECT_THAT(rule_refusal("Conv", {{1, 8, 6, 6}, {8, 3, 3, 3}}, {1, 8, 4, 4}), HasSubstr("groups and channels"));
}

TEST(NodeShardingRule, BatchNormalisationNeedsChannelsAndNoPlaces) {
  EXPECT_EQ(rule_of("BatchNormalization", {{4, 8}, {8}, {8}, {8}, {8}}, {4, 8}),
            "BatchNormalization: inputs [d0, d1] [d1] [d1] [d1] [d1] outputs [d0, d1]");
  EXPECT_THAT(rule_refusal("BatchNormalization", {{8}, {8}, {8}, {8}, {8}}, {8}),
              HasSubstr("node 'BatchNormalization0' (BatchNormalization): its input has no channels"));
}

TEST(NodeShardingRule, ReadsFlagsAxesAndPermutations) {
  EXPECT_EQ(rule_of("Gemm", {{512, 2}, {512, 10}}, {2, 10}, {{"transA", std::int64_t{1}}}),
            "Gemm: inputs [k, m] [k, n] outputs [m, n], reduced k");
  EXPECT_EQ(rule_of("Gemm", {{2, 512}, {512, 10}, {2, 10}}, {2, 10}),
            "Gemm: inputs [m, k] [k, n] [m, n] outputs [m, n], reduced k");
  EXPECT_EQ(rule_of("Transpose", {{2, 3, 4}}, {2, 4, 3}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}}),
            "Transpose: inputs [d0, d1, d2] outputs [d0, d2, d1]");
  EXPECT_EQ(rule_of("GlobalMaxPool", {{1, 8, 5}}, {1, 8, 1}),
            "GlobalMaxPool: inputs [d0, d1, d2] outputs [d0, d1, -], reduced d2");
  EXPECT_EQ(rule_of("Concat", {{2, 3}, {2, 5}}, {2, 8}, {{"axis", std::int64_t{1}}}),
            "Concat: inputs [d0, -] [d0, -] outputs [d0, -]");
  EXPECT_EQ(rule_of("PRelu", {{4, 3}, {3}}, {4, 3}), "PRelu: inputs [d0, d1] [-] outputs [d0, d1]")
      << "what is no operand by nature stays whole";
}

TEST(NodeShardingRule, WeightsHavePlacesAndNoInputIsMissing) {
  EXPECT_THAT(rule_refusal("Conv", {{1, 8}, {4, 8}}, {1, 4}),
              HasSubstr("node 'Conv0' (Conv): its weight has no places"));
  EXPECT_THAT(rule_refusal("MatMul", {{2, 3}}, {2, 3}), HasSubstr("node 'MatMul0' (MatMul): an input is missing"));
}

/// Steps and extremes are element-wise, too. An input that is absent has no dimensions.
TEST(NodeShardingRule, StepsAndExtremesKeepTheirElements) {
  EXPECT_EQ(rule_of("Floor", {{4, 3}}, {4, 3}), "Floor: inputs [d0, d1] outputs [d0, d1]");
  EXPECT_EQ(rule_of("Max", {{4, 3}, {3}}, {4, 3}), "Max: inputs [d0, d1] [-] outputs [d0, d1]");
  Sketch s;
  const TensorId x = s.input({4, 3});
  s.output(s.node("Clip", {x, kNoTensor, s.constant({}, {6})}, {4, 3}));
  const layout::ShardingRule rule = sharding_rule(s.graph, s.graph.nodes[0]).or_refuse();
  ASSERT_EQ(rule.inputs().size(), 3u);
  EXPECT_TRUE(rule.inputs()[1].empty());
  EXPECT_TRUE(rule.inputs()[2].empty());
}

TEST(NodeShardingRule, PoolsOverNoPlacesReduceNothing) {
  EXPECT_EQ(rule_of("GlobalAveragePool", {{2, 8}}, {2, 8}), "GlobalAveragePool: inputs [d0, d1] outputs [d0, d1]");
  EXPECT_EQ(rule_of("GlobalMaxPool", {{8}}, {8}), "GlobalMaxPool: inputs [d0] outputs [d0]");
}

}  // namespace
}  // namespace tacit::graph::passes
