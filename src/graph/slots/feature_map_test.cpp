#include "graph/slots/feature_map.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "layout/operators/movement.h"
#include "layout/operators/window.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using layout::WindowAxis;
using Gaps = layout::Layout::Gaps;

class Maps {
 public:
  ValueId input(Shape shape) {
    return network_.add({.operation = Private{}, .shape = std::move(shape), .node = "x", .op = "input", .range = {}});
  }
  ValueId linear(ValueId input, layout::LinearOperatorPtr op, Shape shape) {
    return network_.add({.operation = Affine{{{input, std::move(op)}}},
                         .shape = std::move(shape),
                         .node = "map",
                         .op = "linear",
                         .range = {}});
  }
  /// A window with the same axis over rows and columns.
  ValueId window(ValueId input, Index channels, WindowAxis rows, WindowAxis columns) {
    const Shape in = network_.values[input].shape;
    const auto extent = [](Index size, const WindowAxis& axis) {
      return (size + axis.pad_begin + axis.pad_end - axis.kernel) / axis.stride + 1;
    };
    const Shape out{1, channels, extent(in[2], rows), extent(in[3], columns)};
    std::vector<double> weights(static_cast<std::size_t>(channels * in[1] * rows.kernel * columns.kernel), 1.0);
    return linear(
        input,
        std::make_shared<layout::Convolution>(in, out, std::vector<WindowAxis>{rows, columns}, 1, std::move(weights)),
        out);
  }
  ValueId window(ValueId input, Index channels, WindowAxis axis) { return window(input, channels, axis, axis); }
  ValueId product(ValueId left, ValueId right) {
    return network_.add({.operation = Product{left, right},
                         .shape = network_.values[left].shape,
                         .node = "product",
                         .op = "Mul",
                         .range = {}});
  }
  Gaps gaps(ValueId id) const { return feature_maps(network_)[id].gaps; }

 private:
  Network network_;
};

// SqueezeNet's last layer: a window of one pixel on maps with a border of zeros, 13 x 13 to 15 x 15.
TEST(FeatureMap, APaddedWindowLeavesPointsWhereTheyAre) {
  Maps maps;
  const ValueId image = maps.input({1, 1, 227, 227});
  ValueId map = maps.window(image, 1, {.kernel = 7, .stride = 2});
  for (int k = 0; k < 3; ++k) map = maps.window(map, 1, {.kernel = 3, .stride = 2});
  EXPECT_EQ(maps.gaps(map), Gaps(16));
  EXPECT_EQ(maps.gaps(maps.window(map, 1, {.kernel = 1, .pad_begin = 1, .pad_end = 1})), Gaps(16));
}

TEST(FeatureMap, RowsAndColumnsHaveStridesOfTheirOwn) {
  Maps maps;
  const ValueId image = maps.input({1, 2, 32, 32});
  const ValueId narrow = maps.window(image, 2, {.kernel = 1}, {.kernel = 3, .stride = 2});
  EXPECT_EQ(maps.gaps(narrow), Gaps(1, 2));
  EXPECT_EQ(maps.gaps(maps.window(narrow, 2, {.kernel = 3, .stride = 4}, {.kernel = 1})), Gaps(4, 2));
}

// 12 to 2 columns is 6 times as few; the window's stride is 2.
TEST(FeatureMap, AWideWindowGrowsGapsByItsStrideAlone) {
  Maps maps;
  const ValueId image = maps.input({1, 1, 12, 12});
  EXPECT_EQ(maps.gaps(maps.window(image, 1, {.kernel = 9, .stride = 2})), Gaps(2));
  EXPECT_EQ(maps.gaps(maps.window(image, 1, {.kernel = 9, .stride = 3})), Gaps(2));
  EXPECT_EQ(maps.gaps(maps.window(image, 1, {.kernel = 9})), Gaps(1));
}

// Elements 0, 2, 4, ... of rows, as a maximum takes them. The last index comes twice.
TEST(FeatureMap, ElementsThatAreTakenHaveStridesToo) {
  Maps maps;
  const Shape in{1, 3, 9, 9}, out{1, 3, 5, 9};
  const ValueId image = maps.input(in);
  std::vector<Index> sources;
  for (Index c = 0; c < in[1]; ++c)
    for (const Index y : {0, 2, 4, 6, 6})
      for (Index x = 0; x < in[3]; ++x) sources.push_back((c * in[2] + y) * in[3] + x);
  const ValueId taken = maps.linear(image, std::make_shared<layout::Gather>(in, out, sources), out);
  EXPECT_EQ(maps.gaps(taken), Gaps(2, 1));
}

