#include "layout/rows_alike.h"

#include <gtest/gtest.h>

#include <random>

#include "layout/diagonals.h"
#include "layout/operators/combined.h"
#include "layout/operators/repeated.h"
#include "layout/operators/window.h"
#include "layout/repeating_weights.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

constexpr Index kChannels = 4, kRowsOf = 8, kRow = 32;  // slots of a row of maps
const Shape kMap{1, kChannels, kRowsOf, 8}, kSlice{1, kChannels, kRowsOf - 1, 8}, kHalf{1, 8, 4, 4};

std::vector<double> numbers(Index count, std::mt19937& random) {
  std::uniform_real_distribution<double> number(0.5, 1);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = number(random);
  return result;
}

LinearOperatorPtr drawn_window(const Shape& in, const Shape& out, WindowAxis rows, std::mt19937& random) {
  const WindowAxis columns{3, rows.stride, 1, 1, 1};
  return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{rows, columns}, 1,
                                       numbers(out[1] * in[1] * rows.kernel * 3, random));
}

Layout rows_first(const Shape& shape, Index slots) {
  return Layout::guarded(shape, 8, kChannels, kRowsOf / shape[3], {.maps = 1}, slots);
}

// A list of entries has no window: its rows are walked one by one.
void expect_as_by_list(const LinearMap& map) {
  const LinearMap list{map.in, map.out, std::make_shared<SparseRows>(SparseRows::of(*map.op))};
  const Index rows = element_count(map.out.shape());
  EXPECT_EQ(rows_alike(list, kRow).size(), static_cast<std::size_t>((rows + 63) / 64));
  const std::optional<Diagonals> made = RepeatingDiagonals(map).of(), expected = RepeatingDiagonals(list).of();
  ASSERT_EQ(made.has_value(), expected.has_value());
  if (made) {
    EXPECT_EQ(made->blocks, expected->blocks);
  }
  EXPECT_EQ(diagonals(map).blocks, diagonals(list).blocks);
  EXPECT_EQ(diagonal_set(map).count.products, diagonal_set(list).count.products);
}

TEST(RowsAlike, AWindowDoesTheSameToEveryRowThatItDoesNotReachBeyond) {
  std::mt19937 random(1);
  const Layout whole = rows_first(kMap, kRow * kRowsOf);
  const LinearMap map{whole, whole, drawn_window(kMap, kMap, {3, 1, 1, 1, 1}, random)};
  const std::vector<RowsAlike> rows = rows_alike(map, kRow);
  ASSERT_EQ(rows.size(), 3u * kChannels);  // the first row, the last and those between
  std::uint32_t all = 0;
  for (const RowsAlike& some : rows) {
    EXPECT_EQ(some.last - some.first, 8);
    all += some.times;
  }
  EXPECT_EQ(all, static_cast<std::uint32_t>(kChannels * kRowsOf));
  expect_as_by_list(map);
  expect_as_by_list({whole, whole.filled(Fill::unknown), map.op});
}

TEST(RowsAlike, DiagonalsAreThoseOfAllRows) {
  std::mt19937 random(2);
  for (const Index slots : {kRow * kRowsOf, 2 * kRow * kRowsOf}) {
    const Layout whole = rows_first(kMap, slots), slice = rows_first(kSlice, slots), half = rows_first(kHalf, slots);
    const LinearOperatorPtr above = drawn_window(kSlice, kMap, {1, 1, 1, 1, 0}, random),
                            middle = drawn_window(kMap, kMap, {1, 1, 1, 0, 0}, random),
                            dilated = drawn_window(kMap, kMap, {3, 1, 2, 2, 2}, random),
                            strided = drawn_window(kMap, kHalf, {3, 2, 1, 1, 1}, random);
    for (const Layout& out : {whole, whole.filled(Fill::unknown)}) {
      expect_as_by_list({slice, out, above});
      expect_as_by_list({whole, out, middle});
      expect_as_by_list({whole, out, dilated});
    }
    expect_as_by_list({whole, half, strided});
    expect_as_by_list({whole, half.filled(Fill::unknown), strided});
    // Factors by channel leave rows alike, and others do not.
    const RepeatedReals by_channel(numbers(kChannels, random), kRowsOf * 8),
        by_element = RepeatedReals::of(numbers(element_count(kMap), random));
    expect_as_by_list({slice, whole, scaled(above, by_channel)});
    EXPECT_EQ(rows_alike({whole, whole, scaled(middle, by_channel)}, kRow).size(), 1u * kChannels);
    expect_as_by_list({whole, whole, scaled(middle, by_element)});
    EXPECT_EQ(rows_alike({whole, whole, scaled(middle, by_element)}, kRow).size(), 4u);
  }
}

