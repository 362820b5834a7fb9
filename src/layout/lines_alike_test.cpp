#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "layout/operators/combined.h"
#include "layout/operators/window.h"
#include "layout/rows_alike.h"

// Which rows and columns of a window's output are alike, to the row.
namespace tacit::layout {
namespace {

using Rows = std::vector<std::tuple<Index, Index, std::uint32_t>>;  // first, last, times

constexpr WindowAxis kOne{1, 1, 1, 0, 0}, kThree{3, 1, 1, 1, 1};

std::shared_ptr<const Convolution> window_of_ones(const Shape& in, const Shape& out, WindowAxis rows,
                                                  WindowAxis columns) {
  const std::vector<double> weights(static_cast<std::size_t>(out[1] * in[1] * rows.kernel * columns.kernel), 1.0);
  return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{rows, columns}, 1, weights);
}

Rows alike(const Layout& in, const Layout& out, const LinearOperatorPtr& op, Index period) {
  Rows result;
  const LinearMap map{in, out, op};
  for (const RowsAlike& some : rows_alike(map, period)) result.emplace_back(some.first, some.last, some.times);
  std::ranges::sort(result);
  return result;
}

/// One after the other, 64 at a time.
Rows one_by_one(Index rows) {
  Rows result;
  for (Index row = 0; row < rows; row += 64) result.emplace_back(row, row + 64, 1U);
  return result;
}

TEST(LinesAlike, ReadTheSameTapsOfADilatedWindow) {
  // Rows y - 3, y and y + 3: above the map for 0 to 2, below it for 5 to 7. All eight columns are alike.
  const Shape shape{1, 2, 8, 8};
  const Layout maps = Layout::guarded(shape, 8, 2, 1, {}, 128);
  EXPECT_EQ(alike(maps, maps, window_of_ones(shape, shape, {3, 1, 3, 3, 3}, kOne), 2),
            (Rows{{0, 1, 24}, {24, 25, 16}, {40, 41, 24}, {64, 65, 24}, {88, 89, 16}, {104, 105, 24}}));
}

TEST(LinesAlike, BehindTheInputReadNothing) {
  // Rows y and y + 2 of four: both, then one, then none.
  const Shape in{1, 1, 4, 8}, out{1, 1, 8, 8};
  const auto maps = [](const Shape& shape) { return Layout::guarded(shape, 8, 1, 1, {}, 64); };
  EXPECT_EQ(alike(maps(in), maps(out), window_of_ones(in, out, {2, 1, 2, 0, 0}, kOne), 1),
            (Rows{{0, 1, 16}, {16, 17, 16}, {32, 33, 32}}));
}

TEST(LinesAlike, ColumnsThatReadCopiesAreNotWhereRowsOutsideOfThemAre) {
  const Shape shape{1, 4, 8, 8};
  const Layout maps = Layout::guarded(shape, 8, 4, 1, {.copies = true, .spread = 2}, 512);
  ASSERT_EQ(maps.copies_in_period().size(), 2U);
  Rows expected;
  for (Index plane = 0; plane < 256; plane += 64)
    for (const auto& [line, times] : {std::pair<Index, std::uint32_t>{0, 1U}, {1, 6U}, {7, 1U}})
      expected.emplace_back(plane + 8 * line, plane + 8 * line + 8, times);
  EXPECT_EQ(alike(maps, maps, window_of_ones(shape, shape, kThree, kThree), 4), expected);
  // Rows of the output that lie inside of other digits.
  const Shape two{1, 2, 8, 8}, one{1, 1, 8, 8};
  const Layout outside(two, {}, {{2, 16, 1, ""}, {kReplica, 2, 1, ""}, {3, 8, 1, ""}, {1, 2, 1, ""}}, {}),
      inside(one, {}, {{kReplica, 2, 1, ""}, {2, 8, 1, ""}, {kReplica, 4, 1, ""}, {3, 8, 1, ""}}, {});
  EXPECT_EQ(alike(outside, inside, window_of_ones(two, one, kThree, kThree), 8), one_by_one(64));
}

TEST(LinesAlike, RowsOfOtherLengthsAndOtherShapesAreNot) {
  const Shape shape{1, 4, 8, 8};
  const auto same = window_of_ones(shape, shape, kThree, kThree);
  const auto pitch = [&](Index points) { return Layout::guarded(shape, points, 4, 1, {}, 512); };
  EXPECT_EQ(alike(pitch(8), pitch(16), same, 32), one_by_one(256));
  EXPECT_EQ(alike(pitch(8), pitch(8), same, 32).size(), 12U);
  // As many elements in rows of another length.
  const Layout long_rows = Layout::guarded({1, 4, 4, 16}, 16, 4, 1, {}, 512);
  EXPECT_EQ(alike(pitch(16), long_rows, same, 64), one_by_one(256));
  EXPECT_EQ(alike(long_rows, pitch(16), same, 64), one_by_one(256));
}

TEST(LinesAlike, StayAlikeBetweenFactorsByChannel) {
  const Shape shape{1, 4, 8, 8};
  const Layout maps = Layout::guarded(shape, 8, 4, 1, {}, 256);
  const auto factors = [&](const RepeatedReals& rows) {
    return std::make_shared<Scaled>(window_of_ones(shape, shape, kThree, kThree), rows, RepeatedReals(2), shape, shape);
  };
  EXPECT_EQ(alike(maps, maps, factors(RepeatedReals({1, 2, 3, 4}, 64)), 32).size(), 12U);
  EXPECT_EQ(alike(maps, maps, factors(RepeatedReals({1, 2, 3, 4}, 8)), 32), one_by_one(256));
}

TEST(LinesAlike, RowsHaveSlotsWhereTheyAreOutermostInFeatureMaps) {
  EXPECT_EQ(row_slots(Layout::guarded({1, 2, 8, 8}, 8, 2, 1, {}, 128)), std::optional<Index>(16));
  EXPECT_EQ(row_slots(Layout::guarded({1, 4, 8, 8}, 10, 4, 1, {}, 512)), std::nullopt);  // of 40 slots
  EXPECT_EQ(row_slots(Layout::row_major({1, 4, 4, 4}, 64)), std::nullopt);
  EXPECT_EQ(row_slots(Layout({2, 2, 4}, {}, {{2, 4, 1, ""}, {0, 2, 1, ""}, {1, 2, 1, ""}}, {})), std::nullopt);
}

}  // namespace
}  // namespace tacit::layout
