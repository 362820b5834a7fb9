#include "graph/passes/linear_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

/// A transposed convolution of `elements` elements, by a kernel of 4096. Pads leave one element or a few.
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

TEST(LinearNodes, EntriesOfATransposedConvolutionAreTheWeightsThatEveryElementMeets) {
  Sketch s;
  const TensorId x = s.input({1, 2, 4097}), w = s.constant({2, 1, 2048}, std::vector<double>(2 * 2048, 1));
  s.node("ConvTranspose", {x, w}, {1, 1, 2050}, {{"pads", std::vector<std::int64_t>{2047, 2047}}});
  EXPECT_THAT(base::refusal([&] { linear_operator(s.graph, s.graph.nodes[0]); }),
              HasSubstr("its matrix has 1.68e+07 entries"))
      << "2 * 4097 elements, of which each meets 2048 weights";
}

TEST(LinearNodes, BiasesOfConvolutionsAreByChannelWhereAnAxisHasOneElement) {
  Sketch s;
  const TensorId x = s.input({1, 1, 1, 3});
  s.node("Conv", {x, s.constant({2, 1, 1, 1}, {3, 4}), s.constant({2}, {5, 7})}, {1, 2, 1, 3});
  const LinearNode made = linear_operator(s.graph, s.graph.nodes[0]);
  EXPECT_EQ(made.bias.expanded(6), (std::vector<double>{5, 5, 5, 7, 7, 7}));
}

TEST(LinearNodes, OperatorsWithoutAFormOfTheirOwnAreFoundByTrial) {
  Sketch turned;
  turned.node("Einsum", {turned.input({2, 3})}, {3, 2}, {{"equation", std::string("ij->ji")}});
  layout::RowEntries row;
  linear_operator(turned.graph, turned.graph.nodes[0]).op->append_row(1, row);
  EXPECT_EQ(row.columns, std::vector<layout::Index>{3});
  EXPECT_EQ(row.weights, std::vector<double>{1});

  Sketch twice;
  const TensorId x = twice.input({1, 1, 1, 2}), sizes = twice.constant({4}, {1, 1, 1, 4});
  twice.graph.tensors[sizes].integral = twice.graph.constants.back().integral = true;
  twice.node("Resize", {x, kNoTensor, kNoTensor, sizes}, {1, 1, 1, 4}, {{"mode", std::string("nearest")}});
  row.clear();
  linear_operator(twice.graph, twice.graph.nodes[0]).op->append_row(3, row);
  row.merge();
  EXPECT_EQ(row.columns, std::vector<layout::Index>{1});
  EXPECT_EQ(row.weights, std::vector<double>{1});
}

}  // namespace
}  // namespace tacit::graph::passes
