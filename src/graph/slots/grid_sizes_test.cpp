#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "graph/slots/feature_grid.h"
#include "graph/slots/row_slices.h"
#include "layout/operators/movement.h"
#include "layout/operators/window.h"

// The sizes of grids, and the rows that parts of operators read on them.
namespace tacit::graph::passes {
namespace {

using layout::Convolution;
using layout::Index;
using layout::WindowAxis;

/// Pitch, cell, spread and phases.
using GridNumbers = std::vector<Index>;

GridNumbers grid_of(const Network& network, Index slots, GridKind kind) {
  const std::optional<FeatureGrid> grid = feature_grid(network, slots, kind);
  if (!grid) return {};
  EXPECT_EQ(grid->kind, kind);
  EXPECT_EQ(grid->slots, slots);
  EXPECT_EQ(grid->maps.size(), network.values.size());
  return {grid->pitch, grid->cell, grid->spread, grid->phases};
}

GridNumbers grid_of(const std::vector<Shape>& shapes, Index slots, GridKind kind) {
  Network network;
  for (const Shape& shape : shapes)
    network.add({.operation = Private{}, .shape = shape, .node = "x", .op = "input", .range = {}});
  return grid_of(network, slots, kind);
}

TEST(GridSizes, AGuardedGridHasAGuardBehindEveryRowAndColumn) {
  const auto guarded = [](const std::vector<Shape>& shapes, Index slots) {
    return grid_of(shapes, slots, GridKind::guarded);
  };
  const std::vector<Shape> image{{1, 3, 32, 32}};  // 33 x 33 points
  EXPECT_EQ(guarded(image, 32768), (GridNumbers{33, 4, 1, 1})) << "as many slots a point as channels fill";
  EXPECT_EQ(guarded(image, 4096), (GridNumbers{33, 2, 1, 1})) << "three would fit";
  EXPECT_EQ(guarded(image, 2048), (GridNumbers{33, 1, 1, 1}));
  EXPECT_EQ(guarded(image, 1024), (GridNumbers{33, 1, 1, 2})) << "17 rows of two phases";
  EXPECT_EQ(guarded(image, 512), (GridNumbers{33, 1, 1, 4})) << "nine of four";
  EXPECT_EQ(guarded(image, 64), (GridNumbers{33, 1, 1, 64})) << "one of 64";
  EXPECT_EQ(guarded(image, 32), GridNumbers{});
  EXPECT_EQ(guarded({{1, 1, 63, 3}}, 4), (GridNumbers{4, 1, 1, 64}));
  EXPECT_EQ(guarded({{1, 1, 64, 3}}, 4), GridNumbers{}) << "65 phases";
  EXPECT_EQ(guarded({{1, 8, 16, 16}}, 32768), (GridNumbers{17, 8, 1, 1}));
  EXPECT_EQ(guarded({{1, 9, 16, 16}}, 32768), (GridNumbers{17, 16, 1, 1}));
  // Gaps of four: nine points of the smaller map take 36 of the grid, and its gaps hold a quarter of its channels.
  EXPECT_EQ(guarded({{1, 3, 32, 32}, {1, 64, 8, 8}}, 65536), (GridNumbers{36, 16, 1, 1}));
  EXPECT_EQ(guarded({{1, 3, 32, 32}, {1, 65, 8, 8}}, 65536), (GridNumbers{36, 32, 1, 1}));
  EXPECT_EQ(guarded({{1, 1, 16, 16}, {1, 1, 16, 4}}, 512), (GridNumbers{20, 1, 1, 1})) << "gaps of columns alone";
  EXPECT_EQ(guarded({{1, 1, 16, 16}, {1, 1, 4, 16}}, 512), (GridNumbers{17, 1, 1, 1})) << "20 rows of 17";
  EXPECT_EQ(guarded({{1, 1, 16, 16}, {1, 2, 4, 16}}, 1024), (GridNumbers{17, 2, 1, 1}))
      << "gaps of rows hold no channels";
  EXPECT_EQ(guarded({{1, 1, 16, 16}}, 2048), (GridNumbers{17, 1, 1, 1})) << "one channel fills one slot";
  EXPECT_EQ(guarded({{8, 3, 32, 32}}, 32768), (GridNumbers{33, 4, 1, 1})) << "samples share nothing";
  EXPECT_EQ(guarded({{1, 3, 32, 32}, {1, 4000}, {1, 4000, 1, 1}}, 32768), (GridNumbers{33, 4, 1, 1}))
      << "what is no map says nothing";
}

TEST(GridSizes, GuardsAreAsManyAsTheWidestWindowPads) {
  const auto pitch = [](const WindowAxis& rows, const WindowAxis& columns) {
    const Shape shape{1, 1, 16, 16};
    Network network;
    network.add({.operation = Private{}, .shape = shape, .node = "x", .op = "input", .range = {}});
    for (const auto& axes : {std::vector<WindowAxis>{rows, columns}, std::vector<WindowAxis>{{}, {}}}) {
      std::vector<double> weights(static_cast<std::size_t>(axes[0].kernel * axes[1].kernel), 1.0);
      network.add({.operation = Affine{{{0, std::make_shared<Convolution>(shape, shape, axes, 1, std::move(weights))}}},
                   .shape = shape,
                   .node = "n",
                   .op = "Conv",
                   .range = {}});
    }
    EXPECT_EQ(grid_of(network, 1024, GridKind::tight), GridNumbers{}) << "it would hold no more";
    return grid_of(network, 1024, GridKind::guarded).at(0);
  };
  EXPECT_EQ(pitch({}, {}), 17);
  EXPECT_EQ(pitch({.kernel = 3, .pad_begin = 1, .pad_end = 1}, {}), 17);
  EXPECT_EQ(pitch({.kernel = 5, .pad_begin = 2, .pad_end = 2}, {}), 18);
  EXPECT_EQ(pitch({.kernel = 4, .pad_begin = 3}, {}), 19);
  EXPECT_EQ(pitch({.kernel = 4, .pad_end = 3}, {}), 19);
  EXPECT_EQ(pitch({.kernel = 3, .pad_begin = 1, .pad_end = 1}, {.kernel = 4, .pad_end = 3}), 19);
}

TEST(GridSizes, ATightGridHoldsMoreThanAGuardedOne) {
  const auto tight = [](const std::vector<Shape>& shapes, Index slots) {
    return grid_of(shapes, slots, GridKind::tight);
  };
  EXPECT_EQ(tight({{1, 16, 32, 32}}, 32768), GridNumbers{}) << "16 channels fit between guards";
  EXPECT_EQ(tight({{1, 17, 32, 32}}, 32768), (GridNumbers{32, 32, 1, 1}));
  EXPECT_EQ(tight({{1, 17, 32, 32}}, 65536), GridNumbers{}) << "32 fit between guards, and there is no other sample";
  EXPECT_EQ(tight({{2, 16, 32, 32}}, 32768), (GridNumbers{32, 16, 2, 1})) << "another sample";
  EXPECT_EQ(tight({{3, 16, 32, 32}}, 32768), (GridNumbers{32, 16, 2, 1}));
  EXPECT_EQ(tight({{2, 16, 32, 32}}, 65536), (GridNumbers{32, 16, 2, 1})) << "four would fit";
  EXPECT_EQ(tight({{3, 16, 32, 32}}, 65536), (GridNumbers{32, 16, 4, 1}));
  EXPECT_EQ(tight({{1, 32, 24, 24}}, 32768), GridNumbers{}) << "rows of 32 columns";
  EXPECT_EQ(tight({{1, 3, 64, 64}}, 1024), (GridNumbers{64, 1, 1, 4})) << "eight phases with guards";
  EXPECT_EQ(tight({{2, 3, 64, 64}}, 1024), (GridNumbers{64, 1, 1, 4})) << "phases leave no row for samples";
}

TEST(GridSizes, RowsOfAMapFollowFromWhatLiesBetweenThem) {
  struct Case {
    Index gap, spread, phases, rows;
  };
  // 1,024 slots have 64 rows of eight points of two slots.
  for (const auto& [gap, spread, phases, rows] :
       {Case{1, 1, 1, 64}, Case{2, 1, 1, 32}, Case{1, 2, 1, 32}, Case{4, 2, 1, 8}, Case{1, 1, 2, 128},
        Case{2, 1, 2, 64}, Case{4, 1, 2, 32}, Case{2, 1, 8, 256}, Case{2, 2, 2, 32}}) {
    const FeatureGrid grid{.slots = 1024, .pitch = 8, .cell = 2, .spread = spread, .phases = phases};
    const auto map = [gap = gap](Index height, Index width, Index channels = 1) {
      return FeatureMap{{1, channels, height, width}, {gap, 2}};
    };
    EXPECT_EQ(grid.rows_of(map(4, 4)), rows) << gap << " " << spread << " " << phases;
    EXPECT_TRUE(grid.layout_of(map(rows, 4), {}).has_value());
    EXPECT_FALSE(grid.layout_of(map(rows + 1, 4), {}).has_value());
    EXPECT_FALSE(grid.layout_of(map(4, 5), {}).has_value()) << "four points a row";
    EXPECT_EQ(grid.channels_share_rows(map(4, 4, 5)), gap * spread > phases);
    EXPECT_FALSE(grid.channels_share_rows(map(4, 4, 4))) << "the columns of a gap hold four channels";
  }
}

TEST(GridSizes, KindsOfGridsHaveWords) {
  EXPECT_EQ(to_text(GridKind::none), "");
  EXPECT_EQ(to_text(GridKind::guarded), ", guarded grid");
  EXPECT_EQ(to_text(GridKind::tight), ", tight grid");
}

/// The first row of every part, and the number of rows that it reads.
using Rows = std::vector<std::pair<Index, Index>>;

/// Returns the rows of the parts of a window over maps of `height` rows of four columns. `room` rows fit a ciphertext.
Rows rows_of_parts(Index height, const WindowAxis& axis, Index room, Beside beside, std::vector<double> weights = {}) {
  const Index span = (axis.kernel - 1) * axis.dilation + 1;
  const Shape in{1, 1, height, 4}, out{1, 1, (height + axis.pad_begin + axis.pad_end - span) / axis.stride + 1, 4};
  if (weights.empty()) weights.assign(static_cast<std::size_t>(axis.kernel), 1.0);
  const auto op = std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, {}}, 1, std::move(weights));
  const FeatureGrid grid{.kind = GridKind::tight, .slots = 4 * room, .pitch = 4, .cell = 1};
  RowSlices slices;
  Rows rows;
  for (const RowPart& part : slices.parts(op, {in, {1, 1}}, {out, {axis.stride, 1}}, grid, beside))
    rows.emplace_back(part.begin, part.rows);
  return rows;
}

