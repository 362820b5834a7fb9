#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "graph/slots/feature_map.h"
#include "layout/operators/movement.h"

// Gaps of maps that other operators than one window make.
namespace tacit::graph::passes {
namespace {

using layout::Index;
using Gaps = layout::Layout::Gaps;

/// Takes the elements at these rows and columns of every channel, or the first of a vector.
layout::LinearOperatorPtr taken(const Shape& in, const Shape& out, Index row_step, Index column_step) {
  std::vector<Index> sources;
  for (Index c = 0; c < out[1]; ++c)
    for (Index y = 0; y < out[2]; ++y)
      for (Index x = 0; x < out[3]; ++x)
        sources.push_back(in.size() == 4 ? (c * in[2] + y * row_step) * in[3] + x * column_step : 0);
  return std::make_shared<layout::Gather>(in, out, std::move(sources));
}

struct MapNetwork {
  Network network;
  ValueId add(decltype(Value::operation) operation, Shape shape) {
    return network.add(
        {.operation = std::move(operation), .shape = std::move(shape), .node = "n", .op = "Op", .range = {}});
  }
  ValueId input(Shape shape) { return add(Private{}, std::move(shape)); }
  Gaps gaps(ValueId id) const { return feature_maps(network).at(id).gaps; }
};

TEST(GapsOfMaps, FollowFromTheFirstOperandThatIsAMap) {
  MapNetwork maps;
  const Shape in{1, 1, 8, 8}, out{1, 1, 4, 4}, vector{1, 3};
  const ValueId image = maps.input(in), row = maps.input(vector), small = maps.input(out);
  // Every second element of the image. The small map after it does not count.
  const ValueId sum = maps.add(
      Affine{{{row, taken(vector, out, 0, 0)}, {image, taken(in, out, 2, 2)}, {small, taken(out, out, 1, 1)}}}, out);
  // The first elements of the image, unmoved.
  const ValueId other = maps.add(Affine{{{image, taken(in, out, 1, 1)}, {small, taken(out, out, 1, 1)}}}, out);
  const ValueId last = maps.add(Affine{{{sum, taken(out, out, 1, 1)}}}, out);
  EXPECT_EQ(maps.gaps(image), Gaps(1));
  EXPECT_EQ(maps.gaps(small), Gaps(2)) << "no map leads to it: as large as the largest";
  EXPECT_EQ(maps.gaps(sum), Gaps(2));
  EXPECT_EQ(maps.gaps(other), Gaps(1)) << "neighbours are read by neighbours";
  EXPECT_EQ(maps.gaps(last), Gaps(2));
  EXPECT_EQ(maps.gaps(row), Gaps(1));
}

TEST(GapsOfMaps, AreThoseOfAMapWhereAVectorMakesAnother) {
  MapNetwork maps;
  const ValueId image = maps.input({1, 1, 8, 8});
  const ValueId row = maps.input({1, 3});
  const ValueId made = maps.add(Affine{{{row, taken({1, 3}, {1, 1, 4, 2}, 0, 0)}}}, {1, 1, 4, 2});
  EXPECT_EQ(maps.gaps(image), Gaps(1));
  EXPECT_EQ(maps.gaps(made), Gaps(2, 4));
}

// If all elements read one element, the distance between the inputs of neighbours is 0.
TEST(GapsOfMaps, StayWhereAllElementsReadTheSame) {
  MapNetwork maps;
  const Shape shape{1, 1, 4, 4};
  const ValueId image = maps.input(shape);
  const ValueId spread = maps.add(Affine{{{image, taken(shape, shape, 0, 0)}}}, shape);
  EXPECT_EQ(maps.gaps(image), Gaps(1));
  EXPECT_EQ(maps.gaps(spread), Gaps(1));
}

// One row of four: no neighbour shows a stride.
TEST(GapsOfMaps, AreAsManyTimesAsLargeWhereOneRowIsLeft) {
  MapNetwork maps;
  const Shape in{1, 1, 4, 4}, out{1, 1, 1, 4}, seventh{1, 1, 1, 4}, tall{1, 1, 7, 4};
  const ValueId image = maps.input(in);
  EXPECT_EQ(maps.gaps(maps.add(Affine{{{image, taken(in, out, 1, 1)}}}, out)), Gaps(4, 1));
  MapNetwork others;
  const ValueId seven = others.input(tall);
  EXPECT_EQ(others.gaps(others.add(Affine{{{seven, taken(tall, seventh, 1, 1)}}}, seventh)), Gaps(4, 1))
      << "the power of two below";
}

TEST(GapsOfMaps, AreOfMapsWithMoreThanOnePoint) {
  EXPECT_TRUE(is_feature_map({1, 1, 1, 2}));
  EXPECT_TRUE(is_feature_map({3, 5, 2, 1}));
  EXPECT_FALSE(is_feature_map({1, 9, 1, 1}));
  EXPECT_FALSE(is_feature_map({1, 9, 9}));
  EXPECT_FALSE(is_feature_map({1, 1, 1, 9, 9}));
  EXPECT_FALSE(is_feature_map({9, 9}));
}

}  // namespace
}  // namespace tacit::graph::passes
