#include "graph/slots/cheapest_lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

/// The 2^count-th power of an input.
Network repeated_squares(int count) {
  Network network;
  const auto add = [&](auto operation) {
    return network.add({.operation = std::move(operation), .shape = {1, 2}, .node = "n", .op = "Mul", .range = {}});
  };
  ValueId x = add(Private{});
  for (int i = 0; i < count; ++i) x = add(Product{x, x});
  network.outputs = {x};
  return network;
}

CompileOptions calibrated() {
  CompileOptions options;
  options.calibration = {{{{1, 2}, {1, 2}, false}}, {{{1, 2}, {-1, 0.5}, false}}};
  return options;
}

TEST(CheapestLowering, ASetIsLeveledThatHasALevelMoreThanTheNetworkTakes) {
  CompileOptions options;
  options.parameters = params::CkksLiteral{"asked", 13, {50, 40, 40, 40}, {50}, 40, false};
  EXPECT_TRUE(is_leveled(repeated_squares(0), options));
  EXPECT_TRUE(is_leveled(repeated_squares(2), options));
  EXPECT_FALSE(is_leveled(repeated_squares(3), options));
  EXPECT_FALSE(is_leveled(repeated_squares(4), options));
}

TEST(CheapestLowering, WithoutASetTheLargestRingSaysHowDeepOneIs) {
  for (const auto& [options, headroom] : {std::pair(CompileOptions{}, 16), {calibrated(), 10}}) {
    int leveled = 0, deeper = 0;
    for (int depth = 50; depth < 64; ++depth) {
      const bool expected = literal_for(kLargestLogN, {depth + 1, false, headroom}).has_value();
      EXPECT_EQ(is_leveled(repeated_squares(depth), options), expected) << depth << " levels, " << headroom << " bits";
      ++(expected ? leveled : deeper);
    }
    EXPECT_GT(leveled, 0) << headroom;
    EXPECT_GT(deeper, 0) << headroom;
  }
}

TEST(CheapestLowering, FunctionsAreFoundWhereverTheyAre) {
  Network network = repeated_squares(2);
  EXPECT_FALSE(has_functions(network));
  Function function;
  function.input = network.outputs[0];
  network.outputs = {
      network.add({.operation = std::move(function), .shape = {1, 2}, .node = "n", .op = "Relu", .range = {}})};
  EXPECT_TRUE(has_functions(network));
}

// The error states the refusal of sets with bootstraps and the refusal of sets without.
TEST(CheapestLowering, ANetworkThatIsTooDeepSaysWhatIsDeepInEitherCase) {
  const base::Feasible<Lowered> found =
      cheapest_lowering(repeated_squares(60), calibrated(), {"squares", {"x"}, {"y"}}, {}, 0, base::Progress::silent());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.problem().lack, base::Infeasible::Lack::levels);
  EXPECT_THAT(found.problem().sentence(), HasSubstr("the network needs 60 levels, and the largest parameter set"));
  EXPECT_THAT(found.problem().sentence(), HasSubstr(". With bootstraps, what follows node 'n' (Mul) needs "));
  EXPECT_THAT(found.problem().sentence(), HasSubstr("levels before the next bootstrap"));
}

// Ten bits if outputs are known from samples and folded into the weights, and sixteen otherwise.
TEST(CheapestLowering, OutputsHaveRoomAboveTheScale) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId g = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId q = s.node("Mul", {g, g}, {1, 2});
  s.output(s.node("MatMul", {q, s.constant({2, 1}, {1, -1})}, {1, 1}));
  for (const auto& [options, headroom] : {std::pair(CompileOptions{}, 16), {calibrated(), 10}}) {
    const params::CkksLiteral chosen = compile(s.graph, options).parameters;
    // Three levels, and one for an output without zeros around it.
    const auto expected = literal_for(chosen.log_n, {4, false, headroom});
    ASSERT_TRUE(expected.has_value());
    EXPECT_EQ(chosen.q_bits, expected->q_bits) << headroom;
    EXPECT_EQ(chosen.p_bits, expected->p_bits) << headroom;
    EXPECT_EQ(chosen.log_scale, expected->log_scale) << headroom;
    EXPECT_GE(chosen.q_bits[0] - chosen.log_scale, headroom);
  }
}

}  // namespace
}  // namespace tacit::graph::passes