TEST(GridSizes, PartsReadTheRowsThatTheirTapsDoNotWrapAroundTo) {
  const WindowAxis three{.kernel = 3, .pad_begin = 1, .pad_end = 1};
  const Rows whole{{0, 8}}, sliced{{0, 8}, {0, 7}, {1, 7}};
  for (const Beside beside : {Beside::zeros, Beside::unknown}) EXPECT_EQ(rows_of_parts(8, three, 8, beside), sliced);
  EXPECT_EQ(rows_of_parts(8, three, 16, Beside::zeros), sliced) << "zeros stay in free rows";
  EXPECT_EQ(rows_of_parts(8, three, 16, Beside::unknown), whole);
  // Eight slices, and no more.
  EXPECT_EQ(rows_of_parts(8, {.kernel = 9, .pad_begin = 4, .pad_end = 4}, 8, Beside::zeros),
            (Rows{{0, 8}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {1, 7}, {2, 6}, {3, 5}, {4, 4}}));
  EXPECT_EQ(rows_of_parts(8, {.kernel = 10, .pad_begin = 5, .pad_end = 4}, 8, Beside::zeros), whole);
  // There are two taps, and the one of the row itself has weight 0.
  EXPECT_EQ(rows_of_parts(8, {.kernel = 2, .pad_begin = 1}, 8, Beside::zeros, {1, 0}), (Rows{{0, 7}}));
  EXPECT_EQ(rows_of_parts(8, {.kernel = 2, .pad_begin = 1}, 8, Beside::zeros, {0, 1}), whole);
  // With a stride, the last row that is in the middle of a window is the seventh. The window reads the row after it.
  EXPECT_EQ(rows_of_parts(8, {.kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 1}, 8, Beside::unknown),
            (Rows{{0, 8}, {0, 7}}));
  EXPECT_EQ(rows_of_parts(8, {.kernel = 4, .stride = 2, .pad_begin = 1, .pad_end = 1}, 8, Beside::zeros),
            (Rows{{0, 8}, {0, 7}, {1, 7}}));
  // After eight free rows the first row comes again.
  EXPECT_EQ(rows_of_parts(8, {.kernel = 2, .dilation = 9, .pad_begin = 0, .pad_end = 9}, 16, Beside::unknown),
            (Rows{{0, 8}, {1, 7}}));
  EXPECT_EQ(rows_of_parts(8, {.kernel = 2, .dilation = 8, .pad_begin = 0, .pad_end = 8}, 16, Beside::unknown), whole);
  // There are more rows in the output.
  EXPECT_EQ(rows_of_parts(4, {.kernel = 2, .pad_begin = 1, .pad_end = 1}, 8, Beside::zeros), (Rows{{0, 4}}));
  EXPECT_EQ(rows_of_parts(4, {.kernel = 2, .pad_begin = 1, .pad_end = 1}, 8, Beside::unknown), (Rows{{0, 4}}));
}

