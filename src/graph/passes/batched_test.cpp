#include "graph/passes/batched.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/clear_network.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "layout/operators/repeated.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

const Shape kRow{1, 2};

std::vector<Tensor> sample(double a, double b) { return {Tensor{kRow, {a, b}, false}}; }

TEST(Batched, SamplesLieSideBySideAndTheLastBatchStartsOver) {
  const std::vector<std::vector<Tensor>> samples{sample(1, 2), sample(3, 4), sample(5, 6)};
  const auto alone = batched(samples, 1);
  ASSERT_EQ(alone.size(), 3U);
  EXPECT_EQ(alone[1].at(0).shape, kRow);
  EXPECT_THAT(alone[1].at(0).data, ElementsAre(3, 4));
  const auto pairs = batched(samples, 2);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].at(0).shape, layout::side_by_side(kRow, 2));
  EXPECT_THAT(pairs[0].at(0).data, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(pairs[1].at(0).data, ElementsAre(5, 6, 1, 2));
  const auto more = batched(samples, 4);
  ASSERT_EQ(more.size(), 1U);
  EXPECT_THAT(more[0].at(0).data, ElementsAre(1, 2, 3, 4, 5, 6, 1, 2));
}

TEST(Batched, NetworksComputeEverySampleAlone) {
  Sketch s;
  const TensorId x = s.input(kRow);
  const TensorId product = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, kRow);
  s.output(s.node("Add", {product, s.constant(kRow, {10, 20})}, kRow));
  Network network = linearise(recognise(s.graph));
  network.values[0].element_ranges = {{-1, 1}, {-2, 2}};
  std::get<Private>(network.values[0].operation).units = {1, 0.5};
  EXPECT_EQ(batched(network, 1).values[0].shape, kRow);
  const Network pairs = batched(network, 2);
  EXPECT_EQ(pairs.values[0].shape, layout::side_by_side(kRow, 2));
  EXPECT_THAT(std::get<Private>(pairs.values[0].operation).units, ElementsAre(1, 0.5, 1, 0.5));
  ASSERT_EQ(pairs.values[0].element_ranges.size(), 4U);
  EXPECT_EQ(pairs.values[0].element_ranges[2].highest, 1);
  EXPECT_EQ(pairs.values[0].element_ranges[3].highest, 2);
  // (1, 2) and (3, 5) in these units, by the matrix and with the constants.
  const std::vector<Tensor> both{{layout::side_by_side(kRow, 2), {1, 4, 3, 10}, false}};
  EXPECT_THAT(evaluate(pairs, both).at(pairs.outputs.at(0)),
              ElementsAre(1 + 3 * 2 + 10, 2 + 4 * 2 + 20, 3 + 3 * 5 + 10, 2 * 3 + 4 * 5 + 20));
}

TEST(Batched, WhatIsKnownOfElementsHoldsForEverySample) {
  Sketch s;
  s.output(s.node("Mul", {s.input(kRow), s.constant(kRow, {10, 20})}, kRow));
  Network network = linearise(recognise(s.graph));
  network.values[1].stretch = layout::RepeatedReals::of(std::vector<double>{2, 3});
  network.values[1].reached = {{-1, 2}, {-3, 4}};
  network.values[1].range = {-3, 4};
  const Network three = batched(network, 3);
  ASSERT_EQ(three.values[1].reached.size(), 6U);
  for (std::size_t e = 0; e < 6; ++e) {
    EXPECT_EQ(three.values[1].stretch[static_cast<layout::Index>(e)], e % 2 == 0 ? 2 : 3) << e;
    EXPECT_EQ(three.values[1].reached[e].highest, e % 2 == 0 ? 2 : 4) << e;
  }
  EXPECT_EQ(three.values[1].range.highest, 4);
  EXPECT_TRUE(three.values[1].element_ranges.empty());
  EXPECT_EQ(three.values[1].shape, (Shape{3, 2}));
}

TEST(Batched, AllTensorsOfASampleAreJoined) {
  const auto sample_of_two = [](double a, double b) {
    return std::vector<Tensor>{Tensor{kRow, {a, b}, false}, Tensor{{1}, {a + b}, false}};
  };
  const auto pairs = batched({sample_of_two(1, 2), sample_of_two(3, 4)}, 2);
  ASSERT_EQ(pairs.size(), 1U);
  ASSERT_EQ(pairs[0].size(), 2U);
  EXPECT_THAT(pairs[0][0].data, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(pairs[0][1].shape, (Shape{2}));
  EXPECT_THAT(pairs[0][1].data, ElementsAre(3, 7));
}

/// Samples are along a separate dimension if the dimension before it has more than one element.
TEST(Batched, BlocksOfASampleAreThoseOfAllSamples) {
  const auto of_three = [](const Shape& shape) {
    Network network;
    Value value{Private{}, shape, "x", "Input", {}};
    value.sharding = layout::ArraySharding::parse("mesh=[x=2] spec={x, -1}");
    value.offered = {layout::ArraySharding::parse("mesh=[x=2] spec={-1, x}")};
    network.outputs = {network.add(std::move(value))};
    return batched(network, 3).values.at(0);
  };
  const Value beside = of_three({2, 4}), in_place = of_three({1, 4});
  EXPECT_EQ(beside.shape, (Shape{3, 2, 4}));
  ASSERT_TRUE(beside.sharding.has_value());
  EXPECT_EQ(beside.sharding->to_string(), "mesh=[x=2] spec={-1, x, -1}");
  EXPECT_EQ(beside.offered.at(0).to_string(), "mesh=[x=2] spec={-1, -1, x}");
  EXPECT_EQ(in_place.shape, (Shape{3, 4}));
  EXPECT_EQ(in_place.offered.at(0).to_string(), "mesh=[x=2] spec={-1, x}");
}

}  // namespace
}  // namespace tacit::graph::passes
