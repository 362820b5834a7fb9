#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/reference/run.h"
#include "graph/slots/annotated_network_for_test.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"

// Meshes that a user gives, in slots so few that small networks are sharded as large ones are in real rings.
namespace tacit::graph::passes {
namespace {

using base::expect_refusal;
using testing::HasSubstr;

constexpr double kTolerance = 1e-9;

std::vector<double> answers(const CompiledModel& model, const std::vector<double>& image) {
  const std::vector<double> scaled = program::in_units(model.client.inputs.at(0).units, image);
  return program::from_units(model.client.outputs.at(0), slots::ClearProgram(model.program).run({scaled}).at(0));
}

/// Expects the compiled network to compute the same as the graph, and the same as without annotations in these slots.
void expect_same_answers(const Graph& graph, const Asked& asked) {
  const Shape& shape = graph.tensors[graph.inputs[0]].shape;
  const std::vector<double> image = numbers(element_count(shape), 77, 1);
  const std::vector<double> exact = reference::run(graph, {{{shape, image, false}}}).at(0).data;
  Asked free = asked;
  free.shard.clear();
  const std::vector<double> sharded = answers(compiled(graph, asked), image);
  const std::vector<double> unsharded = answers(compiled(graph, free), image);
  ASSERT_EQ(sharded.size(), exact.size());
  for (std::size_t e = 0; e < exact.size(); ++e) {
    EXPECT_NEAR(sharded[e], exact[e], kTolerance) << e;
    EXPECT_NEAR(sharded[e], unsharded[e], kTolerance) << e;
  }
}

TEST(AnnotatedSharding, AConvolutionRunsOnTheMeshThatItWasGiven) {
  const Graph graph = Chain({1, 8, 6, 6}).conv(16, 3).graph();
  const Asked asked{.shard = {"Conv0=x:8,y:4"}};
  const CompiledModel model = compiled(graph, asked);
  EXPECT_THAT(model.program.instructions.at(0).layout.to_string(), HasSubstr("across(d1:4/2@y)"));
  EXPECT_THAT(layouts_of(model, "Conv0").at(0), HasSubstr("across(d1:8/2@x)"));
  expect_same_answers(graph, asked);
}

TEST(AnnotatedSharding, RowsLieInBlocksWhoseHalosAreReadFromNeighbours) {
  const Graph graph = Chain({1, 3, 12, 10}).conv(8, 3, 2).graph();
  const Asked asked{.shard = {"Conv0=x:4,y:3,z:2"}};
  const CompiledModel model = compiled(graph, asked);
  EXPECT_THAT(model.program.instructions.at(0).layout.to_string(), HasSubstr("across(d1:3/1@y d2:2/6@z)"));
  EXPECT_THAT(layouts_of(model, "Conv0").at(0), HasSubstr("across(d1:4/2@x d2:2/3@z)"));
  expect_same_answers(graph, asked);
}

TEST(AnnotatedSharding, DimensionsThatDoNotDivideArePadded) {
  const Graph graph = Chain({1, 5, 7, 6}).conv(7, 3).graph();
  const Asked asked{.shard = {"Conv0=x:3,y:2,z:3"}};
  EXPECT_THAT(layouts_of(compiled(graph, asked), "Conv0").at(0), HasSubstr("across(d1:3/3@x d2:3/3@z)"));
  expect_same_answers(graph, asked);
}

TEST(AnnotatedSharding, PoolsMatricesAndElementwiseOperatorsTakeMeshes) {
  const Graph graph = Chain({1, 3, 8, 8}).conv(8, 3).square().pool().flatten().gemm(6).graph();
  for (const std::string shard : {"AveragePool2=x:4", "AveragePool2=x:2,z:2", "Mul1=x:8", "Gemm4=x:3", "Gemm4=y:8"}) {
    SCOPED_TRACE(shard);
    expect_same_answers(graph, {.log_n = 9, .levels = 4, .shard = {shard}});
  }
}

// An operator that is composed with its neighbours has the blocks that its rule carries to them.
TEST(AnnotatedSharding, AComposedOperatorIsShardedWhereItIsComputed) {
  const Graph graph = Chain({1, 3, 8, 8}).conv(8, 3).square().pool().flatten().gemm(6).graph();
  const CompiledModel model = compiled(graph, {.log_n = 9, .levels = 4, .shard = {"Gemm4=y:8"}});
  EXPECT_THAT(layouts_of(model, "Mul1").at(0), HasSubstr("across(d1:8/1@y)"));  // the product that the pool reads
}

// Axis y of a matrix does not divide the channels after a Flatten. So Flatten stays a separate map.
TEST(AnnotatedSharding, AnOperandThatNoRuleCarriesStaysAValue) {
  const Graph graph = Chain({1, 3, 4, 4}).conv(3, 3).square().flatten().gemm(6).graph();
  const Asked asked{.log_n = 9, .levels = 4, .shard = {"Gemm3=y:5"}};
  const CompiledModel model = compiled(graph, asked);
  EXPECT_THAT(layouts_of(model, "Flatten2").at(0), HasSubstr("[1,48] across(d1:5/10@y)"));
  expect_same_answers(graph, asked);
}

// After a product, [16,6,6] is in eight blocks. The next operator wants two, then four, then all in one, then sixteen.
TEST(AnnotatedSharding, AReshardStandsWhereTwoOperatorsWantOtherBlocks) {
  const Graph graph = Chain({1, 4, 6, 6}).conv(16, 3).square().conv(4, 1).graph();
  for (const char* reader : {"4", "2", "16"}) {
    const Asked asked{.log_n = 10,
                      .levels = 4,
                      .shard = {"Conv0=x:8", std::string("Conv2=x:2,y:").append(reader)},
                      .passes = {.skipped = {"optimise-sharding"}}};
    SCOPED_TRACE(reader);
    EXPECT_THAT(told(graph, asked, "propagate-sharding"),
                HasSubstr("reshard of %2 in front of 'Conv2': mesh=[x=8] spec={-1, x, -1, -1} to mesh=[x=2, y="));
    expect_same_answers(graph, asked);
  }
}

TEST(AnnotatedSharding, AReshardIsComposedWithTheMapThatReadsIt) {
  const Graph graph = Chain({1, 4, 6, 6}).conv(16, 3).square().conv(4, 1).graph();
  Asked asked{.log_n = 10, .levels = 4, .shard = {"Conv0=x:8", "Conv2=x:2,y:4"}};
  EXPECT_THAT(told(graph, asked, "optimise-sharding"), HasSubstr("composed with what reads it"));
  const auto levels = [&] { return compiled(graph, asked).program.instructions.at(0).level; };
  expect_same_answers(graph, asked);
  const int composed = levels();
  asked.passes.skipped = {"optimise-sharding"};
  EXPECT_EQ(levels(), composed + 1);
}

// Between two convolutions there is no function. The first writes the blocks that the second reads.
TEST(AnnotatedSharding, OperatorsInARowMeet) {
  const Graph graph = Chain({1, 4, 6, 6}).conv(8, 3).conv(4, 3).graph();
  const Asked asked{.log_n = 9, .shard = {"Conv0=x:4", "Conv1=y:4"}};
  const CompiledModel model = compiled(graph, asked);
  EXPECT_THAT(layouts_of(model, "Conv0").at(0), HasSubstr("across(d1:4/2@"));
  expect_same_answers(graph, asked);
}

TEST(AnnotatedSharding, NeighboursAreOfferedWhatFollowsByTheirRules) {
  const Graph graph = Chain({1, 4, 8, 8}).conv(8, 3).square().pool().square().graph();
  Asked asked{.log_n = 9, .levels = 4, .shard = {"Conv0=x:4"}};
  EXPECT_THAT(told(graph, asked, "propagate-sharding"), HasSubstr("(AveragePool): offered 4 of [1,2,4,4]"));
  EXPECT_THAT(told(graph, asked, "sharding-prices"), HasSubstr("'AveragePool2' (AveragePool): free, with offers"));
  expect_same_answers(graph, asked);
  asked.passes.skipped = {"propagate-sharding"};
  EXPECT_THAT(told(graph, asked, "propagate-sharding"), testing::Not(HasSubstr("offered")));
}

TEST(AnnotatedSharding, WhatCannotBeDoneIsRefusedByName) {
  const Graph graph = Chain({1, 4, 8, 8}).conv(8, 3).square().pool().graph();
  const auto refused = [&](const std::string& shard, const std::string& words) {
    expect_refusal<base::InputError>([&] { compiled(graph, {.log_n = 8, .shard = {shard}}); }, words);
  };
  refused("Conv1=x:4", "there is no node 'Conv1' to shard; nodes and inputs of similar names: 'Conv0'");
  refused("Conv0=x:4,a:2", "node 'Conv0': no factor of Conv can be split along axis 'a'; leave it out, or name one of");
  refused("AveragePool2=x:2,y:2", "axes 'x' and 'y' both split 'c'");
  refused("Conv0=x:9", "axis 'x' has extent 9 and 'f' has 8");
  refused("Conv0=mesh=[x=2, y=2] inputs={0: {-1, x*y, -1, -1}} outputs={}", "dimension 1 is split twice");
  refused("Conv0=mesh=[x=2] inputs={0: {-1, -1, -1, -1}} outputs={0: {-1, x, x, -1}}",
          "axis 'x' splits dimensions 1 and 2");
  refused("Conv0=mesh=[x=2] inputs={0: {-1, x, -1, -1}} outputs={0: {-1, x, -1, -1}}", "node 'Conv0': axis 'x' splits");
  refused("Conv0=mesh=[x=2] inputs={0: {-1, b, -1, -1}} outputs={}", "has no axis 'b'");
  refused(
      "Conv0=x:2",
      "node 'x' (Input): array sharding mesh=[x=2] spec={-1, -1, -1, -1}: blocks of [1,4,8,8] have 256 elements, and a "
      "ciphertext has 128 slots");
  refused("Conv0", "expected NODE=AXIS:BLOCKS");
  expect_refusal<base::InputError>(
      [&] {
        compiled(graph, {.shard = {"Conv0=x:4,y:2", "Conv0=x:2"}});
      },
      "node 'Conv0' is sharded twice");
}

// Without parameters a block may fill a ciphertext of the largest ring and no more.
TEST(AnnotatedSharding, ABlockThatNoCiphertextHoldsIsRefusedWhateverTheParameters) {
  const Graph graph = Chain({1, 16, 64, 128}).square().graph();
  CompileOptions options;
  options.input_range = {-1.0, 1.0};
  options.shardings = {layout::ShardAnnotation::parse("Mul0=x:2")};
  expect_refusal<base::InputError>([&] { compile(graph, options); },
                                   "blocks of [1,8,64,128] have 65536 elements, and a ciphertext has 32768 slots");
}

// Two strategies for blocks that fit one ciphertext: replicated, and in one block. They are one layout, which is
// cheaper than a split. The network is 2048 -> 512 -> 3 x 3 -> 2048 -> mean of ResNet-50, with a 32nd of channels and
// slots.
TEST(AnnotatedSharding, WhatFitsOneCiphertextIsCheapestWhole) {
  const Graph graph = Chain({1, 64, 7, 7}).conv(16, 1).square().conv(16, 3).square().conv(64, 1).global_pool().graph();
  const auto model = [&](const std::string& middle) {
    return compiled(
        graph, {.log_n = 11, .levels = 6, .shard = {"Conv0=y:4,x:" + middle, "Conv2=y:" + middle + ",x:" + middle}});
  };
  const auto price = [](const CompiledModel& of) { return slots::price(of.program, of.parameters, {}).seconds; };
  const CompiledModel whole = model("1"), halves = model("2"), quarters = model("4");
  EXPECT_EQ(whole.program.instructions.at(0).layout.ciphertexts(), 4);
  EXPECT_THAT(layouts_of(whole, "Conv2").at(0), HasSubstr("across()"));
  EXPECT_THAT(layouts_of(quarters, "Conv2").at(0), HasSubstr("across(d1:4/4@"));
  EXPECT_LT(price(whole), price(halves));
  EXPECT_LT(price(halves), price(quarters));
}

TEST(AnnotatedSharding, WhatFollowsFromAnAnnotatedInputIsOffered) {
  const Graph graph = Chain({1, 4, 8, 8}).conv(8, 3).square().graph();
  EXPECT_EQ(told(graph, {.log_n = 9, .levels = 4, .shard = {"x=z:4"}}, "propagate-sharding"),
            "%0 'x' (Input): 4 of [1,4,2,8] by mesh=[z=4] spec={-1, -1, z, -1}\n"
            "%1 'Conv0' (Conv): offered 4 of [1,8,2,8] by mesh=[z=4] spec={-1, -1, z, -1}\n");
}

// A convolution and a negation are one map: both want its result whole.
TEST(AnnotatedSharding, OperatorsThatAreComputedTogetherMayAgree) {
  Sketch s;
  const TensorId x = s.input({1, 4, 6, 6});
  const TensorId conv = s.node("Conv", {x, s.constant({8, 4, 1, 1}, numbers(32, 1))}, {1, 8, 6, 6});
  s.output(s.node("Neg", {conv}, {1, 8, 6, 6}));
  const Asked asked{.log_n = 10, .shard = {"Conv0=y:4", "Neg1=x:1"}};
  EXPECT_EQ(told(s.graph, asked, "propagate-sharding"),
            "%0 'x' (Input): 4 of [1,1,6,6] by mesh=[y=4] spec={-1, y, -1, -1}\n"
            "%1 'Neg1' (Conv+Neg): 1 of [1,8,6,6] by mesh=[y=4] spec={-1, -1, -1, -1}\n");
  expect_same_answers(s.graph, asked);
}

}  // namespace
}  // namespace tacit::graph::passes