// Rows of a length that is no power of two, and rows in phases, with and without a stride.
TEST(RowsAlike, RowsBetweenGuardsAndInPhasesAreAlikeToo) {
  std::mt19937 random(3);
  for (const Index phases : {1, 2, 4}) {
    const auto at = [&](const Shape& shape, Index gap) {
      return Layout::guarded(shape, 10, 2, gap, {.phases = phases}, 512 / phases);
    };
    const Shape map{1, 4, 16, 8}, half{1, 8, 8, 4}, odd{1, 4, 14, 8};
    const LinearOperatorPtr same = drawn_window(map, map, {3, 1, 1, 1, 1}, random),
                            wide = drawn_window(map, map, {5, 1, 2, 4, 4}, random),
                            strided = drawn_window(map, half, {7, 2, 1, 3, 3}, random),
                            inner = drawn_window(map, odd, {3, 1, 1, 0, 0}, random);
    for (const Fill fill : {Fill::zero, Fill::unknown}) {
      expect_as_by_list({at(map, 1), at(map, 1).filled(fill), same});
      expect_as_by_list({at(map, 1), at(map, 1).filled(fill), wide});
      expect_as_by_list({at(map, 1), at(half, 2).filled(fill), strided});
      expect_as_by_list({at(map, 1), at(odd, 1).filled(fill), inner});
    }
    // Of the first phase the row at the edge and the others, of the last one, too; those of phases between are alike.
    // Of the columns, the first, the last and those between.
    EXPECT_EQ(rows_alike({at(map, 1), at(map, 1), same}, 2).size(),
              3u * 4u * static_cast<std::size_t>(phases == 1 ? 3 : phases + 2));
    EXPECT_EQ(rows_alike({at(map, 1), at(map, 1), same}, 8).size(), 8u);  // 64 elements at a time
  }
}

/// Of so many samples with elements of one dimension, in so many slots each.
Layout samples_first(Index samples, Index elements, Index sample_slots) {
  const Index across = (elements + sample_slots - 1) / sample_slots;
  return Layout({samples, elements}, {{1, across, sample_slots, ""}},
                {{0, next_power_of_two(samples), 1, ""}, {1, sample_slots, 1, ""}}, {});
}

LinearOperatorPtr drawn_matrix(Index in, Index out, double density, std::mt19937& random) {
  std::bernoulli_distribution kept(density);
  std::vector<double> weights = numbers(in * out, random);
  for (double& weight : weights) weight = kept(random) ? weight : 0;
  return std::make_shared<SparseRows>(Shape{1, in}, Shape{1, out}, [&](Index row, RowEntries& entries) {
    for (Index column = 0; column < in; ++column)
      if (const double weight = weights[static_cast<std::size_t>(row * in + column)]; weight != 0)
        entries.add(column, weight);
  });
}

TEST(RowsAlike, OneSampleStandsForAllThatAreOutermost) {
  std::mt19937 random(6);
  const LinearMap map{samples_first(3, 70, 4), samples_first(3, 9, 4), repeated(drawn_matrix(70, 9, 1, random), 3)};
  EXPECT_EQ(sample_slots(map), 4);
  const std::vector<RowsAlike> rows = rows_alike(map, 4);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].first, 0);
  EXPECT_EQ(rows[0].last, 9);
  EXPECT_EQ(rows[0].times, 3u);
  EXPECT_EQ(rows_alike(map, 16)[0].last, 27) << "a period of several samples";
}

// An operator that is not known to be repeated has its weights over a whole period first, and then shortens them.
TEST(RowsAlike, WeightsRepeatWithSamplesThatAreOutermost) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const auto draw = [&](int most) { return std::uniform_int_distribution<Index>(1, most)(random); };
    const Index samples = 1 + draw(8), slots = Index{1} << draw(4), in = draw(40), out = draw(40);
    const LinearOperatorPtr one = drawn_matrix(in, out, round % 2 == 0 ? 1 : 0.3, random);
    const LinearOperatorPtr all =
        round % 3 == 0 ? scaled(repeated(one, samples), RepeatedReals(2), RepeatedReals(3)) : repeated(one, samples);
    const LinearMap map{samples_first(samples, in, slots), samples_first(samples, out, slots), all};
    const LinearMap list{map.in, map.out, std::make_shared<SparseRows>(SparseRows::of(*all))};
    EXPECT_FALSE(sample_slots(list).has_value());
    const Diagonals made = diagonals(map), expected = diagonals(list);
    EXPECT_EQ(made.blocks, expected.blocks) << round;
    EXPECT_LE(made.set.count.density * static_cast<double>(made.set.slots), static_cast<double>(slots));
    const DiagonalSet counted = diagonal_set(map);
    EXPECT_EQ(counted.diagonals, expected.set.diagonals);
    EXPECT_EQ(counted.count.products, expected.set.count.products);
    EXPECT_NEAR(counted.count.density, expected.set.count.density, 1e-12);
    EXPECT_LE(counted.count.products, (2 * slots - 1) * map.in.ciphertexts() * map.out.ciphertexts());
  }
}

TEST(RowsAlike, SamplesElsewhereOrAtOtherDistancesAreNotAlike) {
  std::mt19937 random(8);
  const LinearOperatorPtr op = repeated(drawn_matrix(6, 6, 1, random), 4);
  const Layout first = samples_first(4, 6, 8), innermost({4, 6}, {}, {{1, 8, 1, ""}, {0, 4, 1, ""}}, {}),
               across({4, 6}, {{0, 2, 2, ""}}, {{0, 2, 1, ""}, {1, 16, 1, ""}}, {});
  EXPECT_EQ(sample_slots({first, first, op}), 8);
  for (const Layout& other : {innermost, across}) {
    EXPECT_FALSE(sample_slots({first, other, op}).has_value());
    EXPECT_FALSE(sample_slots({other, first, op}).has_value());
    EXPECT_FALSE(sample_slots({other, other, op}).has_value());
  }
}

}  // namespace
}  // namespace tacit::layout
