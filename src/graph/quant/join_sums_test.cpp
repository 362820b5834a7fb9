#include "graph/quant/join_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/passes/clear_network.h"
#include "graph/passes/sketch.h"
#include "graph/quant/provenance.h"
#include "graph/quant/quantised_for_test.h"
#include "layout/operators/matrix.h"

namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::Network;
using passes::Product;
using passes::Sketch;

TEST(JoinSums, ASumOfASmallSumReadsItsTerms) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  const TensorId sum = s.node("Add", {x, y}, {1, 2});
  const TensorId next = s.node("Sub", {sum, x}, {1, 2});
  s.output(s.node("Add", {next, s.constant({1, 2}, {5, 6})}, {1, 2}));
  const Network joined = join_sums(network_of(s.graph));
  const auto& affine = std::get<Affine>(joined.values.at(joined.outputs.at(0)).operation);
  ASSERT_LE(affine.terms.size(), 2u);
  for (const passes::AffineTerm& term : affine.terms)
    EXPECT_TRUE(std::holds_alternative<passes::Private>(joined.values[term.input].operation));
  std::vector<double> numbers = affine.bias.expanded(2);
  const std::vector<double> inputs[] = {{10, 20}, {1, 2}};
  for (const passes::AffineTerm& term : affine.terms)
    term.op->apply(inputs[std::get<passes::Private>(joined.values[term.input].operation).input], numbers, 1);
  EXPECT_EQ(numbers, (std::vector<double>{6, 8}));  // y + (5, 6)
}

TEST(JoinSums, ProductsOfTwoValuesAreQuartersOfSquares) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  s.output(s.node("Mul", {x, y}, {1, 2}));
  s.output(s.node("Mul", {x, x}, {1, 2}));
  const Network written = write_out_products(network_of(s.graph));
  std::size_t products = 0;
  for (const passes::Value& value : written.values)
    if (const auto* product = std::get_if<Product>(&value.operation)) {
      ++products;
      EXPECT_EQ(product->left, product->right);
    }
  EXPECT_EQ(products, 3u);  // of the sum, of the difference, and x x as it was
  EXPECT_TRUE(std::holds_alternative<Affine>(written.values[written.outputs[0]].operation));
  EXPECT_TRUE(std::holds_alternative<Product>(written.values[written.outputs[1]].operation));
}

/// Rows of eight entries are few. Sums with rows of nine stay separate.
TEST(JoinSums, SumsOfManyEntriesStay) {
  for (const auto& [entries, values] : {std::pair{8, 2}, {9, 3}}) {
    Sketch s;
    const Shape weights{entries, 2};
    const TensorId x = s.input({1, entries});
    const TensorId a = s.node(
        "MatMul", {x, s.constant(weights, std::vector<double>(static_cast<std::size_t>(2 * entries), 1.0))}, {1, 2});
    const TensorId b = s.node("Add", {a, s.constant({1, 2}, {3, 4})}, {1, 2});
    s.output(s.node("MatMul", {b, s.constant({2, 1}, {2, -1})}, {1, 1}));
    const Network joined = join_sums(network_of(s.graph));
    EXPECT_EQ(joined.values.size(), static_cast<std::size_t>(values)) << entries;
    std::vector<double> numbers(static_cast<std::size_t>(entries), 0.5);
    numbers[0] = 7;
    const double sum = 7 + 0.5 * (entries - 1);
    EXPECT_EQ(passes::evaluate(joined, {{{1, entries}, numbers, false}}).at(joined.outputs[0]),
              std::vector<double>{2 * (sum + 3) - (sum + 4)});
  }
}

TEST(JoinSums, QuartersOfSquaresAreTheProduct) {
  Sketch s;
  const TensorId x = s.input({1, 3}), y = s.input({1, 3}, "y");
  const TensorId p = s.node("Mul", {x, y}, {1, 3});
  s.output(p);
  s.output(s.node("Add", {p, x}, {1, 3}));
  const Network written = write_out_products(network_of(s.graph));
  ASSERT_EQ(written.outputs.size(), 2u);
  const auto values = passes::evaluate(written, {{{1, 3}, {1, -2, 3}, false}, {{1, 3}, {4, 0.5, -6}, false}});
  EXPECT_EQ(values.at(written.outputs[0]), (std::vector<double>{4, -1, -18}));
  EXPECT_EQ(values.at(written.outputs[1]), (std::vector<double>{5, -3, -15}));
}

/// A gate from 0 to 1, a value of hundreds and a value far from 0. Squares are of numbers from -2 to 2, and the product
/// is the same.
TEST(JoinSums, OperandsOfAProductAreBalanced) {
  Sketch s;
  const TensorId x = s.input({1, 3}), y = s.input({1, 3}, "y");
  s.output(s.node("Mul", {x, y}, {1, 3}));
  Network network = network_of(s.graph);
  EXPECT_TRUE(has_products_to_write_out(network));
  network.values.at(0).element_ranges = {{0, 1}, {-1e-3, 1e-3}, {5, 5}};
  network.values.at(0).range = {-1e-3, 5};
  network.values.at(1).element_ranges = {{-250, 250}, {1000, 1001}, {-2, 1}};
  network.values.at(1).range = {-250, 1001};
  const Network written = write_out_products(network);
  EXPECT_FALSE(has_products_to_write_out(written));
  for (const std::vector<double>& of_x : {std::vector<double>{0, -1e-3, 5}, {1, 1e-3, 5}, {0.5, 5e-4, 5}})
    for (const std::vector<double>& of_y : {std::vector<double>{-250, 1000, -2}, {250, 1001, 1}, {3, 1000.25, 0}}) {
      const auto values = passes::evaluate(written, {{{1, 3}, of_x, false}, {{1, 3}, of_y, false}});
      for (std::size_t e = 0; e < 3; ++e) EXPECT_NEAR(values.at(written.outputs[0])[e], of_x[e] * of_y[e], 1e-9) << e;
      for (passes::ValueId id = 0; id < written.values.size(); ++id) {
        if (!std::holds_alternative<Product>(written.values[id].operation)) continue;
        for (const double square : values.at(id)) EXPECT_LE(square, 4 + 1e-9);
      }
    }
}

/// Either term may have more than eight entries.
TEST(JoinSums, SumsWithOneTermOfManyEntriesStay) {
  const auto dense = [](layout::Index columns) -> layout::LinearOperatorPtr {
    return std::make_shared<layout::Contraction>(
        layout::Contraction::dense({1, columns}, 1, std::vector<double>(static_cast<std::size_t>(columns), 2.0)));
  };
  for (const bool many_first : {true, false}) {
    const layout::Index first = many_first ? 9 : 1, second = many_first ? 1 : 9;
    Network network;
    network.add({passes::Private{0}, {1, first}, "x", "Input", {}});
    network.add({passes::Private{1}, {1, second}, "y", "Input", {}});
    network.add({Affine{{{0, dense(first)}, {1, dense(second)}}}, {1, 1}, "a", "Add", {}});
    network.add({Affine{{{2, dense(1)}}}, {1, 1}, "b", "Mul", {}});
    network.outputs = {3};
    EXPECT_EQ(join_sums(network).values.size(), 4u) << many_first;
  }
}

}  // namespace
}  // namespace tacit::graph::quant
