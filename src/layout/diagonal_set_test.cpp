#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "layout/diagonals.h"
#include "layout/equal_parts.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

using Indices = std::vector<Index>;

/// A window that counts how often one of its rows is read.
class CountedWindow final : public LinearOperator {
 public:
  explicit CountedWindow(const std::shared_ptr<const Convolution>& op)
      : LinearOperator(op->in_shape(), op->out_shape()), op_(op) {}
  void append_row(Index row, RowEntries& entries) const override {
    ++rows_read_;
    op_->append_row(row, entries);
  }
  std::optional<WindowPattern> window_pattern() const override { return op_->window_pattern(); }
  Index rows_read() const { return rows_read_; }

 private:
  std::shared_ptr<const Convolution> op_;
  mutable std::atomic<Index> rows_read_ = 0;
};

std::shared_ptr<const Convolution> padded_window(const Shape& in, const Shape& out, Index kernel) {
  const WindowAxis axis{kernel, 1, 1, kernel / 2, kernel / 2};
  const std::vector<double> weights(static_cast<std::size_t>(out[1] * in[1] * kernel * kernel), 1.0);
  return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1, weights);
}

/// The set is that of the diagonals, and so many rows were read for it.
void expect_rows_read(const std::shared_ptr<const Convolution>& op, const Layout& in, const Layout& out, Index rows) {
  SCOPED_TRACE(in.to_string() + " -> " + out.to_string());
  const auto counted = std::make_shared<CountedWindow>(op);
  const DiagonalSet set = diagonal_set({in, out, counted}), made = diagonals({in, out, op}).set;
  EXPECT_EQ(counted->rows_read(), rows);
  EXPECT_EQ(set.diagonals, made.diagonals);
  EXPECT_EQ(set.blocks, made.blocks);
  EXPECT_EQ(set.count.products, made.count.products);
}

TEST(DiagonalSet, OfAWindowOverManyPlacesReadsNoRowWhereTheAxesJoin) {
  const auto between = [](const std::shared_ptr<const Convolution>& op, const Shape& in, const Shape& out, Index rows) {
    expect_rows_read(op, Layout::row_major(in, 256), Layout::row_major(out, 256), rows);
  };
  const auto one = padded_window({1, 3, 4, 4}, {1, 2, 4, 4}, 3), two = padded_window({2, 3, 4, 4}, {2, 2, 4, 4}, 3);
  between(one, {1, 3, 4, 4}, {1, 2, 4, 4}, 0);
  between(two, {2, 3, 4, 4}, {2, 2, 4, 4}, 0);
  // Axes of the layouts that the window joins, and axes of one position in front.
  between(two, {2, 3, 2, 2, 4}, {2, 2, 4, 2, 2}, 0);
  between(one, {1, 1, 1, 3, 4, 4}, {1, 1, 2, 4, 4}, 0);
  between(one, {3, 4, 4}, {2, 4, 4}, 0);
  // Axes of the window that a layout joins: every row is read once.
  between(two, {2, 3, 16}, {2, 2, 4, 4}, 2 * 2 * 16);
  between(two, {2, 3, 4, 4}, {2, 2, 16}, 2 * 2 * 16);
}

TEST(DiagonalSet, OfAWindowOverUpToFourPlacesReadsTheRows) {
  const auto in_place = [](const Shape& shape, Index rows) {
    const Layout layout = Layout::row_major(shape, 64);
    expect_rows_read(padded_window(shape, shape, 1), layout, layout, rows);
  };
  in_place({1, 8, 2, 2}, 8 * 4);
  in_place({1, 8, 1, 5}, 0);
}

// So many places that their sums are not all made before they are looked at.
TEST(DiagonalSet, OfManyPlacesAddsUpThoseOfTheAxes) {
  constexpr Index kRows = 257, kColumns = 256, kPlaces = kRows * kColumns;
  const Shape shape{1, 1, kRows, kColumns};
  const Layout apart(shape, {{2, kRows, 1, ""}, {3, kColumns, 1, ""}}, {{kReplica, 2, 1, ""}}, {});
  const LinearMap map{apart, apart, padded_window(shape, shape, 1)};
  const DiagonalSet set = diagonal_set(map);
  EXPECT_EQ(set.blocks, kPlaces);
  EXPECT_EQ(set.count.products, kPlaces);
  EXPECT_EQ(set.diagonals, std::set<Index>{0});
  const std::vector<Indices> inputs = inputs_of_outputs(map);
  ASSERT_EQ(inputs.size(), static_cast<std::size_t>(kPlaces));
  for (Index e = 0; e < kPlaces; ++e) ASSERT_EQ(inputs[static_cast<std::size_t>(e)], Indices{e});
}

// Each ciphertext reads itself on three diagonals and the next one on one.
TEST(DiagonalSet, OfVeryManyBlocksCountsEachOnce) {
  constexpr Index kMany = 4097;  // squared, times 64 slots, more than 2^30
  const Shape shape{kMany, 2};
  const Layout layout(shape, {{0, kMany, 1, ""}}, {{1, 64, 1, ""}}, {});
  const auto op = std::make_shared<SparseRows>(shape, shape, [](Index row, RowEntries& entries) {
    const Index first = row - row % 2;
    entries.add(first, 1);
    entries.add(first + 1, 1);
    entries.add((row + 2) % (2 * kMany), 1);
  });
  const LinearMap map{layout, layout, op};
  const DiagonalSet set = diagonal_set(map);
  EXPECT_EQ(set.blocks, 2 * kMany);
  EXPECT_EQ(set.count.products, 4 * kMany);
  EXPECT_EQ(set.diagonals, (std::set<Index>{0, 1, 63}));
  const std::vector<Indices> inputs = inputs_of_outputs(map);
  ASSERT_EQ(inputs.size(), static_cast<std::size_t>(kMany));
  for (Index i = 0; i + 1 < kMany; ++i) ASSERT_EQ(inputs[static_cast<std::size_t>(i)], (Indices{i, i + 1}));
  EXPECT_EQ(inputs.back(), (Indices{0, kMany - 1}));
}

