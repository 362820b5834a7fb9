#include "layout/repeating_weights.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "layout/operators/movement.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

/// Of tensors of so many ciphertexts of 2 x 2 elements in so many slots, the others of which may hold anything.
Layout loose(Index ciphertexts, Index slots) {
  return Layout({ciphertexts, 2, 2}, {{0, ciphertexts, 1, ""}}, {{1, slots / 2, 1, ""}, {2, 2, 1, ""}}, {})
      .filled(Fill::unknown);
}

std::optional<Diagonals> repeating(const Layout& layout, const LinearOperatorPtr& op) {
  return RepeatingDiagonals({layout, layout, op}).of();
}

TEST(RepeatingWeights, OfEveryDiagonalAreAsShortAsTheyRepeat) {
  // Each ciphertext reads itself, with a weight for every column, and the other one with the same weight everywhere.
  const Layout two = loose(2, 16);
  const LinearMap map{two, two,
                      std::make_shared<SparseRows>(two.shape(), two.shape(), [](Index row, RowEntries& entries) {
                        entries.add(row, row % 2 == 0 ? 3 : 5);
                        entries.add((row + 4) % 8, 7);
                      })};
  const RepeatingDiagonals diagonals(map);
  const DiagonalBlock itself{{0, {3, 5}}}, other{{0, {7}}};
  const std::optional<Diagonals> whole = diagonals.of();
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->blocks, (std::vector<std::vector<DiagonalBlock>>{{itself, other}, {other, itself}}));
  EXPECT_EQ(whole->set.blocks, 4);
  EXPECT_EQ(whole->set.count.products, 4);
  EXPECT_EQ(whole->set.count.density, 6.0 / (4 * 16));
  const std::optional<Diagonals> first = diagonals.of(0), second = diagonals.of(1);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->blocks, (std::vector<std::vector<DiagonalBlock>>{{itself, other}, {{}, {}}}));
  EXPECT_EQ(second->blocks, (std::vector<std::vector<DiagonalBlock>>{{{}, {}}, {other, itself}}));
}

TEST(RepeatingWeights, RepeatWithTheInnermostDigitsOfOneDimension) {
  const Shape shape{2, 4};
  const Layout layout = Layout(shape, {}, {{0, 4, 1, ""}, {1, 2, 2, ""}, {1, 2, 1, ""}}, {}).filled(Fill::unknown);
  const auto by_column = std::make_shared<Gather>(shape, shape, std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7},
                                                  std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4});
  const std::optional<Diagonals> made = repeating(layout, by_column);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->blocks[0][0], (DiagonalBlock{{0, {1, 2, 3, 4}}}));
}

// Weights that repeat after all slots say nothing.
TEST(RepeatingWeights, RepeatInLessThanAPeriodOfTheLayouts) {
  const Layout square = Layout::row_major({2, 2}, 4).filled(Fill::unknown),
               line = Layout::row_major({4}, 4).filled(Fill::unknown);
  EXPECT_TRUE(repeating(square, std::make_shared<Identity>(Shape{2, 2})).has_value());
  EXPECT_FALSE(repeating(line, std::make_shared<Identity>(Shape{4})).has_value());
}

TEST(RepeatingWeights, AreLookedForInUpTo4096Blocks) {
  const auto found = [](Index inputs, Index outputs) {
    const Layout in = loose(inputs, 8), out = loose(outputs, 8);
    const LinearMap map{in, out,
                        std::make_shared<SparseRows>(in.shape(), out.shape(), [&](Index row, RowEntries& entries) {
                          entries.add(row % (4 * inputs), 1);
                        })};
    return RepeatingDiagonals(map).of(0).has_value();
  };
  EXPECT_TRUE(found(64, 64));
  EXPECT_FALSE(found(64, 65));
}

// More rows of 64 slots than a byte counts.
TEST(RepeatingWeights, OfManySlotsThatAllMatterAreCounted) {
  const Shape shape{256, 64};
  const Layout full = Layout::row_major(shape, 16384).filled(Fill::unknown);
  const std::optional<Diagonals> made = repeating(full, std::make_shared<Identity>(shape));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->blocks[0][0], (DiagonalBlock{{0, {1}}}));
  EXPECT_EQ(made->set.count.density, 1.0 / 16384);
}

}  // namespace
}  // namespace tacit::layout
