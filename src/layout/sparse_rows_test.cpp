#include "layout/sparse_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/diagonals.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/window.h"
#include "layout/serialize.h"

namespace tacit::layout {
namespace {

using Indices = std::vector<Index>;
using Reals = std::vector<double>;

TEST(SparseRows, RowsColumnsAndWeightsFitEachOther) {
  // Three rows of a matrix with two columns; the second row is empty.
  const auto made = [](const Indices& begin, const Indices& columns, const Reals& weights) {
    return base::refusal([&] { SparseRows({2}, {3}, begin, columns, weights); });
  };
  EXPECT_EQ(made({0, 1, 1, 3}, {1, 0, 1}, {2, 3, 4}), base::kNotRefused);
  EXPECT_EQ(made({0, 0, 0, 0}, {}, {}), base::kNotRefused);
  EXPECT_EQ(made({0, 1, 3}, {1, 0, 1}, {2, 3, 4}), "linear operator: one row per output element");
  EXPECT_EQ(made({0, 1, 1, 3, 3}, {1, 0, 1}, {2, 3, 4}), "linear operator: one row per output element");
  EXPECT_EQ(made({0, 1, 1, 3}, {1, 0, 1}, {2, 3}), "linear operator: one weight per column");
  EXPECT_EQ(made({1, 1, 1, 3}, {1, 0, 1}, {2, 3, 4}), "linear operator: the rows cover all entries");
  EXPECT_EQ(made({0, 1, 1, 2}, {1, 0, 1}, {2, 3, 4}), "linear operator: the rows cover all entries");
  EXPECT_EQ(made({0, 2, 1, 3}, {1, 0, 1}, {2, 3, 4}), "linear operator: rows in rising order");
  EXPECT_EQ(made({0, -1, 1, 3}, {1, 0, 1}, {2, 3, 4}), "linear operator: rows in rising order");
  EXPECT_EQ(made({0, 1, 1, 3}, {2, 0, 1}, {2, 3, 4}), "linear operator: every column lies in the input");
  EXPECT_EQ(made({0, 1, 1, 3}, {1, -1, 1}, {2, 3, 4}), "linear operator: every column lies in the input");
  EXPECT_EQ(made({0, 1, 1, 3}, {1, 0, 1}, {2, HUGE_VAL, 4}), "linear operator: every weight is finite");
}

TEST(SparseRows, EntriesAreSortedAddedUpAndTransposed) {
  const SparseRows twice({3}, {2}, {0, 4, 7}, {2, 0, 2, 1, 1, 0, 1}, {1, 2, 3, 0, 5, 7, -5});
  const SparseRows rows = SparseRows::of(twice);
  EXPECT_EQ(rows.row_begin(), (Indices{0, 2, 3}));
  EXPECT_EQ(rows.columns(), (Indices{0, 2, 0}));
  EXPECT_EQ(rows.weights(), (Reals{2, 4, 7}));
  const SparseRows transposed = SparseRows::transpose_of(twice);
  EXPECT_EQ(transposed.in_shape(), Shape{2});
  EXPECT_EQ(transposed.out_shape(), Shape{3});
  EXPECT_EQ(transposed.row_begin(), (Indices{0, 2, 2, 3}));
  EXPECT_EQ(transposed.columns(), (Indices{0, 1, 0}));
  EXPECT_EQ(transposed.weights(), (Reals{2, 7, 4}));
  EXPECT_FALSE(has_no_entries(rows));
  EXPECT_TRUE(has_no_entries(*no_entries({3}, {2})));
  EXPECT_FALSE(has_no_entries(Identity({3})));
  EXPECT_EQ(no_entries({3}, {2})->out_shape(), Shape{2});
}

// Rows are taken some at a time: more than that, of few entries and of many, from any row on.
TEST(SparseRows, RowsAreAddedUpHoweverManyThereAre) {
  for (const Index columns : {3, 300})
    for (const std::size_t lanes : {1, 2, 16, 17}) {
      const Index rows = 600, first = 5;
      Reals matrix;
      for (Index e = 0; e < rows * columns; ++e) matrix.push_back(static_cast<double>(e % 7) - 3);
      const Contraction op = Contraction::dense({columns}, rows, matrix);
      Reals in;
      for (std::size_t i = 0; i < static_cast<std::size_t>(columns) * lanes; ++i)
        in.push_back(static_cast<double>(i % 5) - 1);
      const auto made = static_cast<std::size_t>(rows - first - 1);
      Reals out(made * lanes, 10.0), expected(made * lanes, 10.0);
      op.add_rows(first, in, out, lanes);
      for (std::size_t r = 0; r < made; ++r)
        for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c)
          for (std::size_t i = 0; i < lanes; ++i)
            expected[r * lanes + i] +=
                matrix[(r + static_cast<std::size_t>(first)) * static_cast<std::size_t>(columns) + c] *
                in[c * lanes + i];
      EXPECT_EQ(out, expected) << columns << " columns, " << lanes << " lanes";
    }
}

TEST(SparseRows, AMapJoinsLayoutsOfItsOwnSizes) {
  const auto refused = [](const Layout& in, const Layout& out, const Shape& from, const Shape& to) {
    const auto op = std::make_shared<Gather>(from, to, Indices(static_cast<std::size_t>(element_count(to)), 0));
    return base::refusal<base::InternalError>([&] { static_cast<void>(diagonals({in, out, op})); });
  };
  const Layout four = Layout::row_major({4}, 8), three = Layout::row_major({3}, 8);
  EXPECT_EQ(refused(four, three, {2, 2}, {3}), base::kNotRefused);
  EXPECT_EQ(refused(four, Layout::row_major({3}, 4), {4}, {3}),
            "a linear map joins layouts with different numbers of slots");
  EXPECT_EQ(refused(four, three, {5}, {3}), "a linear operator has another size than its layouts");
  EXPECT_EQ(refused(four, three, {4}, {4}), "a linear operator has another size than its layouts");
}

TEST(SparseRows, FactorsThatDifferFromPartToPartAreNoEqualPart) {
  const LinearOperatorPtr parts = std::make_shared<Repeated>(std::make_shared<Identity>(Shape{1, 2}), 3);
  const auto part_of = [&](const RepeatedReals& rows, const RepeatedReals& columns, Index count) {
    const Scaled op(parts, rows, columns, parts->in_shape(), parts->out_shape());
    return op.equal_part(count) != nullptr;
  };
  const RepeatedReals same = RepeatedReals::of(Reals{2, 3, 2, 3, 2, 3}),
                      other = RepeatedReals::of(Reals{1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(part_of(same, same, 3));
  EXPECT_TRUE(part_of(RepeatedReals(2), RepeatedReals(5), 3));
  EXPECT_FALSE(part_of(other, same, 3));
  EXPECT_FALSE(part_of(same, other, 3));
  EXPECT_FALSE(part_of(same, same, 2));
}

// Digits and axes may be the last that a file holds.
TEST(SparseRows, LayoutsWithoutDimensionsAndPoolsOverThreeAxesSurviveTheRoundTrip) {
  for (const char* text : {"[] across() within(copy:2) junk()", "[] across() within(copy:2 copy:4) junk()",
                           "[4,2] across(d0:2/2 d1:2/1) within(d0:2/1) junk(0)"}) {
    ByteWriter writer;
    write_layout(writer, Layout::parse(text));
    const std::vector<std::uint8_t> bytes = writer.take();
    ByteReader reader(bytes, "layout");
    EXPECT_EQ(read_layout(reader).to_string(), text);
    reader.expect_end();
  }
  const std::vector<WindowAxis> axes{{2, 2, 1, 0, 0}, {2, 1, 1, 1, 0}, {3, 1, 2, 2, 2}};
  for (const bool padded : {true, false}) {
    const AveragePool pool({1, 2, 4, 3, 4}, {1, 2, 2, 3, 4}, axes, padded);
    ByteWriter writer;
    write_operator(writer, pool);
    const std::vector<std::uint8_t> bytes = writer.take();
    ByteReader reader(bytes, "operator");
    const LinearOperatorPtr read = read_operator(reader);
    reader.expect_end();
    const SparseRows before = SparseRows::of(pool), after = SparseRows::of(*read);
    EXPECT_EQ(after.row_begin(), before.row_begin());
    EXPECT_EQ(after.columns(), before.columns());
    EXPECT_EQ(after.weights(), before.weights());
  }
}

}  // namespace
}  // namespace tacit::layout
