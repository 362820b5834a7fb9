#include "layout/operators/skewed_gather.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/refusal_for_test.h"
#include "layout/serialize.h"

namespace tacit::layout {
namespace {

// out[t, i, j] = in[i, (i + j + t) modulo 3], of a matrix of two rows
const SkewedGather::Places kRowsThatTurn{.strides = {0, 3, 0}, .turns = {1, 1, 1}, .extent = 3, .stride = 1};

TEST(SkewedGather, ACoordinateTurnsWithOthers) {
  const SkewedGather op({2, 3}, {3, 2, 4}, kRowsThatTurn);
  for (Index t = 0; t < 3; ++t)
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 4; ++j) {
        RowEntries entries;
        op.append_row((t * 2 + i) * 4 + j, entries);
        ASSERT_EQ(entries.size(), 1u);
        EXPECT_EQ(entries.columns[0], 3 * i + (i + j + t) % 3);
        EXPECT_EQ(entries.weights[0], 1.0);
      }
}

TEST(SkewedGather, TwoLanesAreMovedAlikeAndAdded) {
  const SkewedGather op({2, 3}, {3, 2, 4}, kRowsThatTurn);
  std::vector<double> in(12), out(48, 100.0);
  std::iota(in.begin(), in.end(), 0.0);
  op.apply(in, out, 2);
  for (Index row = 0; row < 24; ++row) {
    RowEntries entries;
    op.append_row(row, entries);
    for (Index lane = 0; lane < 2; ++lane)
      EXPECT_EQ(out[static_cast<std::size_t>(2 * row + lane)],
                100.0 + static_cast<double>(2 * entries.columns[0] + lane));
  }
}

TEST(SkewedGather, AFileHoldsItInAFewBytes) {
  const SkewedGather op({64, 64}, {64, 64, 64}, {.strides = {0, 64, 0}, .turns = {1, 1, 1}, .extent = 64, .stride = 1});
  ByteWriter writer;
  write_operator(writer, op);
  const std::vector<std::uint8_t> bytes = writer.take();
  EXPECT_LT(bytes.size(), 300u);
  ByteReader reader(bytes, "operator");
  const LinearOperatorPtr read = read_operator(reader);
  ASSERT_EQ(read->out_shape(), op.out_shape());
  for (Index row = 0; row < element_count(op.out_shape()); row += 997) {
    RowEntries first, second;
    op.append_row(row, first);
    read->append_row(row, second);
    EXPECT_EQ(first.columns, second.columns) << row;
  }
}

TEST(SkewedGather, MatricesOfAStackAreEqualParts) {
  // out[s, t, i, j] = in[s, i, (i + j + t) modulo 3], of six matrices
  const SkewedGather stack({6, 2, 3}, {6, 3, 2, 4},
                           {.strides = {6, 0, 3, 0}, .turns = {0, 1, 1, 1}, .extent = 3, .stride = 1});
  EXPECT_EQ(stack.equal_part(4), nullptr);
  for (const Index count : {2, 3, 6}) {
    const auto part = stack.equal_part(count);
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(part->in_shape(), (Shape{6 / count, 2, 3}));
    const Index rows = 24 * 6 / count, read = 36 / count;
    for (Index row = 0; row < 24 * 6; ++row) {
      RowEntries whole, of_part;
      stack.append_row(row, whole);
      part->append_row(row % rows, of_part);
      EXPECT_EQ(whole.columns[0], of_part.columns[0] + row / rows * read) << row;
    }
  }
  // One matrix that all of a stack read, and a stack that turns.
  EXPECT_EQ(SkewedGather({2, 3}, {6, 2, 3}, {.strides = {0, 3, 1}, .turns = {0, 0, 0}}).equal_part(2), nullptr);
  EXPECT_EQ(SkewedGather({6}, {6, 6}, {.strides = {1, 0}, .turns = {0, 0}}).equal_part(7), nullptr);
  EXPECT_EQ(SkewedGather({6}, {6, 6}, {.strides = {0, 0}, .turns = {1, 0}, .extent = 6, .stride = 1}).equal_part(2),
            nullptr);
}

TEST(SkewedGather, PlacesOutsideTheInputAreRefused) {
  const auto why = [](SkewedGather::Places places) {
    return base::refusal([&] { SkewedGather({2, 3}, {3, 2, 4}, std::move(places)); });
  };
  SkewedGather::Places places = kRowsThatTurn;
  EXPECT_EQ(why(places), base::kNotRefused);
  places.stride = 2;
  EXPECT_EQ(why(places), "skewed gather: a source lies outside the input");
  places.stride = 3;
  EXPECT_EQ(why(places), "skewed gather: the turning coordinate leaves the input");
  places = kRowsThatTurn;
  places.strides[1] = -3;
  EXPECT_EQ(why(places), "skewed gather: a stride or a turn is outside the input");
  places = kRowsThatTurn;
  places.turns[0] = Index{1} << 60;
  EXPECT_EQ(why(places), "skewed gather: a stride or a turn is outside the input");
  places.turns = {1, 1};
  EXPECT_EQ(why(places), "skewed gather: one stride and one turn per dimension of the result");
  places = kRowsThatTurn;
  places.extent = 0;
  EXPECT_EQ(why(places), "skewed gather: the turning coordinate leaves the input");
  places.extent = 7;
  EXPECT_EQ(why(places), "skewed gather: the turning coordinate leaves the input");
}

}  // namespace
}  // namespace tacit::layout