TEST(GridSizes, WhatIsNoMapOrStandsOnNoTightGridIsOnePart) {
  const Shape map{1, 1, 8, 4}, vector{1, 32}, small{1, 1, 4, 4};
  const auto rows = [](const FeatureMap& in, const FeatureMap& out, GridKind kind) {
    const FeatureGrid grid{.kind = kind, .slots = 32, .pitch = 4, .cell = 1};
    std::vector<Index> sources(static_cast<std::size_t>(layout::element_count(out.shape)), 31);
    if (layout::element_count(in.shape) < 32) sources.assign(sources.size(), 15);
    RowSlices slices;
    Rows result;
    const auto op = std::make_shared<layout::Gather>(in.shape, out.shape, sources);
    for (const RowPart& part : slices.parts(op, in, out, grid, Beside::zeros)) {
      EXPECT_EQ(part.op, op);
      result.emplace_back(part.begin, part.rows);
    }
    return result;
  };
  EXPECT_EQ(rows({map, 1}, {vector, 1}, GridKind::tight), (Rows{{0, 8}}));
  EXPECT_EQ(rows({vector, 1}, {map, 1}, GridKind::tight), (Rows{{0, 1}}));
  EXPECT_EQ(rows({map, 1}, {map, 1}, GridKind::guarded), (Rows{{0, 8}}));
  EXPECT_EQ(rows({small, 2}, {map, 1}, GridKind::tight), (Rows{{0, 4}})) << "to a larger map";
}

}  // namespace
}  // namespace tacit::graph::passes
