#include "layout/sharding/operator_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/refusal_for_test.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/random_window_for_test.h"

namespace tacit::layout {
namespace {

using base::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Index> index_of(Index element, const Shape& shape) {
  std::vector<Index> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) index[d] = element % shape[d];
  return index;
}

/// Every entry of an operator joins blocks that the rule says belong together, whichever factor is split into however
/// many blocks: of tied factors the same, or those that the halo reaches, and of others the dimension is whole.
void expect_entries_follow(const ShardingRule& rule, const LinearOperator& op, const Shape& in, const Shape& out) {
  ASSERT_EQ(rule.outputs().size(), 1u);
  for (const ShardingFactor& factor : rule.factors())
    for (Index parts = 2; parts <= factor.extent; ++parts) {
      const Mesh mesh({{"p", parts}});
      std::optional<OpSharding> sharding;
      try {
        sharding = rule.sharded(mesh, {{"p", factor.name}});
      } catch (const base::InputError&) {
        continue;  // it lies inside another, or does not divide
      }
      EXPECT_THAT(rule.violations(*sharding), IsEmpty()) << rule.to_string();
      const ArraySharding &read = sharding->input(0), &made = sharding->output(0);
      const auto dim_of = [](const ArraySharding& array) {
        return std::ranges::find(array.spec(), 0) - array.spec().begin();
      };
      const std::ptrdiff_t from = dim_of(read), to = dim_of(made);
      const bool reads = from < static_cast<std::ptrdiff_t>(in.size()),
                 makes = to < static_cast<std::ptrdiff_t>(out.size());
      if (!reads || !makes) {
        EXPECT_TRUE(!reads || factor.role == ShardingFactor::Role::reduced) << rule.to_string() << factor.name;
        continue;
      }
      const auto i = static_cast<std::size_t>(from), o = static_cast<std::size_t>(to);
      const Index in_block = read.block_shape(in)[i], out_block = made.block_shape(out)[o];
      const std::optional<Halo>& halo = rule.inputs()[0][i].halo;
      for (Index row = 0; row < element_count(out); ++row)
        op.row(row, [&](Index column, double) {
          const Index made_at = index_of(row, out)[o], read_at = index_of(column, in)[i];
          if (!halo) {
            EXPECT_EQ(made_at / out_block, read_at / in_block) << rule.to_string() << " " << factor.name;
          } else {
            const Index begin = made_at / out_block * out_block;
            const PositionRange range =
                ShardingRule::read_by({begin, std::min(out[o], begin + out_block)}, *halo, in[i]);
            EXPECT_TRUE(read_at >= range.begin && read_at < range.end) << rule.to_string() << " " << factor.name;
          }
        });
    }
}

TEST(OperatorRules, EntriesOfWindowsFollowTheirRules) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    RandomWindow window = random_window(random);
    const Convolution op(window.in, window.out, window.axes, window.groups,
                         std::vector<double>(static_cast<std::size_t>(window.weights()), 1.0));
    Shape weight{window.out[1], window.in[1] / window.groups};
    for (const WindowAxis& axis : window.axes) weight.push_back(axis.kernel);
    expect_entries_follow(convolution_rule(window.in, weight, window.out, window.axes, window.groups, true).or_refuse(),
                          op, window.in, window.out);
    Shape pooled = window.out;
    pooled[1] = window.in[1];
    const AveragePool pool(window.in, pooled, window.axes, true);
    expect_entries_follow(pool_rule("AveragePool", window.in, pooled, window.axes).or_refuse(), pool, window.in,
                          pooled);
  }
}

