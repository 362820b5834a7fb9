#include "layout/operators/combined.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "layout/operators/applied_for_test.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/rounded.h"
#include "layout/operators/row_band.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

std::vector<double> times(double factor, std::vector<double> values) {
  for (double& x : values) x *= factor;
  return values;
}

const Shape kMaps{1, 2, 3, 4};
const std::vector<WindowAxis> kThreeRows{{3, 1, 1, 1, 1}, {}};

/// Twice the elements of feature maps, which come from these places: no window, whatever it does to channels.
LinearOperatorPtr twice_from(const Shape& shape, std::vector<Index> source) {
  std::vector<double> weights(source.size(), 2.0);
  return std::make_shared<Gather>(shape, shape, std::move(source), std::move(weights));
}

std::vector<Index> in_place(Index count) {
  std::vector<Index> source(static_cast<std::size_t>(count));
  for (Index e = 0; e < count; ++e) source[static_cast<std::size_t>(e)] = e;
  return source;
}

/// Of every row of four columns the last comes first.
std::vector<Index> columns_reversed(Index count) {
  std::vector<Index> source;
  for (Index e = 0; e < count; ++e) source.push_back(e - e % 4 + (3 - e % 4));
  return source;
}

TEST(Combined, OnlyFactorsOfOneBetweenEqualShapesAreLeftOut) {
  const std::vector<double> x = counted(8);
  const LinearOperatorPtr window = counted_convolution({1, 2, 4}, {1, 3, 2}, {{.kernel = 3}}),
                          matrix = std::make_shared<Contraction>(Contraction::dense({2, 4}, 2, counted(8)));
  for (const LinearOperatorPtr& op : {window, matrix}) {
    EXPECT_EQ(scaled(op, RepeatedReals(1)), op);
    EXPECT_EQ(reshaped(op, op->in_shape(), op->out_shape()), op);
    EXPECT_EQ(reshaped(op, {8}, op->out_shape())->in_shape(), Shape{8});
    const Shape flat{element_count(op->out_shape())};
    EXPECT_EQ(reshaped(op, op->in_shape(), flat)->out_shape(), flat);
    for (const auto& [rows, columns] : {std::pair(2.0, 1.0), {1.0, 2.0}, {2.0, 2.0}}) {
      const LinearOperatorPtr made = scaled(op, RepeatedReals(rows), RepeatedReals(columns));
      const std::vector<double> want = times(rows * columns, by_entries(*op, x));
      EXPECT_EQ(by_entries(*made, x), want);
      EXPECT_EQ(applied(*made, x), want);
    }
  }
}

// Twice 10^308 is no number. A mean of two that is one window with the doubling before it has a weight of 1.
TEST(Combined, AWindowThatTakesNoMoreProductsThanItsPartsIsAppliedAsOne) {
  const LinearOperatorPtr doubled =
      std::make_shared<Convolution>(Shape{1, 1, 4}, Shape{1, 1, 4}, std::vector<WindowAxis>(1), 1, std::vector{2.0});
  const auto mean = [&](Index kernel, Index stride, Index outputs) {
    const Composed both(std::make_shared<AveragePool>(Shape{1, 1, 4}, Shape{1, 1, outputs},
                                                      std::vector<WindowAxis>{{kernel, stride, 1, 0, 0}}, false),
                        doubled);
    EXPECT_TRUE(both.one_window());
    return applied(both, {1e308, 0, 0, 0})[0];
  };
  EXPECT_EQ(mean(2, 2, 1), 1e308);         // two products instead of four
  EXPECT_EQ(mean(2, 2, 2), 1e308);         // as many
  EXPECT_TRUE(std::isinf(mean(3, 1, 2)));  // six
}

TEST(Combined, SumsOfTwoWindowsAloneAreWindows) {
  const Shape in{1, 2, 4}, out{1, 3, 2};
  const LinearOperatorPtr three = counted_convolution(in, out, {{.kernel = 3}}),
                          one = counted_convolution(in, out, {{.kernel = 1}}), list = listed(*three);
  const Sum windows(three, one);
  ASSERT_TRUE(windows.one_window());
  EXPECT_EQ(windows.one_window()->held, 3 * 2 * 3 + 3 * 2);
  for (const auto& [left, right] : {std::pair(three, list), {list, three}, {list, list}}) {
    const Sum sum(left, right);
    EXPECT_FALSE(sum.one_window());
    EXPECT_EQ(applied(sum, counted(8)), times(2, by_entries(*three, counted(8))));
  }
}

