#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "layout/operators/window.h"

namespace tacit::layout {
namespace {

/// Positions along an axis that the window at output `o` reads, and of those the ones below `end`.
Index positions_below(const WindowAxis& axis, Index o, Index begin, Index end) {
  Index count = 0;
  for (Index k = 0; k < axis.kernel; ++k) {
    const Index at = o * axis.stride - axis.pad_begin + k * axis.dilation;
    if (at >= begin && at < end) ++count;
  }
  return count;
}

// By the definition of ONNX: with the padding, the divisor counts all positions but those behind the padded edge.
TEST(AveragePool, DividesByThePositionsThatCount) {
  const Index rows = 5, columns = 4;
  struct Case {
    WindowAxis y, x;
    Index out_rows, out_columns;
  };
  for (const Case& c : {Case{{3, 2, 2, 1, 2}, {2, 1, 1, 0, 1}, 3, 4}, Case{{2, 1, 1, 1, 0}, {3, 3, 1, 2, 1}, 6, 2},
                        Case{{4, 2, 1, 3, 1}, {1, 2, 1, 0, 0}, 4, 2}})
    for (const bool padded : {true, false}) {
      const AveragePool pool({2, 2, rows, columns}, {2, 2, c.out_rows, c.out_columns}, {c.y, c.x}, padded);
      for (Index plane = 0; plane < 4; ++plane)
        for (Index i = 0; i < c.out_rows; ++i)
          for (Index j = 0; j < c.out_columns; ++j) {
            const Index inside = positions_below(c.y, i, 0, rows) * positions_below(c.x, j, 0, columns);
            const Index all = positions_below(c.y, i, -100, rows + c.y.pad_end) *
                              positions_below(c.x, j, -100, columns + c.x.pad_end);
            std::map<Index, double> expected, found;
            for (Index r = 0; r < rows; ++r)
              for (Index s = 0; s < columns; ++s)
                if (positions_below(c.y, i, r, r + 1) * positions_below(c.x, j, s, s + 1) == 1)
                  expected[(plane * rows + r) * columns + s] = 1.0 / static_cast<double>(padded ? all : inside);
            pool.row((plane * c.out_rows + i) * c.out_columns + j,
                     [&](Index column, double weight) { found[column] += weight; });
            EXPECT_EQ(found, expected) << padded << " " << i << " " << j;
          }
    }
}

}  // namespace
}  // namespace tacit::layout