TEST(OperatorRules, EntriesOfMatricesSumsAndMovesFollowTheirRules) {
  const Shape left{3, 4, 6}, right{6, 5}, product{3, 4, 5};
  std::vector<double> transposed(30, 1.0);
  expect_entries_follow(matmul_rule(left, right).or_refuse(), Contraction::dense(left, 5, transposed), left, product);
  expect_entries_follow(reduction_rule("GlobalAveragePool", {2, 6, 4, 3}, {2, 6, 1, 1}, {2, 3}).or_refuse(),
                        Reduction({2, 6, 4, 3}, {2, 6, 1, 1}, {2, 3}, 1.0 / 12), {2, 6, 4, 3}, {2, 6, 1, 1});
  expect_entries_follow(reduction_rule("ReduceSum", {2, 6, 4}, {2, 4}, {1}).or_refuse(),
                        Reduction({2, 6, 4}, {2, 4}, {1}, 1), {2, 6, 4}, {2, 4});
  for (const auto& [in, out] : std::vector<std::pair<Shape, Shape>>{{{1, 6, 4, 3}, {1, 72}},
                                                                    {{72}, {6, 4, 3}},
                                                                    {{4, 6}, {8, 3}},
                                                                    {{3, 4}, {4, 3}},
                                                                    {{6, 4}, {4, 6}},
                                                                    {{2, 12, 5}, {2, 3, 4, 5}}})
    expect_entries_follow(reshape_rule(in, out).or_refuse(), Identity(in, out), in, out);
  const Shape in{4, 3, 5}, out{5, 4, 3};
  std::vector<Index> source;
  for (Index e = 0; e < 60; ++e) {
    const std::vector<Index> at = index_of(e, out);
    source.push_back((at[1] * 3 + at[2]) * 5 + at[0]);
  }
  expect_entries_follow(transpose_rule(in, {2, 0, 1}).or_refuse(), Gather(in, out, source), in, out);
  expect_entries_follow(elementwise_rule("Relu", {in}).or_refuse(), Identity(in), in, in);
}

