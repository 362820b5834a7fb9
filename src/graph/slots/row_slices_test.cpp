#include "graph/slots/row_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <random>

#include "layout/operators/movement.h"
#include "layout/operators/row_band.h"
#include "layout/operators/window.h"

namespace tacit::graph::passes {
namespace {

using layout::Convolution;
using layout::Index;
using layout::WindowAxis;

std::vector<double> applied(const layout::LinearOperator& op, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(layout::element_count(op.out_shape())));
  op.apply(x, y, 1);
  return y;
}

std::vector<double> numbers(Index count, std::mt19937& random) {
  std::uniform_real_distribution<double> number(0.5, 1);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = number(random);
  return result;
}

Index output_rows(Index rows, const WindowAxis& axis) {
  return (rows + axis.pad_begin + axis.pad_end - (axis.kernel - 1) * axis.dilation - 1) / axis.stride + 1;
}

// For every window, the parts on their slices add up to the window.
TEST(RowSlices, PartsAddUpToTheOperator) {
  std::mt19937 random(7);
  const auto draw = [&](Index lowest, Index highest) {
    return std::uniform_int_distribution<Index>(lowest, highest)(random);
  };
  int parted = 0, cases = 0;
  while (cases < 400) {
    const auto axis = [&] { return WindowAxis{draw(1, 5), draw(1, 2), draw(1, 3), draw(0, 4), draw(0, 4)}; };
    const WindowAxis y = axis(), x = axis();
    const Shape in{1, 2, draw(2, 12), draw(2, 12)};
    const Shape out{1, 3, output_rows(in[2], y), output_rows(in[3], x)};
    if (out[2] < 1 || out[3] < 1 || !is_feature_map(out)) continue;
    const Index columns = std::max(in[3], out[3]) * draw(1, 2), cell = 4, slots = 1024;
    FeatureGrid grid{.kind = GridKind::tight, .slots = slots, .pitch = 1, .cell = cell};
    while (grid.pitch < columns) grid.pitch *= 2;
    const auto gap = [&](const Shape& shape) {
      return Index{1} << (std::bit_width(static_cast<std::uint64_t>(columns / shape[3])) - 1);
    };
    const FeatureMap from{in, gap(in)}, to{out, gap(out)};
    if (!grid.layout_of(from, {}) || !grid.layout_of(to, {})) continue;
    ++cases;
    const auto op = std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{y, x}, 1,
                                                  numbers(3 * 2 * y.kernel * x.kernel, random));
    const std::vector<double> input = numbers(layout::element_count(in), random), expected = applied(*op, input);
    for (const Beside beside : {Beside::zeros, Beside::unknown}) {
      RowSlices slices;
      const std::vector<RowPart>& parts = slices.parts(op, from, to, grid, beside);
      parted += parts.size() > 1 ? 1 : 0;
      std::vector<double> sum(expected.size());
      for (const RowPart& part : parts) {
        const std::vector<double> made =
            applied(*part.op, applied(*layout::kept_rows(in, part.begin, part.rows), input));
        for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += made[e];
      }
      for (std::size_t e = 0; e < sum.size(); ++e) ASSERT_NEAR(sum[e], expected[e], 1e-9) << e;
    }
  }
  EXPECT_GT(parted, 50);
}

// A tap that reads no row has no part: three rows of taps, three apart, take two slices.
TEST(RowSlices, ADilatedWindowHasASliceForEveryRowOfTapsThatLeavesTheMap) {
  std::mt19937 random(8);
  const Shape shape{1, 4, 16, 16};
  const WindowAxis axis{3, 1, 3, 3, 3};
  const auto op =
      std::make_shared<Convolution>(shape, shape, std::vector<WindowAxis>{axis, axis}, 1, numbers(4 * 4 * 9, random));
  const FeatureGrid grid{.kind = GridKind::tight, .slots = 1024, .pitch = 16, .cell = 4};
  RowSlices slices;
  const std::vector<RowPart>& parts = slices.parts(op, {shape, 1}, {shape, 1}, grid, Beside::zeros);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].rows, 16);
  EXPECT_EQ(parts[1].rows, 13);
  EXPECT_EQ(parts[2].begin, 3);
  FeatureGrid guarded = grid;
  guarded.kind = GridKind::guarded;
  EXPECT_EQ(slices.parts(op, {shape, 1}, {shape, 1}, guarded, Beside::zeros).size(), 1u);
}

TEST(RowSlices, AnOutputRowForEveryStrideOfInputRowsCoversThem) {
  // Eight rows, and four rows that are two apart. The number of columns does not matter.
  EXPECT_TRUE(covers_rows({{1, 2, 8, 3}, {1, 4}}, {{1, 2, 4, 5}, {2, 1}}));
  EXPECT_FALSE(covers_rows({{1, 2, 9, 4}, {1, 1}}, {{1, 2, 4, 9}, {2, 1}}));
  EXPECT_FALSE(covers_rows({{1, 2, 8, 8}, {1, 1}}, {{1, 2, 3, 8}, {2, 1}}));
  EXPECT_TRUE(covers_rows({{1, 2, 4, 8}, {4, 1}}, {{1, 2, 2, 8}, {8, 1}}));
  EXPECT_FALSE(covers_rows({{1, 2, 4, 8}, {2, 1}}, {{1, 2, 4, 8}, {1, 1}}));
}

TEST(RowSlices, ANetworkCoversAllRowsWhereEachOfItsOperatorsDoes) {
  // Windows of these rows with a stride of two on eight rows of six points; a matrix reads their results.
  const auto covers = [](const std::vector<Index>& kernels) {
    const Shape in{1, 1, 8, 6};
    Network network;
    const auto add = [&](auto operation, const Shape& shape) {
      return network.add({.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {}});
    };
    const ValueId x = add(Private{}, in);
    ValueId map = x;
    for (const Index kernel : kernels) {
      const WindowAxis rows{.kernel = kernel, .stride = 2}, columns{};
      const Shape out{1, 1, output_rows(8, rows), 6};
      map =
          add(Affine{{{x, std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{rows, columns}, 1,
                                                        std::vector<double>(static_cast<std::size_t>(kernel), 1.0))}}},
              out);
    }
    const Shape flat{1, layout::element_count(network.values[map].shape)};
    network.outputs = {add(Affine{{{map, std::make_shared<layout::Identity>(network.values[map].shape, flat)}}}, flat)};
    return covers_all_rows(network);
  };
  EXPECT_TRUE(covers({2}));
  EXPECT_FALSE(covers({3})) << "three rows for eight";
  EXPECT_FALSE(covers({3, 2})) << "one of two";
  EXPECT_FALSE(covers({2, 3}));
  EXPECT_TRUE(covers({2, 1}));
  EXPECT_TRUE(covers({})) << "there is no window";
}

}  // namespace
}  // namespace tacit::graph::passes