TEST(Combined, SumsHaveShortRowsWhereBothPartsHaveThem) {
  const LinearOperatorPtr same = std::make_shared<Identity>(Shape{2}),
                          moved = std::make_shared<Gather>(Shape{2}, Shape{2}, std::vector<Index>{1, 0}),
                          list = listed(*moved);
  EXPECT_TRUE(same->has_short_rows());
  EXPECT_TRUE(moved->has_short_rows());
  EXPECT_FALSE(list->has_short_rows());
  EXPECT_TRUE(Sum(same, moved).has_short_rows());
  EXPECT_FALSE(Sum(same, list).has_short_rows());
  EXPECT_FALSE(Sum(list, moved).has_short_rows());
  EXPECT_FALSE(Sum(list, list).has_short_rows());
  const LinearOperatorPtr window = counted_convolution({1, 1, 2}, {1, 1, 2}, {{}});
  EXPECT_FALSE(Sum(window, window).has_short_rows());
}

TEST(Combined, RowsAreSelectedWithStructureWhereTheOuterPartKeepsThem) {
  const LinearOperatorPtr inner = counted_convolution(kMaps, kMaps, kThreeRows);
  const RowSelection selection{kMaps, kMaps, 1, -1, -1, 0, 2};
  const auto op = std::make_shared<Composed>(twice_from(kMaps, columns_reversed(24)), inner);
  EXPECT_FALSE(op->one_window());
  const LinearOperatorPtr some = op->selected(selection);
  ASSERT_NE(some, nullptr);
  EXPECT_EQ(by_entries(*some, counted(16)), by_entries(RowBand(op, selection), counted(16)));
  // One element is enough that comes from another row, the first or the last.
  for (const Index moved : {0, 23}) {
    std::vector<Index> source = in_place(24);
    source[static_cast<std::size_t>(moved)] = 4;
    EXPECT_EQ(Composed(twice_from(kMaps, source), inner).selected(selection), nullptr) << moved;
  }
}

TEST(Combined, RowsBetweenThePartsAreThoseOfTheResult) {
  const Shape out{1, 4, 3, 2};
  const auto selects = [&](const Shape& middle) {
    const Composed op(twice_from(out, in_place(24)), counted_convolution(middle, middle, std::vector<WindowAxis>(2)));
    return op.selected({middle, out, 1, 0, 0, 0, middle[2]}) != nullptr;
  };
  EXPECT_TRUE(selects(out));
  EXPECT_FALSE(selects({2, 2, 3, 2}));  // another batch,
  EXPECT_FALSE(selects({1, 2, 6, 2}));  // more rows,
  EXPECT_FALSE(selects({1, 2, 3, 4}));  // more columns
}

TEST(Combined, SumsAreSelectedWithStructureWhereBothPartsAre) {
  const LinearOperatorPtr window = counted_convolution(kMaps, kMaps, kThreeRows), list = listed(*window);
  const RowSelection selection{kMaps, kMaps, 1, -1, -1, 0, 2};
  EXPECT_NE(Sum(window, window).selected(selection), nullptr);
  EXPECT_EQ(Sum(window, list).selected(selection), nullptr);
  EXPECT_EQ(Sum(list, window).selected(selection), nullptr);
}

TEST(Combined, AFactorOfZeroHidesTheWindow) {
  const LinearOperatorPtr window = counted_convolution({1, 2, 4}, {1, 3, 2}, {{.kernel = 3}});
  const RepeatedReals rows({1, 2, 3}, 2), no_row({1, 0, 2}, 2), columns({1, 2}, 4), no_column({1, 0}, 4);
  EXPECT_TRUE(scaled(window, rows, columns)->window_pattern());
  EXPECT_FALSE(scaled(window, no_row, columns)->window_pattern());
  EXPECT_FALSE(scaled(window, rows, no_column)->window_pattern());
}