TEST(OperatorRules, PrintWhatTheySay) {
  const std::vector<WindowAxis> stem{{7, 2, 1, 3, 3}, {7, 2, 1, 3, 3}};
  EXPECT_EQ(convolution_rule({1, 3, 224, 224}, {64, 3, 7, 7}, {1, 64, 112, 112}, stem, 1, true).or_refuse().to_string(),
            "Conv: inputs [n, c, h/2-3+3, w/2-3+3] [f, c, -, -] [f] outputs [n, f, h, w], reduced c");
  const std::vector<WindowAxis> same{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  EXPECT_EQ(convolution_rule({1, 8, 6, 6}, {8, 2, 3, 3}, {1, 8, 6, 6}, same, 4, false).or_refuse().to_string(),
            "Conv: inputs [n, g c, h/1-1+1, w/1-1+1] [g f, c, -, -] outputs [n, g f, h, w], reduced c");
  EXPECT_EQ(convolution_rule({1, 8, 6, 6}, {8, 1, 3, 3}, {1, 8, 6, 6}, same, 8, false).or_refuse().to_string(),
            "Conv: inputs [n, g, h/1-1+1, w/1-1+1] [g, -, -, -] outputs [n, g, h, w]");
  EXPECT_EQ(gemm_rule({5, 7}, {4, 7}, false, true, {4}).or_refuse().to_string(),
            "Gemm: inputs [m, k] [n, k] [n] outputs [m, n], reduced k");
  EXPECT_EQ(matmul_rule({2, 5, 7}, {7, 4}).or_refuse().to_string(),
            "MatMul: inputs [d0, m, k] [k, n] outputs [d0, m, n], reduced k");
  EXPECT_EQ(elementwise_rule("Add", {{1, 8, 6, 6}, {8, 1, 1}}).or_refuse().to_string(),
            "Add: inputs [d0, d1, d2, d3] [d1, -, -] outputs [d0, d1, d2, d3]");
  EXPECT_EQ(concat_rule({{1, 3, 4}, {1, 5, 4}}, 1).or_refuse().to_string(),
            "Concat: inputs [d0, -, d2] [d0, -, d2] outputs [d0, -, d2]");
  EXPECT_EQ(reshape_rule({1, 64, 7, 7}, {1, 3136}).or_refuse().to_string(),
            "Reshape: inputs [-, d1, d2, d3] outputs [-, d1 d2 d3]");
  EXPECT_EQ(transpose_rule({2, 3, 4}, {2, 0, 1}).or_refuse().to_string(),
            "Transpose: inputs [d0, d1, d2] outputs [d2, d0, d1]");
}

TEST(OperatorRules, AConvolutionOnItsMeshIsShardedAsPublished) {
  const Mesh mesh({{"x", 4}, {"y", 3}, {"z", 2}});
  const std::vector<WindowAxis> stem{{7, 2, 1, 3, 3}, {7, 2, 1, 3, 3}};
  const ShardingRule rule =
      convolution_rule({1, 3, 224, 224}, {64, 3, 7, 7}, {1, 64, 112, 112}, stem, 1, true).or_refuse();
  const OpSharding sharding = rule.sharded(mesh, {{"x", "f"}, {"y", "c"}, {"z", "h"}});
  EXPECT_EQ(sharding.to_string(),
            "mesh=[x=4, y=3, z=2] inputs={0: {-1, y, z, -1}, 1: {x, y, -1, -1}, 2: {x}} outputs={0: {-1, x, z, -1}}");
  EXPECT_THAT(rule.reduced_axes(sharding), ElementsAre("y"));
  EXPECT_THAT(rule.violations(sharding), IsEmpty());
  EXPECT_EQ(sharding.output(0).array_text({1, 64, 112, 112}), "D[8][16x56x112]");
  // The second half of the rows reads three rows of the first.
  EXPECT_EQ(ShardingRule::read_by({56, 112}, *rule.inputs()[0][2].halo, 224), (PositionRange{109, 224}));
  EXPECT_EQ(ShardingRule::read_by({0, 56}, *rule.inputs()[0][2].halo, 224), (PositionRange{0, 114}));
}

TEST(OperatorRules, NameWhatDoesNotFollow) {
  const Mesh mesh({{"x", 2}, {"y", 3}});
  const ShardingRule rule = matmul_rule({6, 6}, {6, 4}).or_refuse();
  OpSharding sharding = rule.sharded(mesh, {{"y", "k"}});
  sharding.set_input(1, ArraySharding::replicated(mesh, 2));
  EXPECT_THAT(rule.violations(sharding),
              ElementsAre("dimension 0 of input 1 of MatMul is tied to others that are split along axis 'y'"));
  sharding.set_input(1, ArraySharding(mesh, std::vector<std::string>{"-1", "y"}));
  EXPECT_THAT(rule.violations(sharding), ElementsAre("axis 'y' splits 'k' and 'n' of MatMul"));
  OpSharding joined(mesh);
  joined.set_input(0, ArraySharding(mesh, std::vector<std::string>{"-1", "x"}));
  EXPECT_THAT(concat_rule({{4, 4}, {4, 2}}, 1).or_refuse().violations(joined),
              ElementsAre("dimension 1 of input 0 of Concat must be whole"));
}

TEST(OperatorRules, RefuseAxesThatTheyCannotUse) {
  const Mesh mesh({{"x", 2}, {"y", 3}});
  const std::vector<WindowAxis> same{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const ShardingRule grouped = convolution_rule({1, 8, 6, 6}, {8, 2, 3, 3}, {1, 8, 6, 6}, same, 4, false).or_refuse();
  EXPECT_THAT(refusal([&] { static_cast<void>(grouped.sharded(mesh, {{"w", "g"}})); }), HasSubstr("has no axis 'w'"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(grouped.sharded(mesh, {{"x", "q"}}));
              }),
              HasSubstr("no dimension is called 'q'; split one of [n, g, f, c, h, w]"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(grouped.sharded(mesh, {{"x", "f"}}));
              }),
              HasSubstr("axis 'x' cannot split 'f', which lies inside 'g'"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(grouped.sharded(mesh, {{"y", "g"}}));
              }),
              HasSubstr("3 blocks along axis 'y' do not divide the 4"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(grouped.sharded(mesh, {{"x", "h"}, {"y", "h"}}));
              }),
              HasSubstr("axes 'x' and 'y' both split 'h'"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(matmul_rule({2, 2}, {2, 2}).or_refuse().sharded(mesh, {{"y", "m"}}));
              }),
              HasSubstr("axis 'y' has extent 3 and 'm' has 2"));
  EXPECT_THAT(refusal([] { matmul_rule({2, 3}, {2, 3}).or_refuse(); }), HasSubstr("do not chain"));
  EXPECT_THAT(refusal([&] {
                convolution_rule({1, 8, 6, 6}, {8, 3, 3, 3}, {1, 8, 6, 6}, same, 4, false).or_refuse();
              }),
              HasSubstr("groups and channels"));
  EXPECT_THAT(refusal([] { concat_rule({{1, 3}, {2, 3}}, 1).or_refuse(); }), HasSubstr("pieces differ"));
  EXPECT_THAT(refusal([] { transpose_rule({2, 3}, {0, 0}).or_refuse(); }), HasSubstr("names a dimension twice"));
  EXPECT_THAT(refusal([] { reshape_rule({2, 3}, {5}).or_refuse(); }), HasSubstr("different numbers of elements"));
  EXPECT_THAT(refusal([] { elementwise_rule("Add", {{2, 3}, {2, 2}}).or_refuse(); }), HasSubstr("cannot be broadcast"));
}

