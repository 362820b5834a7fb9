#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "graph/quant/compiled_for_test.h"
#include "graph/quant/quantise.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::quant {
namespace {

using ::testing::ElementsAre;

/// Trees, and a sum of a quarter and their scores, from -1 to 1. Both are results.
passes::Network trees_and_sum() {
  passes::Network network;
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  network.add({passes::Private{}, {1, 3}, "x", "Input", {-1, 1}, {}});
  network.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  const layout::LinearOperatorPtr once =
      layout::scaled(std::make_shared<layout::Identity>(layout::Shape{1, 1}), layout::RepeatedReals(1));
  network.add({passes::Affine{{{1, once}}, layout::RepeatedReals(0.25)}, {1, 1}, "s", "Add", {-1, 1}});
  network.outputs = {1, 2};
  return network;
}

/// Leaves are multiples of a quarter, around -0.75 and 0.25. A real 1 of them may be 2^60 / 31 steps of the torus, so
/// that their weight has five bits. A quarter is then more than 2^53.
TEST(QuantisedTrees, LeaveWeightsOfSumsTheirBits) {
  Precision precision;
  precision.bits = 4;
  const Quantised made = quantise(trees_and_sum(), {"x"}, {"scores", "sum"}, precision, std::nullopt);
  const integers::Program& program = made.program;
  ASSERT_EQ(program.instructions.size(), 8u);
  EXPECT_EQ(program.value(0).step, 59);
  EXPECT_EQ(program.value(4).step, 53);
  EXPECT_EQ(program.value(4).lowest, -11);
  EXPECT_EQ(program.value(4).highest, 12);
  EXPECT_NEAR(made.meanings.at(4).scale[0], 0.25, 1e-12);
  const auto& linear = std::get<integers::Linear>(program.value(5).operation);
  ASSERT_EQ(linear.terms.size(), 1u);
  EXPECT_EQ(linear.terms[0].input, 4u);
  layout::RowEntries entries;
  linear.terms[0].op->append_row(0, entries);
  EXPECT_THAT(entries.weights, ElementsAre(32));  // 2^60 / 2^53 / 4
  EXPECT_THAT(linear.bias, ElementsAre(224));     // (2 + 0.25 - 0.5) * 2^7
  EXPECT_EQ(program.value(5).step, 53);
  EXPECT_EQ(program.value(5).highest, 4 << 7);
  // Scores that are multiplied by weights are finer than their noise, as sums are.
  for (const integers::ClientOutput& output : made.client.outputs) EXPECT_EQ(output.step, 55) << output.name;
  EXPECT_EQ(made.client.outputs.at(0).quantiser.lowest, -3);  // of -11 / 4
  EXPECT_EQ(made.client.outputs.at(0).quantiser.highest, 3);
  EXPECT_EQ(made.client.outputs.at(1).quantiser.highest, 128);
}

}  // namespace
}  // namespace tacit::graph::quant
