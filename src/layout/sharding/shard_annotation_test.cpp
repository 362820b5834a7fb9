#include "layout/sharding/shard_annotation.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "layout/sharding/operator_rules.h"

namespace tacit::layout {
namespace {

ShardingRule three_by_three(Index groups) {
  const WindowAxis axis{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  return convolution_rule({1, 8, 6, 6}, {16, 8 / groups, 3, 3}, {1, 16, 6, 6}, {axis, axis}, groups, false).or_refuse();
}

TEST(ShardAnnotation, ParsesAndPrints) {
  for (const char* text : {"conv1=x:4,y:2", "/layer1/Conv=x:4@f,q:2@h",
                           "conv1=mesh=[x=4, y=2] inputs={0: {-1, y, -1, -1}} outputs={0: {-1, x, -1, -1}}"})
    EXPECT_EQ(ShardAnnotation::parse(text).to_string(), text);
  for (const auto& [text, words] : {std::pair{"conv1", "expected NODE=AXIS:BLOCKS"},
                                    {"=x:4", "expected NODE=AXIS:BLOCKS"},
                                    {"c=", "expected a name"},
                                    {"c=x:", "expected a number"},
                                    {"c=x:4;", "expected the end"},
                                    {"c=x:0", "axis 'x' has extent 0"},
                                    {"c=x:2,x:2", "two axes are named 'x'"},
                                    {"c=x:2@", "expected a name"},
                                    {"c=mesh=[x=2] inputs={0: {x}, 0: {x}} outputs={}", "operand 0 comes twice"},
                                    {"c=mesh=[x=2] inputs={} outputs={", "expected a number"}})
    base::expect_refusal<base::InputError>([&] { ShardAnnotation::parse(text); }, words);
}

TEST(ShardAnnotation, AxesSplitByConventionByNameOrAsTheyAreTold) {
  const auto sharded = [](const ShardingRule& rule, const std::string& text) {
    return annotated(rule, ShardAnnotation::parse("node=" + text)).to_string();
  };
  const std::string expected = "inputs={0: {-1, y, z, -1}, 1: {x, y, -1, -1}} outputs={0: {-1, x, z, -1}}";
  EXPECT_EQ(sharded(three_by_three(1), "x:4,y:2,z:3"), "mesh=[x=4, y=2, z=3] " + expected);
  EXPECT_EQ(sharded(three_by_three(1), "w:2"),
            "mesh=[w=2] inputs={0: {-1, -1, -1, w}, 1: {-1, -1, -1, -1}} outputs={0: {-1, -1, -1, w}}");
  EXPECT_EQ(sharded(three_by_three(1), "q:2@c"),
            "mesh=[q=2] inputs={0: {-1, q, -1, -1}, 1: {-1, q, -1, -1}} outputs={0: {-1, -1, -1, -1}}");
  EXPECT_EQ(sharded(three_by_three(4), "x:4"),
            "mesh=[x=4] inputs={0: {-1, x, -1, -1}, 1: {x, -1, -1, -1}} outputs={0: {-1, x, -1, -1}}");
  EXPECT_EQ(sharded(matmul_rule({4, 8}, {8, 6}).or_refuse(), "x:3,y:2,z:4"),
            "mesh=[x=3, y=2, z=4] inputs={0: {z, y}, 1: {y, x}} outputs={0: {z, x}}");
  EXPECT_EQ(sharded(elementwise_rule("Add", {{1, 8, 6, 6}, {1, 8, 6, 6}}).or_refuse(), "x:4,z:2"),
            "mesh=[x=4, z=2] inputs={0: {-1, x, z, -1}, 1: {-1, x, z, -1}} outputs={0: {-1, x, z, -1}}");
}

TEST(ShardAnnotation, WhatARuleCannotUseIsRefused) {
  const auto refused = [](const std::string& text, const std::string& words) {
    base::expect_refusal<base::InputError>(
        [&] { annotated(three_by_three(1), ShardAnnotation::parse("node=" + text)); }, "node 'node': " + words);
  };
  refused("v:2",
          "no factor of Conv can be split along axis 'v'; leave it out, or name one of [f, c, h, w], as in v:2@f");
  refused("x:2@k", "sharding rule of Conv: no dimension is called 'k'");
  refused("x:2@c,y:2", "sharding rule of Conv: axes 'x' and 'y' both split 'c'");
  refused("x:17", "sharding rule of Conv: axis 'x' has extent 17 and 'f' has 16");
  refused("mesh=[x=2] inputs={} outputs={0: {-1, x, -1, -1}}", "dimension 0 of input 1 of Conv is tied");
}

}  // namespace
}  // namespace tacit::layout
