#include "graph/passes/operator_rows.h"

#include <gtest/gtest.h>

#include <memory>

#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

layout::SparseRows rows(layout::Shape in, layout::Shape out, std::vector<Index> begin, std::vector<Index> columns,
                        std::vector<double> weights) {
  return {std::move(in), std::move(out), std::move(begin), std::move(columns), std::move(weights)};
}

TEST(OperatorRows, OnlyOnesOnTheDiagonalAreTheIdentity) {
  EXPECT_TRUE(is_identity(rows({2}, {2}, {0, 1, 2}, {0, 1}, {1, 1})));
  EXPECT_TRUE(is_identity(rows({4}, {2, 2}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, 1, 1, 1}))) << "shapes may differ";
  EXPECT_TRUE(is_identity(rows({2}, {2}, {0, 2, 3}, {0, 0, 1}, {0.5, 0.5, 1}))) << "entries of one place add up";
  EXPECT_FALSE(is_identity(rows({2}, {2}, {0, 1, 2}, {0, 1}, {1, 2})));
  EXPECT_FALSE(is_identity(rows({2}, {2}, {0, 1, 2}, {1, 0}, {1, 1})));
  EXPECT_FALSE(is_identity(rows({2}, {2}, {0, 2, 3}, {0, 1, 1}, {1, 1, 1}))) << "an entry elsewhere";
  EXPECT_FALSE(is_identity(rows({3}, {2}, {0, 1, 2}, {0, 1}, {1, 1}))) << "fewer rows than columns";
  EXPECT_FALSE(is_identity(rows({2}, {3}, {0, 1, 2, 2}, {0, 1}, {1, 1}))) << "more rows than columns";
}

TEST(OperatorRows, CountsTheEntriesOfRows) {
  EXPECT_EQ(entries_of_rows(rows({2}, {2}, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, 4})), 2u);
}

TEST(OperatorRows, APrunedConvolutionStaysOne) {
  std::vector<double> weights(std::size_t{4 * 4 * 9}, 0.0);
  for (std::size_t i = 0; i < weights.size(); i += 7) weights[i] = 1;
  const layout::WindowAxis axis{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const auto pruned = std::make_shared<layout::Convolution>(layout::Shape{1, 4, 13, 13}, layout::Shape{1, 4, 13, 13},
                                                            std::vector{axis, axis}, 1, std::move(weights));
  EXPECT_EQ(without_repeated_work(pruned), pruned);
}

TEST(OperatorRows, EntriesThatRepeatAreMergedWhereTheyAreMany) {
  const auto streamed = std::make_shared<layout::SparseRows>(rows({1}, {1}, {0, 5}, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}));
  const auto merged = without_repeated_work(streamed);
  ASSERT_NE(merged, streamed);
  EXPECT_EQ(apply(*merged, {2}), (std::vector<double>{10}));
  const auto single = std::make_shared<layout::SparseRows>(rows({2}, {1}, {0, 2}, {0, 1}, {1, 2}));
  EXPECT_EQ(without_repeated_work(single), single);
}

/// The rows that count are the first, the last, and the one in the middle.
TEST(OperatorRows, CountsTheMostEntriesOfAFewRows) {
  EXPECT_EQ(entries_of_rows(rows({2}, {3}, {0, 2, 3, 3}, {0, 1, 0}, {1, 2, 3})), 2u);
  EXPECT_EQ(entries_of_rows(rows({2}, {3}, {0, 1, 3, 3}, {0, 0, 1}, {1, 2, 3})), 2u);
  EXPECT_EQ(entries_of_rows(rows({2}, {3}, {0, 1, 1, 3}, {0, 0, 1}, {1, 2, 3})), 2u);
  EXPECT_EQ(entries_of_rows(rows({2}, {1}, {0, 1}, {0}, {1})), 1u);
}