TEST(DiagonalSet, HoldsDiagonalsOnBothSidesOfAWord) {
  const Shape shape{192};
  const auto op = std::make_shared<SparseRows>(shape, shape, [](Index row, RowEntries& entries) {
    for (const Index diagonal : {0, 63, 64, 65, 127, 128})
      if (row + diagonal < 192) entries.add(row + diagonal, 1);
  });
  const DiagonalSet set = diagonal_set({Layout::row_major(shape, 256), Layout::row_major(shape, 256), op});
  EXPECT_EQ(set.diagonals, (std::set<Index>{0, 63, 64, 65, 127, 128}));
  EXPECT_EQ(set.count.products, 6);
  EXPECT_EQ(set.blocks, 1);
}

TEST(DiagonalSet, DensityOfOneDiagonalIsThatOfItsWeightsAndOfNoneAPeriod) {
  // Four elements sixteen times: a period is a sixteenth of the slots, and equal weights take one.
  const Layout four = Layout::row_major({4}, 64);
  const LinearMap same{four, four, std::make_shared<Identity>(Shape{4})}, none{four, four, no_entries({4}, {4})};
  EXPECT_EQ(diagonal_set(same).count.density, 4.0 / 64);
  EXPECT_EQ(diagonals(same).set.count.products, 1);
  EXPECT_EQ(diagonals(same).set.count.density, 1.0 / 64);
  EXPECT_EQ(diagonal_set(none).count.products, 0);
  EXPECT_EQ(diagonal_set(none).count.density, 4.0 / 64);
  EXPECT_EQ(diagonals(none).set.count.density, 4.0 / 64);
  // Where the output may hold unknown numbers, it is known that weights repeat.
  const Layout loose({2, 2}, {}, {{0, 8, 1, ""}, {1, 2, 1, ""}}, {Fill::unknown, Fill::unknown});
  const LinearMap repeating{loose, loose, std::make_shared<Identity>(Shape{2, 2})},
      empty{loose, loose, no_entries({2, 2}, {2, 2})};
  EXPECT_EQ(diagonal_set(repeating).count.products, 1);
  EXPECT_EQ(diagonal_set(repeating).count.density, 1.0 / 16);
  EXPECT_EQ(diagonal_set(empty).count.products, 0);
  EXPECT_EQ(diagonal_set(empty).count.density, 1);
}

TEST(DiagonalSet, EveryCopyReadsTheCopyInItsPlace) {
  for (const Index copies : {2, 4}) {
    const Layout beside({4}, {}, {{0, 4, 1, ""}, {kReplica, copies, 1, ""}}, {});
    const DiagonalSet set = diagonal_set({beside, beside, std::make_shared<Identity>(Shape{4})});
    EXPECT_EQ(set.diagonals, std::set<Index>{0}) << copies;
    EXPECT_EQ(set.count.products, 1) << copies;
  }
}

TEST(DiagonalSet, OfOneOutputLeavesTheOthersEmpty) {
  const Layout two = Layout::row_major({2, 4}, 4);
  ASSERT_EQ(two.ciphertexts(), 2);
  const LinearMap map{two, two, std::make_shared<Identity>(Shape{2, 4})};
  for (const Index output : {0, 1}) {
    const Diagonals made = diagonals(map, output);
    EXPECT_EQ(made.set.blocks, 1);
    for (const std::size_t j : {0, 1})
      for (const std::size_t i : {0, 1})
        EXPECT_EQ(made.blocks[j][i].size(), j == i && static_cast<Index>(j) == output ? 1U : 0U) << j << " " << i;
  }
  EXPECT_EQ(diagonals(map).set.blocks, 2);
}

TEST(EqualParts, AreGroupsOfTheFirstDimensionThatAreFull) {
  const auto count = [](const char* layout, Index times) {
    const Layout parsed = Layout::parse(layout);
    const auto op = std::make_shared<Repeated>(std::make_shared<Identity>(Shape{1, 4}), times);
    return equal_parts({parsed, parsed, op}).count;
  };
  EXPECT_EQ(count("[4,4] across(d0:4/1) within(d1:4/1) junk()", 4), 4);
  EXPECT_EQ(count("[4,4] across(d0:2/2) within(d0:2/1 d1:4/1) junk()", 4), 2);
  EXPECT_EQ(count("[6,4] across(d0:2/4) within(d0:4/1 d1:4/1) junk()", 6), 1);  // half of the last is free
  EXPECT_EQ(count("[4,4] across() within(d0:4/1 d1:4/1) junk()", 4), 1);
  EXPECT_EQ(count("[4,4] across(d1:2/2) within(d0:4/1 d1:2/1) junk()", 4), 1);
  EXPECT_EQ(count("[4,4] across(d1:2/2 d0:4/1) within(d1:2/1) junk()", 4), 1);
}

}  // namespace
}  // namespace tacit::layout