TEST(OperatorRules, PrintWhatIsTransposedBroadcastAndTakenApart) {
  EXPECT_EQ(gemm_rule({7, 5}, {7, 4}, true, false, {5, 1}).or_refuse().to_string(),
            "Gemm: inputs [k, m] [k, n] [m, -] outputs [m, n], reduced k");
  EXPECT_EQ(gemm_rule({5, 7}, {7, 4}, false, false, {}).or_refuse().to_string(),
            "Gemm: inputs [m, k] [k, n] outputs [m, n], reduced k");
  EXPECT_EQ(matmul_rule({3, 1, 5, 7}, {2, 7, 4}).or_refuse().to_string(),
            "MatMul: inputs [d0, -, m, k] [d1, k, n] outputs [d0, d1, m, n], reduced k");
  EXPECT_EQ(reduction_rule("ReduceSum", {2, 6, 4}, {2, 4}, {1}).or_refuse().to_string(),
            "ReduceSum: inputs [d0, d1, d2] outputs [d0, d2], reduced d1");
  EXPECT_EQ(reduction_rule("ReduceSum", {2, 6, 4}, {2, 1, 4}, {1}).or_refuse().to_string(),
            "ReduceSum: inputs [d0, d1, d2] outputs [d0, -, d2], reduced d1");
  EXPECT_EQ(concat_rule({{2, 3}, {4, 3}}, 0).or_refuse().to_string(), "Concat: inputs [-, d1] [-, d1] outputs [-, d1]");
  EXPECT_EQ(reshape_rule({72}, {6, 4, 3}).or_refuse().to_string(),
            "Reshape: inputs [d0 d0.1 d0.2] outputs [d0, d0.1, d0.2]");
  EXPECT_EQ(reshape_rule({4, 6}, {8, 3}).or_refuse().to_string(),
            "Reshape: inputs [d0, d1 d1.1] outputs [d0 d1, d1.1]");
  // No block of one dimension is a block of the other, or only of a part of it.
  EXPECT_EQ(reshape_rule({3, 4}, {4, 3}).or_refuse().to_string(), "Reshape: inputs [-, -] outputs [-, -]");
  EXPECT_EQ(reshape_rule({6, 4}, {4, 6}).or_refuse().to_string(), "Reshape: inputs [d0 rest, -] outputs [d0 rest, -]");
}

