#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "graph/passes/batched.h"
#include "graph/slots/lower.h"
#include "layout/sparse_rows.h"
#include "params/account.h"

// The weights of a network for many samples are held once.
namespace tacit::graph::passes {
namespace {

const ProgramNames kPerceptronNames{"perceptron", {"x"}, {"y"}};
constexpr layout::Index kSizes[] = {64, 32, 16};

/// Two dense layers without functions.
Network perceptron() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> weight(0.5, 1);
  Network network;
  ValueId x =
      network.add({.operation = Private{}, .shape = {1, kSizes[0]}, .node = "x", .op = "Input", .range = {-1, 1}});
  for (std::size_t i = 1; i < std::size(kSizes); ++i) {
    const auto layer = std::make_shared<layout::SparseRows>(
        Shape{1, kSizes[i - 1]}, Shape{1, kSizes[i]}, [&](layout::Index, layout::RowEntries& entries) {
          for (layout::Index column = 0; column < kSizes[i - 1]; ++column) entries.add(column, weight(random));
        });
    x = network.add(
        {.operation = Affine{{{x, layer}}}, .shape = {1, kSizes[i]}, .node = "m", .op = "MatMul", .range = {-64, 64}});
  }
  network.outputs = {x};
  return network;
}

/// 512 slots.
const params::CkksLiteral kLevels{"asked", 10, {50, 40, 40}, {50}, 40, true};

Lowered lowered_for(layout::Index samples) {
  const params::CostTable costs;
  return Lowering(batched(perceptron(), samples), kPerceptronNames, costs)
      .lower(kLevels, {.weights = 2e-10})
      .or_refuse();
}

// A window of 16 slots for a sample has 31 diagonals. 4 by 2 and 2 by 1 ciphertexts hold the layers.
TEST(BatchWeights, RepeatWithTheSamples) {
  const Lowered lowered = lowered_for(32);
  const params::Account account(kLevels);
  EXPECT_EQ(lowered.program.value(0).layout.to_string(), "[32,64] across(d1:4/16) within(d0:32/1 d1:16/1) junk()");
  EXPECT_EQ(lowered.cost.diagonals, (4 * 2 + 2 * 1) * 31);
  const double first = 4 * 2 * 31 * account.real_diagonal_bytes(2), second = 2 * 31 * account.real_diagonal_bytes(1);
  EXPECT_DOUBLE_EQ(lowered.cost.memory.weights, (first + second) * 16 / 512);
}

TEST(BatchWeights, TakeLessForManySamplesThanForFew) {
  const double one = lowered_for(1).cost.memory.weights, few = lowered_for(2).cost.memory.weights,
               many = lowered_for(32).cost.memory.weights;
  EXPECT_LT(many, few);
  EXPECT_LT(many, 2.5 * one);
}

}  // namespace
}  // namespace tacit::graph::passes