TEST(Combined, FactorsOfChannelsStayThoseOfChannelsWhereRowsAreLeftOut) {
  for (const std::vector<double>& factors : {std::vector<double>{2, 3}, {2, 3, 5}}) {
    const auto channels = static_cast<Index>(factors.size());
    const Shape in{1, channels, 3, 4};
    const LinearOperatorPtr op =
        scaled(counted_convolution(in, kMaps, kThreeRows), RepeatedReals({7, 11}, 12), RepeatedReals(factors, 12));
    const RowSelection selection{in, kMaps, 1, -1, -1, 0, 2};
    const LinearOperatorPtr some = op->selected(selection);
    const auto* around = dynamic_cast<const Scaled*>(some.get());
    ASSERT_NE(around, nullptr);
    EXPECT_EQ(around->columns().values(), factors);
    EXPECT_EQ(around->columns().run(), 8);
    const std::vector<double> x = counted(8 * channels);
    EXPECT_EQ(by_entries(*some, x), by_entries(RowBand(op, selection), x));
  }
}

TEST(Repeated, SignedSumsFollowEachOther) {
  // The first row reads the second weight alone, and the last the first.
  const std::vector<WindowAxis> axes{{2, 1, 1, 1, 1}};
  const std::vector<double> weights{1, -2};
  const Repeated op(std::make_shared<Convolution>(Shape{1, 1, 2}, Shape{1, 1, 3}, axes, 1, weights), 2);
  EXPECT_EQ(op.signed_sums().positive, (std::vector<double>{0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(op.signed_sums().negative, (std::vector<double>{-2, -2, 0, -2, -2, 0}));
}

TEST(Repeated, IsSelectedTensorByTensorAlone) {
  const Repeated op(std::make_shared<Composed>(twice_from(kMaps, columns_reversed(24)),
                                               counted_convolution(kMaps, kMaps, kThreeRows)),
                    3);
  const Shape three{3, 2, 3, 4}, six{6, 1, 3, 4};
  EXPECT_NE(op.selected({three, three, 1, -1, -1, 0, 2}), nullptr);
  EXPECT_EQ(op.selected({three, six, 1, -1, -1, 0, 2}), nullptr);
  EXPECT_EQ(op.selected({six, three, 1, -1, -1, 0, 2}), nullptr);
}

TEST(Movement, AddsToWhatIsThere) {
  // A number behind what is read and behind what is written, which belongs to neither.
  const std::vector<double> in = counted(7);
  const auto moved = [&](const LinearOperator& op, std::size_t outputs, std::size_t lanes) {
    std::vector<double> out(outputs * lanes + 1, 100.0);
    op.apply(std::span<const double>(in).first(6), std::span(out).first(outputs * lanes), lanes);
    return out;
  };
  EXPECT_EQ(moved(Identity(Shape{2}), 2, 3), (std::vector<double>{101, 102, 103, 104, 105, 106, 100}));
  const std::vector<Index> source{2, Gather::kNothing, 0, 2};
  EXPECT_EQ(moved(Gather({3}, {4}, source), 4, 2), (std::vector<double>{105, 106, 100, 100, 101, 102, 105, 106, 100}));
  EXPECT_EQ(moved(Gather({3}, {4}, source, {2, 3, -1, 0.5}), 4, 2),
            (std::vector<double>{110, 112, 100, 100, 99, 98, 102.5, 103, 100}));
}

TEST(Rounded, RoundsSumsOfEntriesAndKeepsThoseOfZero) {
  const auto gather = [](const std::vector<Index>& source, const std::vector<double>& weights) {
    return std::make_shared<Gather>(Shape{2}, Shape{3}, source, weights);
  };
  const LinearOperatorPtr left = gather({0, 1, 1}, {0.25, -0.25, 0.25}), right = gather({0, 1, 0}, {0.25, -0.25, 2.6});
  const Rounded op(std::make_shared<Sum>(left, right));
  RowEntries entries;
  for (Index row = 0; row < 3; ++row) op.append_row(row, entries);
  EXPECT_EQ(entries.columns, (std::vector<Index>{0, 1, 0, 1}));
  EXPECT_EQ(entries.weights, (std::vector<double>{1, -1, 3, 0}));  // of 0.5, -0.5, 2.6 and 0.25
}

}  // namespace
}  // namespace tacit::layout