TEST(OperatorRules, RefuseShapesThatDoNotFitTheOperator) {
  const WindowAxis one{3, 1, 1, 1, 1};
  const std::vector<WindowAxis> same{one, one};
  const auto expect = [](const auto& make, const char* why) { EXPECT_THAT(refusal(make), HasSubstr(why)); };
  for (const auto& [left, right] :
       std::vector<std::pair<Shape, Shape>>{{{3}, {3, 4}}, {{4, 3}, {3}}, {{2, 3}, {4, 3}}, {{3, 2, 3}, {3, 4, 2}}})
    expect([&] { matmul_rule(left, right).or_refuse(); }, "sharding rule of MatMul: the matrices do not chain");
  expect([] { matmul_rule({3, 2, 3}, {2, 3, 2}).or_refuse(); }, "sharding rule of MatMul: shapes cannot be broadcast");

  expect([] { gemm_rule({2, 3, 4}, {4, 5}, false, false, {}).or_refuse(); }, "Gemm: an operand is no matrix");
  expect([] { gemm_rule({3, 4}, {4}, false, false, {}).or_refuse(); }, "Gemm: an operand is no matrix");
  expect([] { gemm_rule({5, 7}, {4, 7}, false, false, {}).or_refuse(); }, "Gemm: the matrices do not chain");
  expect([] { gemm_rule({5, 7}, {7, 4}, true, false, {}).or_refuse(); }, "Gemm: the matrices do not chain");
  expect([] { gemm_rule({5, 7}, {7, 4}, false, false, {3}).or_refuse(); }, "Gemm: shapes cannot be broadcast");
  expect([] { gemm_rule({5, 7}, {7, 4}, false, false, {2, 5, 4}).or_refuse(); }, "Gemm: the bias cannot be broadcast");

  expect(
      [&] {
        convolution_rule({1, 8}, {8, 8}, {1, 8}, {}, 1, false).or_refuse();
      },
      "Conv: input and weight differ in rank");
  expect(
      [&] {
        convolution_rule({1, 8, 6, 6}, {8, 8, 3}, {1, 8, 6, 6}, same, 1, false).or_refuse();
      },
      "Conv: input and weight differ in rank");
  const auto convolution = [&](const Shape& in, const Shape& weight, const Shape& out, Index groups) {
    expect([&] { convolution_rule(in, weight, out, same, groups, false).or_refuse(); },
           "Conv: groups and channels do not fit");
  };
  convolution({1, 8, 6, 6}, {8, 8, 3, 3}, {1, 8, 6, 6}, 0);
  convolution({1, 6, 6, 6}, {8, 2, 3, 3}, {1, 8, 6, 6}, 3);
  convolution({1, 8, 6, 6}, {8, 8, 3, 3}, {1, 7, 6, 6}, 1);
  convolution({1, 8, 6, 6}, {8, 8, 3, 3}, {1, 8, 6}, 1);

  const auto pool = [&](const Shape& in, const Shape& out, const std::vector<WindowAxis>& axes, const char* why) {
    expect([&] { pool_rule("MaxPool", in, out, axes).or_refuse(); }, why);
  };
  pool({1, 4}, {1, 4}, {}, "MaxPool: the channels differ");
  pool({1, 4, 6, 6}, {1, 5, 6, 6}, same, "MaxPool: the channels differ");
  pool({1, 4, 6, 6}, {1, 4, 6}, same, "MaxPool: the channels differ");
  pool({2, 4, 6, 6}, {1, 4, 6, 6}, same, "MaxPool: the numbers of samples differ");
  for (const auto& axes : {std::vector<WindowAxis>{}, {one}, {one, one, one}})
    pool({1, 4, 6, 6}, {1, 4, 6, 6}, axes, "MaxPool: a window of 1 to 3 axes");
  pool({1, 4, 6, 6, 6, 6}, {1, 4, 6, 6, 6, 6}, {one, one, one, one}, "MaxPool: a window of 1 to 3 axes");

  for (const Index axis : {-1, 3})
    expect(
        [&] {
          reduction_rule("ReduceSum", {2, 6, 4}, {2, 6}, {axis}).or_refuse();
        },
        "ReduceSum: an axis lies outside");
  expect(
      [] {
        reduction_rule("ReduceSum", {2, 6, 4}, {2}, {1}).or_refuse();
      },
      "ReduceSum: the output has another rank");
  expect([] { elementwise_rule("Add", {}).or_refuse(); }, "Add: it has no inputs");
  expect([] { concat_rule({}, 0).or_refuse(); }, "Concat: it joins no dimension");
  for (const Index axis : {-1, 2})
    expect([&] { concat_rule({{1, 3}}, axis).or_refuse(); }, "Concat: it joins no dimension");
  expect([] { concat_rule({{1, 3}, {1, 3, 1}}, 1).or_refuse(); }, "Concat: pieces differ");
  expect([] { transpose_rule({2, 3}, {0, 1, 2}).or_refuse(); }, "Transpose: the permutation has another rank");
  expect([] { transpose_rule({2, 3, 4}, {0, 1}).or_refuse(); }, "Transpose: the permutation has another rank");
  expect([] { transpose_rule({2, 3}, {1, 2}).or_refuse(); }, "Transpose: the permutation names a dimension twice");
  expect([] { reshape_rule({0}, {0}).or_refuse(); }, "Reshape: the shapes have different numbers of elements");
}

