#include "graph/passes/probed_operator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/operator_rows.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

using Attributes = std::map<std::string, Attribute>;

/// Expects the operator to compute the same as the node on numbers that all differ.
void expect_computes(const Sketch& s) {
  const auto op = probed_operator(s.graph, s.graph.nodes[0]);
  const Shape in = s.graph.tensors[s.graph.inputs[0]].shape, out = s.graph.tensors[s.graph.outputs[0]].shape;
  EXPECT_EQ(op->in_shape(), in);
  EXPECT_EQ(op->out_shape(), out);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < element_count(in); ++i) numbers.push_back(static_cast<double>((7 * i * i + 3 * i) % 31));
  const std::vector<Tensor> inputs{{in, numbers, false}};
  EXPECT_THAT(passes::apply(*op, numbers), Pointwise(DoubleNear(1e-9), reference::run(s.graph, inputs).at(0).data));
}

Attributes equation(const char* text) { return {{"equation", std::string(text)}}; }

TEST(ProbedOperator, OfEinsumIsItsMatrix) {
  Sketch left;
  const TensorId x = left.input({2, 3});
  left.output(left.node("Einsum", {x, left.constant({3, 2}, {1, -2, 0, 3, 4, -5})}, {2, 2}, equation("ij,jk->ik")));
  expect_computes(left);
  Sketch right;
  const TensorId y = right.input({3, 2});
  right.output(right.node("Einsum", {right.constant({2, 3}, {1, -2, 0, 3, 4, -5}), y}, {2, 2}, equation("ij,jk->ki")));
  expect_computes(right);
  Sketch trace;
  trace.output(trace.node("Einsum", {trace.input({3, 3})}, {}, equation("ii->")));
  const auto op = probed_operator(trace.graph, trace.graph.nodes[0]);
  layout::RowEntries row;
  op->append_row(0, row);
  EXPECT_THAT(row.columns, ElementsAre(0, 4, 8));
  EXPECT_THAT(row.weights, ElementsAre(1, 1, 1));
}

/// Axes of every kind: kept, made longer, and made shorter.
TEST(ProbedOperator, OfResizeIsAProductOfItsAxes) {
  for (const char* mode : {"nearest", "linear"})
    for (const Shape& out : {Shape{1, 2, 6, 8}, Shape{1, 2, 5, 2}, Shape{1, 2, 3, 7}, Shape{1, 2, 2, 4}}) {
      SCOPED_TRACE(fmt::format("{} to {}", mode, graph::to_text(out)));
      Sketch s;
      const TensorId x = s.input({1, 2, 3, 4});
      const TensorId sizes = s.constant({4}, {out.begin(), out.end()});
      s.graph.tensors[sizes].integral = true;
      s.graph.constants.back().integral = true;
      s.output(s.node("Resize", {x, kNoTensor, kNoTensor, sizes}, out, {{"mode", std::string(mode)}}));
      expect_computes(s);
    }
}

/// 4096 private elements are the most, and 2^30 multiplications in as many runs.
TEST(ProbedOperator, RunsOnUnitVectorsAreBounded) {
  const auto words = [](std::int64_t elements, std::int64_t columns) {
    Sketch s;
    const TensorId x = s.input({1, elements});
    const TensorId w =
        s.constant({elements, columns}, std::vector<double>(static_cast<std::size_t>(elements * columns), 1));
    s.output(s.node("Einsum", {x, w}, {1, columns}, equation("ij,jk->ik")));
    return base::refusal([&] { probed_operator(s.graph, s.graph.nodes[0]); });
  };
  EXPECT_THAT(words(4097, 1), HasSubstr("its private operand has 4097 elements, more than 4096; write it as MatMul"));
  EXPECT_THAT(words(4096, 64), HasSubstr("finding its matrix by running it on unit vectors takes 2.16e+09 "
                                         "multiplications, and 1.07e+09 is the most; write it as MatMul"));
}

TEST(ProbedOperator, TwoPrivateOperandsAreRefused) {
  Sketch s;
  const TensorId x = s.input({2, 2}), y = s.input({2, 2}, "y");
  s.output(s.node("Einsum", {x, y}, {2, 2}, equation("ij,jk->ik")));
  EXPECT_THAT(base::refusal([&] { probed_operator(s.graph, s.graph.nodes[0]); }),
              HasSubstr("a product of two encrypted tensors has no encrypted form here"));
}

/// A Resize runs for every index of the axes that it changes: here 3 + 509 times, and 2^21 multiplications each.
TEST(ProbedOperator, RunsOfAResizeAreBounded) {
  const auto words = [](std::int64_t columns) {
    Sketch s;
    s.output(s.node("Resize", {s.input({3, 1, 509})}, {5, 1, columns}));
    return base::refusal([&] { probed_operator(s.graph, s.graph.nodes[0]); });
  };
  EXPECT_THAT(words(83825), HasSubstr("it needs either scales or sizes")) << "2^30 are not too many, and it is run";
  EXPECT_THAT(words(83826), HasSubstr("finding its matrix by running it on unit vectors takes 1.07e+09 "
                                      "multiplications, and 1.07e+09 is the most; resize smaller tensors"));
}

TEST(ProbedOperator, TheFirstAxisIsResizedToo) {
  for (const Shape& out : {Shape{4, 3}, Shape{1, 5}}) {
    SCOPED_TRACE(graph::to_text(out));
    Sketch s;
    const TensorId x = s.input({2, 3});
    const TensorId sizes = s.constant({2}, {out.begin(), out.end()});
    s.graph.tensors[sizes].integral = true;
    s.graph.constants.back().integral = true;
    s.output(s.node("Resize", {x, kNoTensor, kNoTensor, sizes}, out, {{"mode", std::string("linear")}}));
    expect_computes(s);
  }
}

}  // namespace
}  // namespace tacit::graph::passes
