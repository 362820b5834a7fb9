#include "graph/passes/write_out_distances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/operators_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

using Integers = std::vector<std::int64_t>;

/// Squared distances of [1, 2] from three rows, in the form of a Scan, and their reader.
Graph from_rows(const std::vector<double>& rows, const std::string& reader = "Identity") {
  Sketch s;
  const TensorId x = s.input({1, 2}), w = s.constant({3, 1, 2}, rows);
  const TensorId difference = s.node("Sub", {x, w}, {3, 1, 2});
  const TensorId sums =
      s.node("ReduceSumSquare", {difference}, {3, 1}, {{"axes", Integers{2}}, {"keepdims", std::int64_t{0}}});
  const TensorId turned = s.node("Transpose", {sums}, {1, 3}, {{"perm", Integers{1, 0}}});
  s.output(s.node(reader, {turned}, {1, 3}));
  return s.graph;
}

std::vector<double> output_for_pair(const Graph& graph, const std::vector<double>& x) {
  return reference::run(graph, std::vector<Tensor>{{{1, 2}, x, false}}).at(0).data;
}

TEST(WriteOutDistances, SumsOfSquaredDifferencesBecomeProducts) {
  const Graph made = write_out_distances(from_rows({0, 0, 1, -1, 4, 2}));
  EXPECT_THAT(operators_of(made), Not(Contains("ReduceSumSquare")));
  EXPECT_THAT(operators_of(made), Contains("Gemm").Times(1));
  const auto square = std::ranges::find(made.nodes, std::string("Mul"), &Node::op);
  ASSERT_NE(square, made.nodes.end());
  EXPECT_EQ(made.tensors[square->outputs[0]].shape, (Shape{1, 2})) << "a square for every feature, and none for a row";
  EXPECT_THAT(output_for_pair(made, {3, 1}), ElementsAre(10, 8, 2));
  EXPECT_THAT(output_for_pair(made, {1, -1}), ElementsAre(2, 0, 18));
}

TEST(WriteOutDistances, RowsFarFromZeroAreCentred) {
  const Graph made = write_out_distances(from_rows({2000, 0, 2001, -1, 2005, 2}));
  const auto centred = std::ranges::find(made.nodes, std::string("Sub"), &Node::op);
  ASSERT_NE(centred, made.nodes.end());
  EXPECT_THAT(made.constant(centred->inputs[1]).data, ElementsAre(2002, 0)) << "the second feature stays";
  EXPECT_THAT(output_for_pair(made, {2003, 1}), ElementsAre(10, 8, 5));
  EXPECT_THAT(operators_of(write_out_distances(from_rows({-1, 0, 0, -1, 1, 1}))), Not(Contains("Sub")));
}

TEST(WriteOutDistances, ARootReadsNoNegativeDistance) {
  EXPECT_THAT(operators_of(write_out_distances(from_rows({0, 0, 1, -1, 4, 2}, "Sqrt"))), Contains("Relu"));
  EXPECT_THAT(operators_of(write_out_distances(from_rows({0, 0, 1, -1, 4, 2}, "Exp"))), Not(Contains("Relu")));
}

TEST(WriteOutDistances, PowersAndNormsAreDistancesToo) {
  Sketch s;
  const TensorId x = s.input({1, 1, 2}), w = s.constant({3, 2}, {0, 0, 1, -1, 4, 2});
  const TensorId difference = s.node("Sub", {w, x}, {1, 3, 2});
  const TensorId square = s.node("Pow", {difference, s.constant({}, {2})}, {1, 3, 2});
  const TensorId axes = s.constant({1}, {-1});
  s.output(s.node("ReduceSum", {square, axes}, {1, 3}, {{"keepdims", std::int64_t{0}}}));
  s.output(s.node("ReduceL2", {difference}, {1, 3, 1}, {{"axes", Integers{2}}, {"keepdims", std::int64_t{1}}}));
  const Graph made = write_out_distances(s.graph);
  EXPECT_THAT(operators_of(made), Not(Contains("Pow")));
  const std::vector<Tensor> outputs = reference::run(made, std::vector<Tensor>{{{1, 1, 2}, {1, -4}, false}});
  EXPECT_THAT(outputs.at(0).data, ElementsAre(17, 9, 45));
  EXPECT_EQ(outputs[1].shape, (Shape{1, 3, 1}));
  EXPECT_THAT(outputs.at(1).data,
              ElementsAre(testing::DoubleNear(4.1231056, 1e-6), 3, testing::DoubleNear(6.7082039, 1e-6)));
}

TEST(WriteOutDistances, OtherSumsStayAsTheyAre) {
  const auto operators = [](const Shape& input, const Shape& rows, Integers axes, const Shape& out) {
    Sketch s;
    const TensorId x = s.input(input);
    std::vector<double> numbers(static_cast<std::size_t>(element_count(rows)), 1);
    Shape wide = rows.size() > input.size() ? rows : input;
    wide.back() = std::max(input.back(), rows.back());
    const TensorId difference = s.node("Sub", {x, s.constant(rows, numbers)}, wide);
    s.output(s.node("ReduceSumSquare", {difference}, out, {{"axes", std::move(axes)}, {"keepdims", std::int64_t{0}}}));
    return operators_of(write_out_distances(s.graph));
  };
  EXPECT_THAT(operators({1, 2}, {1, 2}, {1}, {1}), ElementsAre("Sub", "ReduceSumSquare")) << "one row";
  EXPECT_THAT(operators({1, 2}, {3, 1, 2}, {1}, {3, 2}), ElementsAre("Sub", "ReduceSumSquare")) << "another axis";
  EXPECT_THAT(operators({3, 2}, {3, 2}, {1}, {3}), ElementsAre("Sub", "ReduceSumSquare")) << "several points";
}

}  // namespace
}  // namespace tacit::graph::passes