TEST(OperatorRules, OperandsThatAreNotNamedAreWhole) {
  const Mesh mesh({{"x", 2}});
  const ShardingRule rule = matmul_rule({6, 6}, {6, 4}).or_refuse();
  const OpSharding rows = rule.sharded(mesh, {{"x", "m"}});
  OpSharding named(mesh);
  named.set_input(0, rows.input(0));
  EXPECT_THAT(rule.violations(named),
              ElementsAre("dimension 0 of output 0 of MatMul is tied to others that are split along axis 'x'"));
  named.set_output(0, rows.output(0));
  EXPECT_THAT(rule.violations(named), IsEmpty());
  EXPECT_THAT(rule.violations(OpSharding(mesh)), IsEmpty());
  named.set_input(2, rows.input(0));
  EXPECT_THAT(rule.violations(named), ElementsAre("MatMul has no input 2"));
  OpSharding flat(mesh);
  flat.set_output(0, ArraySharding(mesh, std::vector<std::string>{"x"}));
  EXPECT_THAT(rule.violations(flat), ElementsAre("output 0 of MatMul has 2 dimensions, and its spec {x} 1"));
}

TEST(OperatorRules, TheFirstAndTheLastDimensionAreReducedAsOthers) {
  EXPECT_EQ(reduction_rule("ReduceSum", {2, 6}, {6}, {0}).or_refuse().to_string(),
            "ReduceSum: inputs [d0, d1] outputs [d1], reduced d0");
  EXPECT_EQ(reduction_rule("ReduceSum", {2, 6}, {2}, {1}).or_refuse().to_string(),
            "ReduceSum: inputs [d0, d1] outputs [d0], reduced d1");
}

TEST(OperatorRules, OneInputIsJoinedAndOneElementReshaped) {
  EXPECT_EQ(concat_rule(std::vector<Shape>{Shape{2, 3}}, 1).or_refuse().to_string(),
            "Concat: inputs [d0, -] outputs [d0, -]");
  EXPECT_EQ(reshape_rule({1}, {1, 1}).or_refuse().to_string(), "Reshape: inputs [-] outputs [-, -]");
  EXPECT_EQ(refusal([] {
              transpose_rule({2, 3}, {1, 1}).or_refuse();
            }),
            "sharding rule of Transpose: the permutation names a dimension twice, or not at all");
}

TEST(OperatorRules, WhatIsLeftOfTwoLiesInsideToo) {
  const ShardingRule rule = reshape_rule({4, 9}, {6, 6}).or_refuse();
  EXPECT_EQ(rule.to_string(), "Reshape: inputs [d0 rest, -] outputs [d0 rest, -]");
  ASSERT_EQ(rule.factors().size(), 2u);
  EXPECT_EQ(rule.factors()[1].extent, 2);
}

TEST(OperatorRules, OperandsAreComparedInEveryDimension) {
  const Mesh mesh({{"x", 2}});
  const ShardingRule rule = matmul_rule({6, 6}, {6, 4}).or_refuse();
  OpSharding columns(mesh);
  columns.set_input(1, ArraySharding(mesh, std::vector<std::string>{"-1", "x"}));
  EXPECT_THAT(rule.violations(columns),
              ElementsAre("dimension 1 of output 0 of MatMul is tied to others that are split along axis 'x'"));
}

// The sharding of one operand alone may say so, if only in its first dimension; what has another rank says nothing.
TEST(OperatorRules, AnyOperandTellsTheAxesThatAreReduced) {
  const Mesh mesh({{"x", 2}});
  const ShardingRule rule = matmul_rule({6, 6}, {6, 4}).or_refuse();
  const auto reduced = [&](int input, const std::vector<std::string>& spec) {
    OpSharding sharding(mesh);
    sharding.set_input(input, ArraySharding(mesh, spec));
    return rule.reduced_axes(sharding);
  };
  EXPECT_THAT(reduced(0, {"-1", "x"}), ElementsAre("x"));
  EXPECT_THAT(reduced(1, {"x", "-1"}), ElementsAre("x"));
  EXPECT_THAT(reduced(1, {"-1", "x"}), IsEmpty());
  EXPECT_THAT(reduced(0, std::vector<std::string>(1, "-1")), IsEmpty());
  EXPECT_THAT(reduced(0, {"-1", "-1", "x"}), IsEmpty());
}

}  // namespace
}  // namespace tacit::layout
