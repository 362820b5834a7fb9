#include "layout/operators/matrix.h"

#include <gtest/gtest.h>

#include <vector>

#include "layout/operators/window.h"

namespace tacit::layout {
namespace {

using Terms = Contraction::Terms;

TEST(Matrix, SignedSumsAreThoseOfTheWeightsThatAreRead) {
  const Contraction op({3}, {2}, {{0, 0}, {0, 1}, 1, 2, 3, 2, {1, -2, 3, 4, -5, 6}});
  EXPECT_EQ(op.signed_sums().positive, (std::vector<double>{2 * (1 + 3), 2 * (4 + 6)}));
  EXPECT_EQ(op.signed_sums().negative, (std::vector<double>{2 * -5, 2 * -2}));
}

// Two rows of three weights, for each of two vectors.
TEST(Matrix, OnlyTheSameRowsEverywhereAreAWindow) {
  const auto is_window = [](const auto& change) {
    Terms terms{{0, 0, 3, 3}, {0, 3, 0, 3}, 1, 1, 3, 1, {1, 2, 3, 4, 5, 6}};
    change(terms);
    return Contraction({2, 3}, {2, 2}, terms).window_pattern().has_value();
  };
  EXPECT_TRUE(is_window([](Terms&) {}));
  EXPECT_FALSE(is_window([](Terms& t) { t.scale = 0; }));
  EXPECT_FALSE(is_window([](Terms& t) { t.count = 0; }));
  EXPECT_FALSE(is_window([](Terms& t) { t.in_step = 0; }));
  EXPECT_FALSE(is_window([](Terms& t) { t.in_base[0] = 1; }));
  EXPECT_FALSE(is_window([](Terms& t) { t.in_base[3] = 2; }));
  EXPECT_FALSE(is_window([](Terms& t) { t.weight_base[2] = 1; }));
  EXPECT_FALSE(is_window([](Terms& t) { t.weight_base[3] = 0; }));
  EXPECT_FALSE(Contraction({0}, {0}, {{}, {}, 1, 1, 2, 1, {}}).window_pattern());
}

TEST(Matrix, OfOneNumberIsAWindow) {
  const Contraction op({1}, {2}, {{0, 0}, {0, 1}, 1, 1, 1, 1, {0, 6}});
  const auto pattern = op.window_pattern();
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->window.in(), (Shape{1, 1, 1}));
  EXPECT_EQ(pattern->window.out(), (Shape{1, 2, 1}));
  EXPECT_EQ(pattern->groups, 1);
  EXPECT_FALSE(pattern->has_entry(0, 0, 0));
  EXPECT_TRUE(pattern->has_entry(1, 0, 0));
}

}  // namespace
}  // namespace tacit::layout
