#include "layout/sharding/sharding_rule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/sharding/operator_rules.h"
#include "layout/sharding/shard_annotation.h"

namespace tacit::layout {
namespace {

using base::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// "n:1 f:64 c:3+": factors with their extents, and a plus where results are added up.
std::string factors_of(const ShardingRule& rule) {
  std::string text;
  for (const ShardingFactor& factor : rule.factors())
    text += fmt::format("{}{}:{}{}", text.empty() ? "" : " ", factor.name, factor.extent,
                        factor.role == ShardingFactor::Role::reduced ? "+" : "");
  return text;
}

constexpr WindowAxis kSame{3, 1, 1, 1, 1};

ShardingRule convolved(const Shape& in, const Shape& weight, Index groups) {
  return convolution_rule(in, weight, {in[0], weight[0], in[2], in[3]}, {kSame, kSame}, groups, false).or_refuse();
}

TEST(ShardingRule, FactorsHaveTheExtentsThatCanBeSplit) {
  const WindowAxis half{7, 2, 1, 3, 3}, pair{2, 2, 1, 0, 0};
  for (const auto& [rule, factors] : std::vector<std::pair<ShardingRule, std::string>>{
           {convolution_rule({2, 3, 224, 112}, {64, 3, 7, 7}, {2, 64, 112, 56}, {half, half}, 1, true).or_refuse(),
            "n:2 f:64 c:3+ h:112 w:56"},
           {convolved({1, 8, 6, 6}, {8, 2, 3, 3}, 4), "n:1 g:4 f:2 c:2+ h:6 w:6"},
           {convolved({1, 8, 6, 6}, {4, 2, 3, 3}, 4), "n:1 g:4 c:2+ h:6 w:6"},
           {convolved({1, 4, 6, 6}, {4, 2, 3, 3}, 2), "n:1 g:2 f:2 c:2+ h:6 w:6"},
           {convolved({1, 8, 6, 6}, {16, 1, 3, 3}, 8), "n:1 g:8 f:2 h:6 w:6"},
           {convolved({1, 1, 6, 6}, {1, 1, 3, 3}, 1), "n:1 f:1 c:1+ h:6 w:6"},
           {pool_rule("MaxPool", {2, 4, 9}, {2, 4, 4}, {pair}).or_refuse(), "n:2 c:4 w:4"},
           {pool_rule("MaxPool", {1, 2, 4, 6, 8}, {1, 2, 2, 3, 4}, {pair, pair, pair}).or_refuse(),
            "n:1 c:2 d:2 h:3 w:4"},
           {pool_rule("MaxPool", {1, 2, 4, 6}, {1, 2, 5, 7}, {kSame, kSame}).or_refuse(), "n:1 c:2 h:4 w:6"},
           {reduction_rule("ReduceSum", {2, 6, 4}, {2, 4}, {1}).or_refuse(), "d0:2 d1:6+ d2:4"},
           {matmul_rule({3, 1, 5, 7}, {2, 7, 4}).or_refuse(), "d0:3 d1:2 m:5 k:7+ n:4"},
           {matmul_rule({3, 5, 7}, {2, 1, 7, 4}).or_refuse(), "d0:2 d1:3 m:5 k:7+ n:4"},
           {gemm_rule({7, 5}, {7, 4}, true, false, {}).or_refuse(), "m:5 k:7+ n:4"},
           {gemm_rule({5, 7}, {4, 7}, false, true, {}).or_refuse(), "m:5 k:7+ n:4"},
           {elementwise_rule("Add", {{8, 1, 1}, {1, 8, 6, 5}}).or_refuse(), "d0:1 d1:8 d2:6 d3:5"},
           {concat_rule({{1, 3, 4}, {1, 5, 4}}, 1).or_refuse(), "d0:1 d2:4"},
           {transpose_rule({2, 3, 4}, {2, 0, 1}).or_refuse(), "d0:2 d1:3 d2:4"},
           {reshape_rule({72}, {6, 4, 3}).or_refuse(), "d0:6 d0.1:4 d0.2:3"},
           {reshape_rule({4, 6}, {8, 3}).or_refuse(), "d0:4 d1:2 d1.1:3"},
           {reshape_rule({6, 4}, {4, 6}).or_refuse(), "d0:2 rest:3"}})
    EXPECT_EQ(factors_of(rule), factors) << rule.to_string();
}

TEST(ShardingRule, WindowsSayWhatABlockReadsOfItsNeighbours) {
  const auto pooled = [](Index in, Index out, const WindowAxis& axis) {
    return pool_rule("MaxPool", {1, 2, in}, {1, 2, out}, {axis}).or_refuse().to_string();
  };
  const auto text = [](const char* place) {
    return fmt::format("MaxPool: inputs [n, c, {}] outputs [n, c, w]", place);
  };
  EXPECT_EQ(pooled(8, 8, {5, 1, 2, 3, 3}), text("w/1-3+5"));
  EXPECT_EQ(pooled(9, 3, {3, 2, 2, 1, 0}), text("w/2-1+3"));
  EXPECT_EQ(pooled(8, 8, {2, 1, 1, 0, 1}), text("w/1+0+1"));
  EXPECT_EQ(pooled(8, 8, {2, 1, 1, 1, 0}), text("w/1-1+0"));
  // One tap in place reads its own position, where there are as many.
  EXPECT_EQ(pooled(8, 8, {1, 1, 1, 0, 0}), text("w"));
  EXPECT_EQ(pooled(8, 7, {1, 1, 1, 0, 0}), text("w/1+0+0"));
  EXPECT_EQ(pooled(8, 4, {1, 2, 1, 0, 0}), text("w/2+0+0"));
  EXPECT_EQ(convolved({1, 8, 6, 6}, {4, 2, 3, 3}, 4).to_string(),
            "Conv: inputs [n, g c, h/1-1+1, w/1-1+1] [g, c, -, -] outputs [n, g, h, w], reduced c");
  EXPECT_EQ(convolved({1, 8, 6, 6}, {16, 1, 3, 3}, 8).to_string(),
            "Conv: inputs [n, g, h/1-1+1, w/1-1+1] [g f, -, -, -] outputs [n, g f, h, w]");
  EXPECT_EQ(convolved({1, 1, 6, 6}, {1, 1, 3, 3}, 1).to_string(),
            "Conv: inputs [n, c, h/1-1+1, w/1-1+1] [f, c, -, -] outputs [n, f, h, w], reduced c");
}

TEST(ShardingRule, BlocksReadPositionsWithinTheInput) {
  const Halo halo{.stride = 2, .before = 3, .after = 4};
  EXPECT_EQ(ShardingRule::read_by({2, 4}, halo, 100), (PositionRange{1, 11}));
  EXPECT_EQ(ShardingRule::read_by({2, 3}, halo, 100), (PositionRange{1, 9}));
  EXPECT_EQ(ShardingRule::read_by({1, 4}, halo, 9), (PositionRange{0, 9}));
  EXPECT_EQ(ShardingRule::read_by({9, 10}, halo, 9), (PositionRange{9, 9}));
  EXPECT_EQ(ShardingRule::read_by({3, 3}, halo, 100), PositionRange{});
  EXPECT_EQ(ShardingRule::read_by({4, 3}, halo, 100), PositionRange{});
}

TEST(ShardingRule, FactorsAreKnownByTheirNames) {
  const ShardingRule rule = matmul_rule({3, 4}, {4, 5}).or_refuse();
  EXPECT_EQ(rule.factor("m"), 0);
  EXPECT_EQ(rule.factor("n"), 2);
  EXPECT_EQ(refusal([&] { static_cast<void>(rule.factor(std::string(51, 'x'))); }),
            "sharding rule of MatMul: no dimension is called '" + std::string(50, 'x') + "'; split one of [m, k, n]");
  const auto made = [](int factor) {
    return refusal<base::InternalError>([&] { ShardingRule("Op", {{"a", 2}, {"b", 3}}, {{{{factor}}}}, {}); });
  };
  EXPECT_EQ(made(1), base::kNotRefused);
  EXPECT_EQ(made(2), "sharding rule of Op: it has no factor 2");
  EXPECT_EQ(made(-1), "sharding rule of Op: it has no factor -1");
}

TEST(ShardingRule, AnAxisHasAsManyBlocksAsItsFactorHasPositions) {
  const Mesh mesh({{"x", 3}, {"u", 1}});
  const ShardingRule rule = matmul_rule({3, 2}, {2, 4}).or_refuse();
  EXPECT_EQ(rule.sharded(mesh, {{"x", "m"}}).to_string(),
            "mesh=[x=3, u=1] inputs={0: {x, -1}, 1: {-1, -1}} outputs={0: {x, -1}}");
  EXPECT_EQ(refusal([&] {
              static_cast<void>(rule.sharded(mesh, {{"x", "k"}}));
            }),
            "sharding rule of MatMul: axis 'x' has extent 3 and 'k' has 2; take a smaller axis");
  // One block splits nothing.
  OpSharding whole(mesh);
  whole.set_input(0, ArraySharding(mesh, std::vector<std::string>{"u", "-1"}));
  EXPECT_THAT(rule.violations(whole), IsEmpty());
  EXPECT_THAT(rule.reduced_axes(rule.sharded(mesh, {{"u", "k"}})), IsEmpty());
  OpSharding joined(mesh);
  joined.set_input(1, ArraySharding(mesh, std::vector<std::string>{"-1", "u"}));
  EXPECT_THAT(concat_rule({{4, 4}, {4, 2}}, 1).or_refuse().violations(joined), IsEmpty());
  const Mesh two({{"a", 2}, {"b", 2}});
  const ShardingRule square = matmul_rule({4, 4}, {4, 4}).or_refuse();
  EXPECT_THAT(square.reduced_axes(square.sharded(two, {{"a", "k"}, {"b", "m"}})), ElementsAre("a"));
  EXPECT_THAT(square.reduced_axes(square.sharded(two, {{"a", "n"}, {"b", "m"}})), IsEmpty());
}

TEST(ShardingRule, AxesHaveTheirConventionalFactors) {
  const ShardingRule dense = convolved({4, 8, 6, 6}, {8, 8, 3, 3}, 1), deep = convolved({4, 8, 6, 6}, {8, 1, 3, 3}, 8),
                     pool = pool_rule("MaxPool", {4, 8, 6, 6}, {4, 8, 6, 6}, {kSame, kSame}).or_refuse(),
                     matrix = matmul_rule({4, 8}, {8, 6}).or_refuse(),
                     add = elementwise_rule("Add", {{4, 8, 6}}).or_refuse(),
                     flat = reshape_rule({4, 8, 6}, {4, 48}).or_refuse();
  struct Case {
    const ShardingRule& rule;
    const char *x, *y, *z;
  };
  for (const Case& c : {Case{dense, "f", "c", "h"}, Case{deep, "g", "g", "h"}, Case{pool, "c", "c", "h"},
                        Case{matrix, "n", "k", "m"}, Case{add, "d1", "d1", "d2"}, Case{flat, "d1", "d1", ""}}) {
    EXPECT_EQ(conventional_factor(c.rule, "x"), c.x) << c.rule.to_string();
    EXPECT_EQ(conventional_factor(c.rule, "y"), c.y) << c.rule.to_string();
    EXPECT_EQ(conventional_factor(c.rule, "z"), c.z) << c.rule.to_string();
    EXPECT_EQ(conventional_factor(c.rule, "q"), "");
  }
  // Under its own name an axis splits what it names, samples too.
  EXPECT_EQ(conventional_factor(dense, "n"), "n");
  EXPECT_EQ(conventional_factor(dense, "w"), "w");
}

TEST(ShardingRule, AxesOfOneBlockMayBeAnythingUnlessTheyNameAFactor) {
  const ShardingRule rule = convolved({1, 8, 6, 6}, {8, 8, 3, 3}, 1);
  const auto told = [](const ShardingRule& of, const std::string& text) {
    return annotated(of, ShardAnnotation::parse("node=" + text)).to_string();
  };
  EXPECT_EQ(told(rule, "v:1,x:2"),
            "mesh=[v=1, x=2] inputs={0: {-1, -1, -1, -1}, 1: {x, -1, -1, -1}} outputs={0: {-1, x, -1, -1}}");
  EXPECT_THAT(refusal([&] { told(rule, "v:1@q"); }), HasSubstr("no dimension is called 'q'"));
  EXPECT_EQ(refusal([&] {
              told(elementwise_rule("Relu", {{1, 1}}).or_refuse(), "v:2");
            }),
            "node 'node': no factor of Relu can be split along axis 'v'; leave it out, or name one of [], as in "
            "v:2@FACTOR");
}

TEST(ShardingRule, EveryOutputIsSharded) {
  const int first = 0;
  const ShardingOperand operand{{{first}}};
  const ShardingRule rule("Split", {{"a", 4}, {"b", 2}}, std::vector<ShardingOperand>(1, operand),
                          std::vector<ShardingOperand>(3, operand));
  EXPECT_EQ(rule.sharded(Mesh({{"x", 2}, {"u", 1}}), {{"x", "a"}}).to_string(),
            "mesh=[x=2, u=1] inputs={0: {x}} outputs={0: {x}, 1: {x}, 2: {x}}");
}

TEST(ShardingRule, AFactorThatNoOperandHasSplitsNothing) {
  const ShardingRule rule = reshape_rule({3, 4}, {4, 3}).or_refuse();
  EXPECT_EQ(factors_of(rule), "rest:3");
  EXPECT_EQ(conventional_factor(rule, "rest"), "");
  EXPECT_EQ(refusal([] {
              annotated(elementwise_rule("Relu", {{2, 3}}).or_refuse(), ShardAnnotation::parse("node=v:2"));
            }),
            "node 'node': no factor of Relu can be split along axis 'v'; leave it out, or name one of [d0, d1], as in "
            "v:2@d0");
}

}  // namespace
}  // namespace tacit::layout
