#include "graph/slots/sharding_places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/sketch.h"
#include "layout/sharding/carried.h"

namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using Values = std::vector<ValueId>;

ArraySharding sharding(const std::string& spec, int parts = 2) {
  return ArraySharding::parse(fmt::format("mesh=[a={}] spec={{{}}}", parts, spec));
}
const char *const kWhole = "-1, -1, -1, -1", *const kByChannels = "-1, a, -1, -1", *const kByRows = "-1, -1, a, -1";

/// x, a convolution to four channels, its negation, and the negation plus x. The network holds x and the negation.
/// Several values are the negation.
struct Composed {
  Sketch s;
  TensorId x, weight, conv, negated, sum;
  Network network;
  ShardingAnalysis analysis;

  explicit Composed(std::int64_t channels = 4, std::int64_t kernel = 1, bool read_twice = false, Shape held = {}) {
    const std::int64_t pad = kernel / 2;
    const Shape made{1, 4, 6, 6};
    x = s.input({1, channels, 6, 6});
    weight = s.constant({4, channels, kernel, kernel},
                        std::vector<double>(static_cast<std::size_t>(4 * channels * kernel * kernel), 1.0));
    conv = s.node("Conv", {x, weight}, made, {{"pads", std::vector<std::int64_t>(4, pad)}});
    negated = s.node("Neg", {conv}, made);
    sum = s.node("Add", {negated, read_twice ? conv : x}, made);
    s.output(sum);
    const auto add = [&](const Shape& shape, TensorId tensor) {
      network.add({.operation = Private{}, .shape = shape, .node = "n", .op = "Op", .range = {}, .tensor = tensor});
    };
    add({1, channels, 6, 6}, x);
    add(held.empty() ? made : held, negated);
    add({1, 1}, kNoTensor);
    add(held.empty() ? made : held, negated);
    analysis = analyse_sharding(s.graph, s.graph, {});
  }
  ShardingPlaces places() const { return {network, s.graph, analysis}; }
};

/// Returns the values of a place, after a check of the blocks of its dimensions (`parts`). Empty if there is no place.
Values values_of(const std::optional<ShardingPlace>& place, const Shape& parts) {
  if (!place) return {};
  for (std::size_t dim = 0; dim < parts.size(); ++dim) EXPECT_EQ(place->sharding.parts(dim), parts[dim]) << dim;
  return place->values;
}

