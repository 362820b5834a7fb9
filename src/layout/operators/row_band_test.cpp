#include "layout/operators/row_band.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "base/error.h"
#include "layout/operators/applied_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/window.h"
#include "layout/serialize.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

constexpr Index kRowsOf = 8, kColumnsOf = 8;
const Shape kIn{1, 3, kRowsOf, kColumnsOf};

std::vector<double> positive_numbers(Index count, std::mt19937& random) {
  std::uniform_real_distribution<double> number(0.5, 1);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = number(random);
  return result;
}

LinearOperatorPtr square_convolution(const Shape& in, const Shape& out, Index kernel, Index stride,
                                     std::mt19937& random) {
  const WindowAxis axis{kernel, stride, 1, kernel / 2, kernel / 2};
  return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1,
                                       positive_numbers(out[1] * in[1] * kernel * kernel, random));
}

/// Channels of `shape` behind two others.
LinearOperatorPtr placed(const Shape& shape) {
  const Index plane = shape[2] * shape[3];
  Shape out = shape;
  out[1] += 2;
  std::vector<Index> source(static_cast<std::size_t>(element_count(out)), Gather::kNothing);
  for (Index e = 0; e < element_count(shape); ++e) source[static_cast<std::size_t>(e + 2 * plane)] = e;
  return std::make_shared<Gather>(shape, out, std::move(source));
}

std::vector<double> kept(const std::vector<double>& x, const RowSelection& selection) {
  std::vector<double> result;
  for (Index e = 0; e < static_cast<Index>(x.size()); ++e) {
    const Index row = e / selection.in[3] % selection.in[2];
    if (row >= selection.begin && row < selection.begin + selection.rows)
      result.push_back(x[static_cast<std::size_t>(e)]);
  }
  return result;
}

/// What the selected entries of an operator make of x, entry by entry.
std::vector<double> expected(const LinearOperator& op, const std::vector<double>& x, const RowSelection& selection) {
  std::vector<double> y(static_cast<std::size_t>(element_count(op.out_shape())));
  for (Index row = 0; row < static_cast<Index>(y.size()); ++row)
    op.row(row, [&](Index column, double weight) {
      const Index from = column / selection.in[3] % selection.in[2], to = row / selection.out[3] % selection.out[2];
      const Index offset = from - selection.stride * to;
      if (offset >= selection.first && offset <= selection.last && from >= selection.begin &&
          from < selection.begin + selection.rows)
        y[static_cast<std::size_t>(row)] += weight * x[static_cast<std::size_t>(column)];
    });
  return y;
}

void expect_selected(const LinearOperatorPtr& op, const RowSelection& selection, std::mt19937& random) {
  const std::vector<double> x = positive_numbers(element_count(selection.in), random);
  const std::vector<double> want = expected(*op, x, selection);
  const LinearOperatorPtr structured = selected(op, selection);
  const auto band = std::make_shared<RowBand>(op, selection);
  ByteWriter writer;
  write_operator(writer, *band);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "operator");
  const LinearOperatorPtr read = read_operator(reader);
  reader.expect_end();
  for (const LinearOperatorPtr& made : {structured, LinearOperatorPtr(band), read}) {
    EXPECT_EQ(made->in_shape(), selection.kept());
    const std::vector<double> got = applied(*made, kept(x, selection));
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t e = 0; e < got.size(); ++e) ASSERT_NEAR(got[e], want[e], 1e-12) << e;
  }
}

struct BandCase {
  const char* name;
  LinearOperatorPtr op;
  Shape in, out;
  Index stride;
  bool structured;  // a selection of it has structure
};

std::vector<BandCase> cases(std::mt19937& random) {
  const Shape same{1, 4, kRowsOf, kColumnsOf}, half{1, 4, kRowsOf / 2, kColumnsOf / 2};
  const LinearOperatorPtr plain = square_convolution(kIn, same, 3, 1, random),
                          point = square_convolution(kIn, same, 1, 1, random),
                          strided = square_convolution(kIn, half, 3, 2, random);
  const LinearOperatorPtr placed_plain = composed(placed(same), plain);
  const Shape six{1, 6, kRowsOf, kColumnsOf}, pooled{1, 6, kRowsOf / 2, kColumnsOf / 2};
  const WindowAxis two{2, 2, 1, 0, 0};
  const auto pool = std::make_shared<AveragePool>(six, pooled, std::vector<WindowAxis>{two, two}, false);
  const RepeatedReals rows = RepeatedReals::of(positive_numbers(element_count(same), random)),
                      columns = RepeatedReals::of(positive_numbers(element_count(kIn), random));
  Shape in3 = kIn, same3 = same;
  in3[0] = same3[0] = 3;
  return {
      {"3 x 3", plain, kIn, same, 1, true},
      {"1 x 1", point, kIn, same, 1, true},
      {"5 x 5", square_convolution(kIn, same, 5, 1, random), kIn, same, 1, true},
      {"stride", strided, kIn, half, 2, true},
      {"factors", scaled(plain, rows, columns), kIn, same, 1, true},
      {"concatenation", std::make_shared<Sum>(placed_plain, composed(placed(same), point)), kIn, six, 1, true},
      {"batch", repeated(scaled(plain, rows, columns), 3), in3, same3, 1, true},
      {"pool of a convolution", composed(pool, placed_plain), kIn, pooled, 2, true},
      {"convolution behind a concatenation", composed(square_convolution(six, same, 3, 1, random), placed(same)), same,
       same, 1, true},
      {"list", std::make_shared<SparseRows>(SparseRows::of(*plain)), kIn, same, 1, false},
  };
}