/// Rows take the place of an operator that streams more than twice as many entries, zeros not counted.
TEST(OperatorRows, HalfOfTheEntriesAreEnoughToStay) {
  const auto stays = [](std::vector<Index> columns, std::vector<double> weights) {
    const auto count = static_cast<Index>(columns.size());
    const auto op =
        std::make_shared<layout::SparseRows>(rows({3}, {1}, {0, count}, std::move(columns), std::move(weights)));
    return without_repeated_work(op) == op;
  };
  EXPECT_TRUE(stays({0, 0, 0, 1, 2}, {1, 1, 1, 1, 1}));
  EXPECT_FALSE(stays({0, 0, 0, 1, 1}, {1, 1, 1, 1, 1}));
  EXPECT_FALSE(stays({0, 0, 0, 0, 1, 1}, {1, 1, 1, 1, 0, 1}));
  EXPECT_TRUE(stays({0, 0, 0, 0, 1}, {1, 0, 1, 0, 1}));
}

/// Rows at multiples of `step` have entries in `width` columns, and stream them three times; the others have none.
class Repeating final : public layout::LinearOperator {
 public:
  Repeating(Index count, Index step, Index width) : LinearOperator({width}, {count}), step_(step), width_(width) {}
  void append_row(Index row, layout::RowEntries& entries) const override {
    if (row % step_ != 0) return;
    for (Index k = 0; k < 3 * width_; ++k) entries.add(k % width_, 1);
  }

 private:
  Index step_, width_;
};

/// 2^23 entries at most, by the rows that are looked at: of 2^17 rows every 2049th, which are 64.
TEST(OperatorRows, OperatorsOfManyDifferentEntriesStay) {
  const auto stays = [](Index width) {
    const auto op = std::make_shared<Repeating>(Index{1} << 17, 2049, width);
    return without_repeated_work(op) == op;
  };
  EXPECT_FALSE(stays(64));
  EXPECT_TRUE(stays(65));
}

/// Every row of less than 128 is looked at, and every third from there on.
TEST(OperatorRows, FewRowsAreLookedAtOneByOne) {
  // Rows 1 and 2 of three repeat theirs, and row 0 does not.
  const auto few = std::make_shared<layout::SparseRows>(
      rows({1}, {3}, {0, 1, 6, 11}, std::vector<Index>(11, 0), std::vector<double>(11, 1)));
  EXPECT_NE(without_repeated_work(few), few);
  // The rows between the multiples of 3 repeat their entries, among 128 rows.
  std::vector<Index> begin{0};
  for (Index row = 0; row < 128; ++row) begin.push_back(begin.back() + (row % 3 == 0 ? 1 : 5));
  const auto count = static_cast<std::size_t>(begin.back());
  const auto many = std::make_shared<layout::SparseRows>(
      rows({1}, {128}, begin, std::vector<Index>(count, 0), std::vector<double>(count, 1)));
  EXPECT_EQ(without_repeated_work(many), many);
}

TEST(OperatorRows, TwiceTheEntriesAreNotMore) {
  const auto doubled = std::make_shared<layout::SparseRows>(rows({2}, {1}, {0, 4}, {0, 0, 1, 1}, {1, 1, 1, 1}));
  EXPECT_EQ(without_repeated_work(doubled), doubled);
}

TEST(OperatorRows, TheMiddleRowIsAtHalfOfThem) {
  EXPECT_EQ(entries_of_rows(rows({2}, {5}, {0, 1, 1, 3, 3, 3}, {0, 0, 1}, {1, 2, 3})), 2u);
  EXPECT_EQ(entries_of_rows(rows({2}, {5}, {0, 0, 0, 0, 0, 0}, {}, {})), 0u);
}

TEST(OperatorRows, OperatorsWithoutRowsHaveNoEntries) {
  EXPECT_EQ(entries_of_rows(Repeating(0, 1, 2)), 0u);
  EXPECT_EQ(entries_of_rows(Repeating(1, 1, 2)), 6u);
}

}  // namespace
}  // namespace tacit::graph::passes
