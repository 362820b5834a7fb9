#include "graph/passes/linear_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

/// Of so many elements, by a kernel of 4096, of which pads leave one element or a few.
LinearNode transposed(std::int64_t elements) {
  Sketch s;
  std::vector<double> kernel(4096);
  std::iota(kernel.begin(), kernel.end(), 1.0);
  const TensorId x = s.input({1, 1, elements});
  s.node("ConvTranspose", {x, s.constant({1, 1, 4096}, kernel)}, {1, 1, elements - 4095},
         {{"pads", std::vector<std::int64_t>{4095, 4095}}});
  return linear_operator(s.graph, s.graph.nodes[0]);
}

/// A list of 2^24 entries is the longest.
TEST(LinearNodes, TransposedConvolutionsAreHeldAsAListUpToABound) {
  const LinearNode made = transposed(4096);
  EXPECT_EQ(made.op->in_shape(), (Shape{1, 1, 4096}));
  EXPECT_EQ(made.op->out_shape(), (Shape{1, 1, 1}));
  layout::RowEntries row;
  made.op->append_row(0, row);
  ASSERT_EQ(row.size(), 4096U);
  for (std::size_t k = 0; k < row.size(); ++k)
    ASSERT_EQ(row.weights[k], 4096 - static_cast<double>(row.columns[k])) << "the last element meets the first weight";
  EXPECT_THAT(base::refusal([] { transposed(4097); }),
              HasSubstr("its matrix has 1.68e+07 entries, which are held as a list, and 1.68e+07 is the most; use "
                        "Resize and Conv in its place"));
}

}  // namespace
}  // namespace tacit::graph::passes