TEST(RowBand, SelectsEntriesByTheRowsThatTheyRead) {
  std::mt19937 random(5);
  for (const BandCase& at : cases(random)) {
    SCOPED_TRACE(at.name);
    const std::vector<Index> all = row_offsets(*at.op, at.in, at.out, at.stride);
    RowSelection selection{at.in, at.out, at.stride, all.front(), all.back(), 0, at.in[2]};
    expect_selected(at.op, selection, random);
    for (Index offset = all.front(); offset <= all.back(); ++offset) {
      selection.first = selection.last = offset;
      for (const auto& [begin, rows] :
           {std::pair(Index{0}, at.in[2]), {Index{0}, at.in[2] - 1}, {Index{1}, at.in[2] - 1}}) {
        selection.begin = begin;
        selection.rows = rows;
        expect_selected(at.op, selection, random);
      }
    }
    selection = {at.in, at.out, at.stride, -1, 0, 0, at.in[2]};
    expect_selected(at.op, selection, random);
    EXPECT_EQ(dynamic_cast<const RowBand*>(selected(at.op, selection).get()) == nullptr, at.structured);
  }
}

TEST(RowBand, FindsTheOffsetsOfWindowsAndLists) {
  std::mt19937 random(6);
  const std::vector<Index> three{-1, 0, 1}, one{0}, five{-2, -1, 0, 1, 2}, pooled{-1, 0, 1, 2};
  const std::vector<std::vector<Index>> offsets{three, one, five, three, three, three, three, pooled, three, three};
  const std::vector<BandCase> all = cases(random);
  ASSERT_EQ(all.size(), offsets.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(row_offsets(*all[i].op, all[i].in, all[i].out, all[i].stride), offsets[i]) << all[i].name;
  // A dilated window skips rows, and a tap without weights reads none.
  const Shape out{1, 1, kRowsOf, kColumnsOf}, in{1, 1, kRowsOf, kColumnsOf};
  const WindowAxis dilated{3, 1, 3, 3, 3}, point{};
  const Convolution window(in, out, {dilated, point}, 1, {1, 0, 1});
  EXPECT_EQ(row_offsets(window, in, out, 1), (std::vector<Index>{-3, 3}));
  EXPECT_EQ(row_offsets(SparseRows::of(window), in, out, 1), (std::vector<Index>{-3, 3}));
  // By another stride than the window's own, offsets differ from row to row.
  EXPECT_EQ(row_offsets(Convolution(in, out, {point, point}, 1, {1}), in, out, 2).size(), 8u);
}

TEST(RowBand, OfABatchIsThatOfEveryPart) {
  std::mt19937 random(7);
  Shape in = kIn, out{2, 4, kRowsOf, kColumnsOf};
  in[0] = 2;
  const LinearOperatorPtr one = square_convolution(kIn, {1, 4, kRowsOf, kColumnsOf}, 3, 1, random);
  const RowBand band(repeated(one, 2), {in, out, 1, -1, -1, 0, kRowsOf - 1});
  const LinearOperatorPtr part = band.equal_part(2);
  ASSERT_NE(part, nullptr);
  const RowBand of_one(one, {kIn, {1, 4, kRowsOf, kColumnsOf}, 1, -1, -1, 0, kRowsOf - 1});
  const std::vector<double> x = positive_numbers(element_count(of_one.in_shape()), random);
  EXPECT_EQ(applied(*part, x), applied(of_one, x));
  EXPECT_EQ(band.equal_part(3), nullptr);
}

TEST(RowBand, KeptRowsAreASlice) {
  std::mt19937 random(8);
  for (const Index batch : {1, 3})
    for (const auto& [begin, rows] : {std::pair(Index{0}, Index{7}), {Index{1}, Index{7}}, {Index{3}, Index{2}}}) {
      Shape in = kIn;
      in[0] = batch;
      const LinearOperatorPtr op = kept_rows(in, begin, rows);
      const std::vector<double> x = positive_numbers(element_count(in), random);
      EXPECT_EQ(applied(*op, x), kept(x, {.in = in, .out = {}, .begin = begin, .rows = rows}));
    }
}

TEST(RowBand, RefusesWhatLiesOutside) {
  std::mt19937 random(9);
  const Shape out{1, 4, kRowsOf, kColumnsOf};
  const LinearOperatorPtr op = square_convolution(kIn, out, 3, 1, random);
  const RowSelection good{kIn, out, 1, -1, -1, 0, kRowsOf - 1};
  EXPECT_NO_THROW(RowBand(op, good));
  const auto refused = [&](const auto& change) {
    RowSelection bad = good;
    change(bad);
    EXPECT_THROW(RowBand(op, bad), base::InputError);
  };
  refused([](RowSelection& s) { s.rows = 0; });
  refused([](RowSelection& s) { s.rows = kRowsOf + 1; });
  refused([](RowSelection& s) { s.begin = 2; });
  refused([](RowSelection& s) { s.begin = -1; });
  refused([](RowSelection& s) { s.stride = 0; });
  refused([](RowSelection& s) { s.first = -(Index{1} << 40); });
  refused([](RowSelection& s) { s.last = Index{1} << 62; });
  refused([](RowSelection& s) { s.in = {3, kRowsOf, kColumnsOf}; });
  refused([](RowSelection& s) { s.out = {1, 4, kRowsOf, kColumnsOf + 1}; });
}

// Output rows 0 to 3 of a map of one column read rows 1, 1, 0 and 3; a weight of 0 reads nothing.
TEST(RowBand, AnOffsetOfOneEntryIsFound) {
  const Shape shape{1, 1, 4, 1};
  const SparseRows op(shape, shape, {0, 1, 2, 3, 5}, {1, 1, 0, 3, 0}, {1, 1, 1, 1, 0});
  EXPECT_EQ(row_offsets(op, shape, shape, 1), (std::vector<Index>{-2, 0, 1}));
}

// Rows of taps without weights come before those that are selected, as many as dilated taps need to begin in the input.
TEST(RowBand, SelectsRowsOfDilatedTaps) {
  std::mt19937 random(11);
  const Index rows = kIn[2];
  for (const auto& [kernel, stride, dilation, pad] :
       {std::tuple<Index, Index, Index, Index>{3, 1, 2, 1}, {3, 1, 3, 3}, {4, 2, 2, 3}, {2, 1, 3, 0}, {3, 2, 1, 0}}) {
    const Index made = (rows + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    const Shape out{1, 3, made, kIn[3]};
    const WindowAxis y{kernel, stride, dilation, pad, pad}, x{3, 1, 1, 1, 1};
    const auto op = std::make_shared<Convolution>(kIn, out, std::vector<WindowAxis>{y, x}, 1,
                                                  positive_numbers(out[1] * kIn[1] * kernel * 3, random));
    SCOPED_TRACE(dilation);
    for (Index first = -pad; first <= (kernel - 1) * dilation - pad; ++first)
      for (const Index last : {first, first + dilation, first + 2 * dilation})
        for (const Index begin : {0, 1, 2}) {
          const RowSelection selection{kIn, out, stride, first, last, begin, rows - 2};
          expect_selected(op, selection, random);
          EXPECT_EQ(dynamic_cast<const RowBand*>(selected(op, selection).get()), nullptr);
        }
    // Rows that another stride leads to are selected entry by entry.
    const RowSelection other{kIn, out, stride + 1, -1, 1, 0, rows};
    expect_selected(op, other, random);
    EXPECT_NE(dynamic_cast<const RowBand*>(selected(op, other).get()), nullptr);
  }
}

// A window tells the offsets of all its taps. Entries tell those alone that are read.
TEST(RowBand, WindowsTellOffsetsThatNoRowReads) {
  const Shape one_row{1, 1, 1, 4};
  const Convolution op(one_row, one_row, {{3, 1, 1, 1, 1}, {}}, 1, {1, 1, 1});
  EXPECT_EQ(row_offsets(op, one_row, one_row, 1), (std::vector<Index>{-1, 0, 1}));
  EXPECT_EQ(row_offsets(SparseRows::of(op), one_row, one_row, 1), std::vector<Index>{0});
  // In two groups, of which none has a weight in the middle.
  const Shape in{1, 4, 4, 2}, out{1, 2, 4, 2};
  const Convolution grouped(in, out, {{3, 1, 1, 1, 1}, {}}, 2, {1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1});
  EXPECT_EQ(row_offsets(grouped, in, out, 1), (std::vector<Index>{-1, 1}));
}

TEST(RowBand, RowsOfOtherMapsThanTheWindowsAreFoundEntryByEntry) {
  const Shape maps{1, 2, 4, 2}, one_map{1, 1, 8, 2};
  const Convolution op(maps, maps, {{}, {}}, 1, {1, 1, 1, 1});
  EXPECT_EQ(row_offsets(op, maps, maps, 1), std::vector<Index>{0});
  EXPECT_EQ(row_offsets(op, one_map, maps, 1), (std::vector<Index>{0, 4}));
  EXPECT_EQ(row_offsets(op, maps, one_map, 1), (std::vector<Index>{-4, 0}));
}

TEST(RowBand, OfABatchHasPartsWhereItsMapsDo) {
  std::mt19937 random(12);
  const Shape two{2, 3, kRowsOf, kColumnsOf}, joined{1, 6, kRowsOf, kColumnsOf};
  const LinearOperatorPtr one = square_convolution(kIn, kIn, 3, 1, random), both = repeated(one, 2);
  const auto part = [](const LinearOperatorPtr& op, const Shape& in, const Shape& out, Index count) {
    return RowBand(op, {in, out, 1, -1, -1, 0, kRowsOf - 1}).equal_part(count);
  };
  ASSERT_NE(part(both, two, two, 2), nullptr);
  EXPECT_EQ(part(both, two, two, 2)->in_shape(), (Shape{1, 3, kRowsOf - 1, kColumnsOf}));
  EXPECT_EQ(part(both, two, two, 2)->out_shape(), kIn);
  EXPECT_EQ(part(both, joined, two, 2), nullptr);
  EXPECT_EQ(part(both, two, joined, 2), nullptr);
  EXPECT_EQ(part(one, kIn, kIn, 1), nullptr);
}

TEST(RowBand, KeptRowsOfOneTensorAreAWindow) {
  EXPECT_TRUE(kept_rows(kIn, 1, 3)->one_window());
  for (const Index batch : {1, 2, 3})
    for (const Index channels : {1, 2}) {
      const LinearOperatorPtr op = kept_rows({batch, channels, kRowsOf, kColumnsOf}, 1, 3);
      EXPECT_EQ(op->in_shape(), (Shape{batch, channels, kRowsOf, kColumnsOf}));
      EXPECT_EQ(op->out_shape(), (Shape{batch, channels, 3, kColumnsOf}));
    }
}

// Rows of taps without weights come before the selected ones only where these would begin within the input.
TEST(RowBand, SelectedTapsHoldNoMoreThanTheyNeed) {
  const Shape maps{1, 1, 8, 4}, other{1, 2, 8, 2};
  const auto selected_of = [&](const Convolution& op, Index offset, Index begin) {
    return std::dynamic_pointer_cast<const Convolution>(op.selected({maps, maps, 1, offset, offset, begin, 8 - begin}));
  };
  const auto expect = [&](Index dilation, Index pad, Index offset, Index begin, const WindowAxis& axis,
                          const std::vector<double>& weights) {
    const Convolution op(maps, maps, {{3, 1, dilation, pad, pad}, {}}, 1, {1, 2, 3});
    const auto made = selected_of(op, offset, begin);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->window().axes().front(), axis) << dilation << " " << offset << " " << begin;
    EXPECT_EQ(made->weights(), weights) << dilation << " " << offset << " " << begin;
  };
  expect(1, 1, -1, 0, {1, 1, 1, 1, 1}, {1});
  expect(1, 1, 0, 0, {1, 1, 1, 0, 1}, {2});
  expect(1, 1, 1, 0, {2, 1, 1, 0, 1}, {0, 3});
  expect(1, 1, 0, 2, {1, 1, 1, 2, 1}, {2});
  expect(2, 3, -3, 0, {1, 1, 2, 3, 3}, {1});
  expect(2, 3, 1, 0, {2, 1, 2, 1, 3}, {0, 3});
  expect(2, 0, 4, 0, {3, 1, 2, 0, 0}, {0, 0, 3});
  const Convolution op(maps, maps, {{3, 1, 1, 1, 1}, {}}, 1, {1, 2, 3});
  EXPECT_EQ(op.selected({other, maps, 1, 0, 0, 0, 8}), nullptr);
  EXPECT_EQ(op.selected({maps, other, 1, 0, 0, 0, 8}), nullptr);
}

}  // namespace
}  // namespace tacit::layout