TEST(FeatureMap, LargerMapsHaveSmallerGapsAndTheSmallestIsOne) {
  Maps maps;
  const Shape in{1, 2, 4, 4}, out{1, 2, 8, 8};
  const ValueId code = maps.input(in);
  std::vector<Index> nearest;
  for (Index c = 0; c < 2; ++c)
    for (Index y = 0; y < 8; ++y)
      for (Index x = 0; x < 8; ++x) nearest.push_back((c * 4 + y / 2) * 4 + x / 2);
  const ValueId wide = maps.linear(code, std::make_shared<layout::Gather>(in, out, nearest), out);
  EXPECT_EQ(maps.gaps(code), Gaps(2));
  EXPECT_EQ(maps.gaps(wide), Gaps(1));
  EXPECT_EQ(maps.gaps(maps.product(wide, wide)), Gaps(1));
}

TEST(FeatureMap, ValuesThatAreNoMapsHaveNoGaps) {
  Maps maps;
  maps.input({1, 1, 16, 16});
  EXPECT_EQ(maps.gaps(maps.input({1, 10})), Gaps(1));
  EXPECT_EQ(maps.gaps(maps.input({1, 10, 1, 1})), Gaps(1));
  EXPECT_EQ(maps.gaps(maps.input({1, 1, 3, 5})), Gaps(4, 2));
}

// The first channels read nothing. 12 to 2 points is 6 times as few; the last channel takes every second one.
TEST(FeatureMap, AnyChannelTellsTheStride) {
  Maps maps;
  const Shape in{1, 1, 12, 12}, out{1, 5, 2, 2};
  const ValueId image = maps.input(in);
  std::vector<Index> sources(5 * 4, layout::Gather::kNothing);
  for (Index y = 0; y < 2; ++y)
    for (Index x = 0; x < 2; ++x) sources[static_cast<std::size_t>((4 * 2 + y) * 2 + x)] = 2 * y * in[3] + 2 * x;
  EXPECT_EQ(maps.gaps(maps.linear(image, std::make_shared<layout::Gather>(in, out, sources), out)), Gaps(2));
  // If no channel shows a stride, gaps grow by the ratio of the sizes.
  const std::vector<Index> nothing(5 * 4, layout::Gather::kNothing);
  EXPECT_EQ(maps.gaps(maps.linear(image, std::make_shared<layout::Gather>(in, out, nothing), out)), Gaps(4));
}

// Two points of a window of three with a stride of two. Padding hides the end of one, or the beginning of the other.
TEST(FeatureMap, TheStrideIsTheFurtherOfBothEnds) {
  for (const WindowAxis& axis :
       {WindowAxis{.kernel = 3, .stride = 2, .pad_end = 1}, WindowAxis{.kernel = 3, .stride = 2, .pad_begin = 1}}) {
    Maps maps;
    const ValueId image = maps.input({1, 1, 4, 4});
    EXPECT_EQ(maps.gaps(maps.window(image, 1, axis)), Gaps(2)) << axis.pad_begin;
  }
}

// Four points of four, two apart. Most of them are in the padding.
TEST(FeatureMap, AMapOfTheSameSizeMayHaveAStride) {
  Maps maps;
  const ValueId image = maps.input({1, 1, 4, 4});
  EXPECT_EQ(maps.gaps(maps.window(image, 1, {.kernel = 1, .stride = 2, .pad_begin = 2, .pad_end = 1})), Gaps(2));
}

// 12 to 2 points. The first channel has one point that reads something; the second takes every second one.
TEST(FeatureMap, AChannelTellsTheStrideWhereBothPointsReadSomething) {
  const auto gaps_of = [](Index first, Index second) {
    Maps maps;
    const Shape in{1, 1, 12, 12}, out{1, 2, 2, 2};
    const ValueId image = maps.input(in);
    std::vector<Index> sources;
    for (const Index row : {first, second})
      for (Index x = 0; x < 2; ++x) sources.push_back(row < 0 ? layout::Gather::kNothing : row * in[3] + 2 * x);
    for (Index y = 0; y < 2; ++y)
      for (Index x = 0; x < 2; ++x) sources.push_back(2 * y * in[3] + 2 * x);
    return maps.gaps(maps.linear(image, std::make_shared<layout::Gather>(in, out, sources), out)).rows;
  };
  EXPECT_EQ(gaps_of(-1, 8), 2);
  EXPECT_EQ(gaps_of(8, -1), 2);
  EXPECT_EQ(gaps_of(0, 8), 8) << "it tells itself";
  EXPECT_EQ(gaps_of(0, 0), 4) << "a stride of none: as many times as few";
}

}  // namespace
}  // namespace tacit::graph::passes
