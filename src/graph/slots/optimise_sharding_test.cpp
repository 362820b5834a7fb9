#include "graph/slots/optimise_sharding.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/propagate_sharding.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

/// A convolution, a product, and a convolution of 1 x 1, with annotations.
Network propagated(const std::vector<std::string>& shard) {
  Sketch s;
  const TensorId x = s.input({1, 2, 4, 4});
  const TensorId conv = s.node("Conv", {x, s.constant({8, 2, 1, 1}, std::vector<double>(16, 1))}, {1, 8, 4, 4},
                               {{"kernel_shape", std::vector<std::int64_t>{1, 1}}});
  const TensorId square = s.node("Mul", {conv, conv}, {1, 8, 4, 4});
  s.output(s.node("Conv", {square, s.constant({4, 8, 1, 1}, std::vector<double>(32, 1))}, {1, 4, 4, 4},
                  {{"kernel_shape", std::vector<std::int64_t>{1, 1}}}));
  std::vector<layout::ShardAnnotation> annotations;
  for (const std::string& text : shard) annotations.push_back(layout::ShardAnnotation::parse(text));
  const Network network = fold(linearise(recognise(s.graph)));
  return propagate_sharding(network, s.graph, analyse_sharding(s.graph, s.graph, annotations), true).network;
}

int reshards(const Network& network) {
  int count = 0;
  for (ValueId id = 0; id < network.values.size(); ++id) count += is_reshard(network, id) ? 1 : 0;
  return count;
}

/// Returns the price of a map by its ciphertexts. It is `identity` times as much if the map only moves elements.
auto price(double identity) {
  return [identity](const layout::LinearMap& map) {
    const auto blocks = static_cast<double>(map.in.ciphertexts() * map.out.ciphertexts());
    return (map.op->diagonal() ? identity : 1) * blocks;
  };
}

TEST(OptimiseSharding, AReshardGoesWhereTheMapThatReadsItIsNoDearerWithoutIt) {
  const Network network = propagated({"Conv0=x:8", "Conv2=y:2"});
  ASSERT_EQ(reshards(network), 1);
  // Apart, 8 x 2 blocks are moved and 2 are multiplied; composed, 8 are multiplied.
  const OptimisedSharding kept = optimise_sharding(network, 64, price(0));
  EXPECT_EQ(reshards(kept.network), 1);
  EXPECT_THAT(kept.decisions, HasSubstr("composed with what reads it: 8 s, apart 2 s and a level: stays"));
  const OptimisedSharding gone = optimise_sharding(network, 64, price(1));
  EXPECT_EQ(reshards(gone.network), 0);
  EXPECT_THAT(gone.decisions, HasSubstr("composed with what reads it: 8 s, apart 18 s and a level: composed"));
  EXPECT_EQ(gone.network.values.size() + 1, network.values.size());
}

TEST(OptimiseSharding, WhatMakesAValueWritesTheBlocksThatAProductReads) {
  const Network network = propagated({"Conv0=x:8", "Mul1=x:4"});
  ASSERT_EQ(reshards(network), 1);
  const OptimisedSharding made = optimise_sharding(network, 64, price(1));
  EXPECT_EQ(reshards(made.network), 0);
  EXPECT_THAT(made.decisions, HasSubstr("composed with what makes it"));
  EXPECT_EQ(made.network.values[1].sharding->parts(1), 4);
}

TEST(OptimiseSharding, BlocksThatAgreeNeedNoReshard) { EXPECT_EQ(reshards(propagated({"Conv0=x:4", "Conv2=y:4"})), 0); }

// The second reshard leads back to the blocks from which the first one came.
TEST(OptimiseSharding, WhatCancelsGoes) {
  Network network = propagated({"Conv0=x:8", "Conv2=y:2"});
  const auto at = static_cast<ValueId>(network.values.size() - 2);
  ASSERT_TRUE(is_reshard(network, at));
  const ValueId read = operands(network.values[at]).front();
  Value back = network.values[at];
  back.sharding = network.values[read].sharding;
  std::get<Affine>(back.operation).terms[0].input = at;
  const Value last = network.values.back();
  network.values.back() = back;  // the last convolution reads it
  const auto to = static_cast<ValueId>(network.values.size());
  network.values.push_back(last);
  std::get<Affine>(network.values.back().operation).terms[0].input = to - 1;
  network.outputs = {to};
  ASSERT_EQ(reshards(network), 2);
  const OptimisedSharding made = optimise_sharding(network, 64, price(0));
  EXPECT_EQ(reshards(made.network), 0);
  EXPECT_EQ(made.decisions, fmt::format("%{} cancels: %{} has these blocks\n", to - 1, read))
      << "nobody reads the other";
  EXPECT_EQ(operands(made.network.values.back()), (std::vector<ValueId>{read}));
}

TEST(OptimiseSharding, WhereThereIsNoneItSaysSo) {
  EXPECT_EQ(optimise_sharding(propagated({"Conv0=x:4", "Conv2=y:4"}), 64, price(1)).decisions, "no reshards\n");
}

// A product makes the value and a product reads it: both need their blocks.
TEST(OptimiseSharding, AReshardBetweenProductsStays) {
  Network network = propagated({"Conv0=x:8", "Conv2=y:2"});
  const auto at = static_cast<ValueId>(network.values.size() - 2);
  ASSERT_TRUE(is_reshard(network, at));
  Value square = network.values[at];
  square.operation = Product{at, at};
  square.tensor = kNoTensor;
  network.values.back() = square;  // in place of the convolution
  const OptimisedSharding made = optimise_sharding(network, 64, price(1));
  EXPECT_EQ(reshards(made.network), 1);
  EXPECT_EQ(made.decisions, fmt::format("%{} stays: what makes it and what reads it need their blocks\n", at));
}

}  // namespace
}  // namespace tacit::graph::passes
