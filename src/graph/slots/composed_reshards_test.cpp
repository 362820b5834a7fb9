#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/analyse_sharding.h"
#include "graph/passes/sketch.h"
#include "graph/slots/optimise_sharding.h"
#include "graph/slots/propagate_sharding.h"
#include "layout/operators/movement.h"

// The definition of a reshard, and the removal of reshards from a network.
namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using testing::HasSubstr;

const Shape kEight{1, 8};

ArraySharding halves() { return ArraySharding::parse("mesh=[x=2] spec={-1, x}"); }
ArraySharding quarters() { return ArraySharding::parse("mesh=[x=4] spec={-1, x}"); }

layout::LinearOperatorPtr kept() { return std::make_shared<layout::Identity>(kEight); }
layout::LinearOperatorPtr turned() {
  return std::make_shared<layout::Gather>(kEight, kEight, std::vector<layout::Index>{7, 6, 5, 4, 3, 2, 1, 0});
}

ValueId sharded(Network& network, decltype(Value::operation) operation, std::optional<ArraySharding> blocks,
                TensorId tensor) {
  return network.add({.operation = std::move(operation),
                      .shape = kEight,
                      .node = "n",
                      .op = "Op",
                      .range = {},
                      .tensor = tensor,
                      .sharding = std::move(blocks)});
}

/// An input, a map in quarters, its reshard to halves, and `readers` maps that read it.
Network with_reshard(int readers) {
  Network network;
  sharded(network, Private{}, std::nullopt, 0);
  sharded(network, Affine{{{0, turned()}}}, quarters(), 1);
  sharded(network, Affine{{{1, kept()}}}, halves(), 1);
  for (int reader = 0; reader < readers; ++reader)
    network.outputs.push_back(
        sharded(network, Affine{{{2, turned()}}}, std::nullopt, static_cast<TensorId>(2 + reader)));
  return network;
}

TEST(ComposedReshards, AReshardIsTheSameTensorInOtherBlocks) {
  const auto is_one = [](const std::function<void(Value & read, Value & value)>& change) {
    Network network = with_reshard(1);
    change(network.values[1], network.values[2]);
    return is_reshard(network, 2);
  };
  const auto affine = [](Value& value) -> Affine& { return std::get<Affine>(value.operation); };
  EXPECT_TRUE(is_one([](Value&, Value&) {}));
  EXPECT_FALSE(is_one([](Value&, Value& value) { value.operation = Product{1, 1}; }));
  EXPECT_FALSE(is_one([&](Value&, Value& value) { affine(value).terms.push_back({0, kept()}); }));
  EXPECT_FALSE(is_one([&](Value&, Value& value) { affine(value).bias = layout::RepeatedReals(1); }));
  EXPECT_FALSE(is_one([&](Value&, Value& value) { affine(value).terms[0].op = turned(); }));
  EXPECT_FALSE(is_one([](Value&, Value& value) { value.tensor = 7; }));
  EXPECT_FALSE(is_one([](Value&, Value& value) { value.sharding.reset(); }));
  EXPECT_FALSE(is_one([](Value& read, Value&) { read.sharding.reset(); }));
  EXPECT_FALSE(is_one([](Value& read, Value&) { read.sharding = halves(); }));
  EXPECT_FALSE(is_reshard(with_reshard(1), 1));
}

/// The price is a second for every pair of ciphertexts, and `identity` seconds if elements stay in place.
std::string decisions(const Network& network, double identity, std::size_t* values = nullptr) {
  const std::function<double(const layout::LinearMap&)> price = [identity](const layout::LinearMap& map) {
    return (map.op->diagonal() ? identity : 1) * static_cast<double>(map.in.ciphertexts() * map.out.ciphertexts());
  };
  OptimisedSharding made = optimise_sharding(network, 16, price);
  if (values != nullptr) *values = made.network.values.size();
  return made.decisions;
}

// Composed, every reader takes four blocks; apart, 4 x 2 blocks are moved and every reader takes two.
TEST(ComposedReshards, WhatCostsAsMuchIsComposed) {
  for (const auto& [readers, identity, expected] :
       {std::tuple(1, 0.25, "%2 composed with what reads it: 4 s, apart 4 s and a level: composed\n"),
        {1, 0.125, "%2 composed with what reads it: 4 s, apart 3 s and a level: stays\n"},
        {2, 0.5, "%2 composed with what reads it: 8 s, apart 8 s and a level: composed\n"},
        {2, 0.375, "%2 composed with what reads it: 8 s, apart 7 s and a level: stays\n"},
        {3, 1.0, "%2 composed with what reads it: 12 s, apart 14 s and a level: composed\n"}}) {
    const Network network = with_reshard(readers);
    std::size_t left = 0;
    EXPECT_EQ(decisions(network, identity, &left), expected);
    const bool composed = std::string(expected).ends_with(": composed\n");
    EXPECT_EQ(left, network.values.size() - (composed ? 1 : 0));
  }
}

// A product reads the reshard. The map that makes its operand may write its blocks, if it has no other reader.
TEST(ComposedReshards, WhatMakesAValueWritesOtherBlocksForOneReaderAlone) {
  Network network = with_reshard(0);
  network.outputs = {sharded(network, Product{2, 2}, halves(), 2)};
  // Composed, the map writes two blocks; apart it writes four, and 4 x 2 are moved.
  EXPECT_EQ(decisions(network, 1), "%2 composed with what makes it: 2 s, apart 12 s and a level: composed\n");
  Network shared = network;
  shared.outputs.push_back(1);
  EXPECT_EQ(decisions(shared, 1), "%2 stays: what makes it and what reads it need their blocks\n");
  Network shown = with_reshard(1);
  shown.outputs.push_back(2);  // who decrypts it reads it, too
  EXPECT_THAT(decisions(shown, 1), HasSubstr("composed with what makes it: 2 s, apart 12 s"));
}

// A sum in two blocks of channels, of two inputs in two blocks of rows.
TEST(ComposedReshards, EveryTermOfASumIsReadThroughItsReshard) {
  const Shape shape{1, 4, 6, 6};
  Sketch s;
  const TensorId a = s.input(shape, "a"), b = s.input(shape, "b"), sum = s.node("Add", {a, b}, shape);
  s.output(sum);
  const auto same = std::make_shared<layout::Identity>(shape);
  Network network;
  const auto add = [&](decltype(Value::operation) operation, TensorId tensor) {
    return network.add(
        {.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {}, .tensor = tensor});
  };
  add(Private{0}, a);
  add(Private{1}, b);
  network.outputs = {add(Affine{{{0, same}, {1, same}}}, sum)};
  const ShardingAnalysis analysis =
      analyse_sharding(s.graph, s.graph,
                       {layout::ShardAnnotation::parse("a=z:2"), layout::ShardAnnotation::parse("b=z:2"),
                        layout::ShardAnnotation::parse("Add0=x:2")});
  EXPECT_TRUE(tensors_to_keep(network, s.graph, analysis).empty()) << "all are values";
  const Network made = propagate_sharding(network, s.graph, analysis, false).network;
  ASSERT_EQ(made.values.size(), 5u);
  for (const ValueId read : operands(made.values[made.outputs.at(0)])) EXPECT_TRUE(is_reshard(made, read)) << read;
}

}  // namespace
}  // namespace tacit::graph::passes