TEST(ShardingPlaces, ATensorThatValuesHoldIsWhereTheyAre) {
  const Composed at;
  const ShardingPlaces places = at.places();
  EXPECT_EQ(values_of(places.here(at.x, sharding(kByChannels)), {1, 2, 1, 1}), Values{0});
  EXPECT_EQ(values_of(places.here(at.negated, sharding(kByRows, 3)), {1, 1, 3, 1}), (Values{1, 3}));
  for (const TensorId other : {at.conv, at.sum, at.weight})
    EXPECT_FALSE(places.here(other, sharding(kByChannels)).has_value()) << other;
  EXPECT_EQ(values_of(places.of_input(at.x, sharding(kByRows)), {1, 1, 2, 1}), Values{0});
  EXPECT_EQ(values_of(places.of_output(at.negated, sharding(kByRows)), {1, 1, 2, 1}), (Values{1, 3}));
  EXPECT_EQ(places.readers(at.x), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(places.producer(at.negated), std::optional<std::size_t>(1));
  EXPECT_FALSE(places.producer(at.x).has_value());
}

TEST(ShardingPlaces, ValuesMayHoldATensorInAnotherShape) {
  const Composed at(4, 1, false, {1, 144});
  const ShardingPlaces places = at.places();
  EXPECT_EQ(values_of(places.here(at.negated, sharding(kByChannels)), {1, 2}), (Values{1, 3}));
  EXPECT_FALSE(places.here(at.negated, sharding(kByRows)).has_value()) << "rows lie inside the only dimension";
}

TEST(ShardingPlaces, AnOutputIsCarriedOnByItsOnlyReader) {
  const Composed at;
  for (const auto& [spec, parts] :
       {std::pair(kWhole, Shape{1, 1, 1, 1}), {kByChannels, Shape{1, 2, 1, 1}}, {kByRows, Shape{1, 1, 2, 1}}})
    EXPECT_EQ(values_of(at.places().of_output(at.conv, sharding(spec)), parts), (Values{1, 3})) << spec;
  EXPECT_FALSE(at.places().of_output(at.sum, sharding(kByChannels)).has_value()) << "nobody reads it";
  const Composed twice(4, 1, true);
  EXPECT_FALSE(twice.places().of_output(twice.conv, sharding(kByChannels)).has_value()) << "two nodes read it";
}

TEST(ShardingPlaces, AnInputIsCarriedBackWhereItsBlocksSurvive) {
  const Composed at;
  const ShardingPlaces places = at.places();
  EXPECT_EQ(values_of(places.of_input(at.conv, sharding(kByRows)), {1, 1, 2, 1}), Values{0});
  EXPECT_FALSE(places.of_input(at.conv, sharding(kByChannels)).has_value()) << "its channels are not those of x";
  EXPECT_FALSE(places.of_input(at.sum, sharding(kByRows)).has_value()) << "of two operands";
  EXPECT_FALSE(places.of_input(at.weight, sharding(kByRows)).has_value()) << "nothing makes it";
}

// One block of a sum's or a window's operand may come from any blocks.
TEST(ShardingPlaces, OneBlockSaysNothingThroughSumsAndWindows) {
  const auto carried = [](std::int64_t channels, std::int64_t kernel, const char* spec) {
    const Composed at(channels, kernel);
    return at.places().of_input(at.conv, sharding(spec)).has_value();
  };
  EXPECT_TRUE(carried(1, 1, kWhole)) << "a sum of one, by a window of one";
  EXPECT_FALSE(carried(2, 1, kWhole));
  EXPECT_FALSE(carried(1, 3, kWhole));
  EXPECT_TRUE(carried(2, 1, kByRows)) << "several blocks do say something";
  EXPECT_TRUE(carried(2, 3, kByRows));
}

TEST(ShardingPlaces, WhatIsNoConstantIsEncrypted) {
  const Composed at;
  EXPECT_TRUE(is_encrypted(at.s.graph, at.x));
  EXPECT_TRUE(is_encrypted(at.s.graph, at.sum));
  EXPECT_FALSE(is_encrypted(at.s.graph, at.weight));
  EXPECT_FALSE(is_encrypted(at.s.graph, kNoTensor));
}

// x, its negation and a convolution. Only the convolution is a value.
TEST(ShardingPlaces, OneBlockSaysNothingOfWhatSumsAndWindowsMakeOfIt) {
  const auto carried = [](std::int64_t channels, std::int64_t kernel, const char* spec) {
    Sketch s;
    const Shape in{1, channels, 6, 6}, made{1, 4, 6, 6};
    const TensorId negated = s.node("Neg", {s.input(in)}, in);
    const std::vector<double> weights(static_cast<std::size_t>(4 * channels * kernel * kernel), 1.0);
    const TensorId conv = s.node("Conv", {negated, s.constant({4, channels, kernel, kernel}, weights)}, made,
                                 {{"pads", std::vector<std::int64_t>(4, kernel / 2)}});
    s.output(conv);
    Network network;
    network.add({.operation = Private{}, .shape = made, .node = "n", .op = "Op", .range = {}, .tensor = conv});
    const ShardingAnalysis analysis = analyse_sharding(s.graph, s.graph, {});
    return ShardingPlaces(network, s.graph, analysis).of_output(negated, sharding(spec)).has_value();
  };
  EXPECT_TRUE(carried(1, 1, kWhole)) << "a sum of one, by a window of one";
  EXPECT_FALSE(carried(2, 1, kWhole));
  EXPECT_FALSE(carried(1, 3, kWhole));
  EXPECT_TRUE(carried(2, 1, kByRows));
}

}  // namespace
}  // namespace tacit::graph::passes
