#include "layout/alike_lines.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>

#include "layout/diagonals.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"

namespace tacit::layout {
namespace {

std::vector<double> numbers(Index count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), 1.0);
  return result;
}

/// A layer from 4 to 6 numbers, for each of 8 tokens.
LinearOperatorPtr layer() { return std::make_shared<Contraction>(Contraction::dense({1, 8, 4}, 6, numbers(24))); }

TEST(AlikeLines, AreTheTokensOfALayer) {
  const auto lines = alike_lines(*layer(), {1, 8, 4}, {1, 8, 6});
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->out_dim, 1);
  EXPECT_EQ(lines->in_dim, 1);
}

// out[h, t, k] = in[t, 2 h + k]: tokens are another dimension of the output.
TEST(AlikeLines, AreFoundWhereHeadsComeFirst) {
  std::vector<Index> source;
  for (Index h = 0; h < 2; ++h)
    for (Index t = 0; t < 5; ++t)
      for (Index k = 0; k < 2; ++k) source.push_back(t * 4 + 2 * h + k);
  const auto lines = alike_lines(Gather({1, 5, 4}, {1, 2, 5, 2}, source), {1, 5, 4}, {1, 2, 5, 2});
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->out_dim, 2);
  EXPECT_EQ(lines->in_dim, 1);
}

TEST(AlikeLines, AreNoneIfOneLineDiffersOrReadsAnother) {
  std::vector<Index> source{0, 1, 2, 3, 4, 5};
  EXPECT_TRUE(alike_lines(Gather({3, 2}, {3, 2}, source), {3, 2}, {3, 2}));
  std::vector<Index> swapped = source;
  std::swap(swapped[4], swapped[5]);  // within the last line
  EXPECT_FALSE(alike_lines(Gather({3, 2}, {3, 2}, swapped), {3, 2}, {3, 2}));
  swapped = source;
  std::swap(swapped[1], swapped[3]);  // between lines
  EXPECT_FALSE(alike_lines(Gather({3, 2}, {3, 2}, swapped), {3, 2}, {3, 2}).value_or(AlikeLines{9, 9}).out_dim == 0);
  source[5] = Gather::kNothing;
  EXPECT_FALSE(alike_lines(Gather({3, 2}, {3, 2}, source), {3, 2}, {3, 2}));
}

// Token outermost, innermost, with copies, and in several ciphertexts.
TEST(AlikeLines, GiveTheDiagonalsOfAllRows) {
  const LinearOperatorPtr op = layer();
  const auto lines = alike_lines(*op, {1, 8, 4}, {1, 8, 6});
  ASSERT_TRUE(lines);
  const auto layouts = [](Index width) {
    const Shape shape{1, 8, width};
    const Index inside = next_power_of_two(width);
    return std::vector<Layout>{
        Layout::row_major(shape, 128), Layout::row_major(shape, 32),
        Layout(shape, {}, {{kReplica, 128 / (8 * inside), 1, ""}, {2, inside, 1, ""}, {1, 8, 1, ""}}, {}),
        Layout(shape, {}, {{1, 8, 1, ""}, {kReplica, 2, 1, ""}, {2, inside, 1, ""}}, {}),
        Layout(shape, {{1, 2, 1, ""}}, {{kReplica, 2, 1, ""}, {1, 4, 2, ""}, {2, inside, 1, ""}}, {})};
  };
  int compared = 0;
  for (const Layout& in : layouts(4))
    for (const Layout& out : layouts(6)) {
      if (in.slots() != out.slots()) continue;
      const LinearMap map{in, out, op};
      const DiagonalSet all = diagonal_set(map), some = diagonal_set(map, [&] { return lines; });
      EXPECT_EQ(some.diagonals, all.diagonals) << in.to_string() << " to " << out.to_string();
      EXPECT_EQ(some.blocks, all.blocks);
      EXPECT_EQ(some.count.products, all.count.products);
      ++compared;
    }
  EXPECT_GE(compared, 8);
  // Tokens innermost on both sides move nothing. In rows of 4 and 8 slots, every token moves by another distance.
  const auto still = moved_lines({layouts(4)[2], layouts(6)[2], op}, *lines, 64);
  ASSERT_EQ(still.size(), 1u);
  EXPECT_EQ(still[0].steps.size(), 1u);
  const auto rows = moved_lines({layouts(4)[0], layouts(6)[0], op}, *lines, 32);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].steps.size(), 8u);
}

}  // namespace
}  // namespace tacit::layout
