#include "graph/slots/batch_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "graph/attribute.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {
namespace {

std::size_t products(const Network& network) {
  return static_cast<std::size_t>(std::ranges::count_if(
      network.values, [](const Value& value) { return std::holds_alternative<Product>(value.operation); }));
}

TEST(BatchProducts, FeaturesOfAPolynomialAreOneProduct) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  std::vector<TensorId> features;
  for (const auto& pair : {std::vector<double>{0, 1}, {1, 2}, {2, 2}, {0, 2}}) {
    const TensorId picked = s.node("Gather", {x, s.constant({2}, pair)}, {1, 2}, {{"axis", std::int64_t{1}}});
    features.push_back(s.node("ReduceProd", {picked}, {1, 1}, {{"axes", std::vector<std::int64_t>{1}}}));
  }
  features.push_back(x);
  const TensorId all = s.node("Concat", features, {1, 7}, {{"axis", std::int64_t{1}}});
  s.output(s.node("MatMul", {all, s.constant({7, 1}, {1, 10, 100, 1000, 1, 1, 1})}, {1, 1}));
  const Network before = fold(linearise(recognise(s.graph))), after = batch_products(before);
  EXPECT_EQ(products(before), 4U);
  EXPECT_EQ(products(after), 1U);
  const std::vector<Tensor> input{Tensor{{1, 3}, {2, 3, 5}, false}};
  EXPECT_DOUBLE_EQ(evaluate(before, input)[before.outputs[0]][0], 6 + 150 + 2500 + 10000 + 10);
  EXPECT_DOUBLE_EQ(evaluate(after, input)[after.outputs[0]][0], 6 + 150 + 2500 + 10000 + 10);
}

TEST(BatchProducts, SquaresStaySquaresAndOtherProductsAsTheyAre) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  std::vector<TensorId> sums;
  for (const double shift : {1.0, -2.0, 3.0}) {
    const TensorId moved = s.node("Add", {x, s.constant({1, 2}, {shift, -shift})}, {1, 2});
    sums.push_back(s.node("ReduceSumSquare", {moved}, {1, 1}, {{"axes", std::vector<std::int64_t>{1}}}));
  }
  s.output(s.node("Concat", sums, {1, 3}, {{"axis", std::int64_t{1}}}));
  const Network after = batch_products(fold(linearise(recognise(s.graph))));
  ASSERT_EQ(products(after), 1U);
  for (const Value& value : after.values)
    if (const auto* product = std::get_if<Product>(&value.operation)) {
      EXPECT_EQ(product->left, product->right);
      EXPECT_EQ(element_count(value.shape), 6);
    }
  EXPECT_EQ(evaluate(after, {Tensor{{1, 2}, {1, 1}, false}})[after.outputs[0]], (std::vector<double>{4, 10, 20}));

  Sketch chain;  // one product on another: nothing to put side by side
  const TensorId y = chain.input({1, 2});
  const TensorId square = chain.node("Mul", {y, y}, {1, 2});
  chain.output(chain.node("Mul", {square, y}, {1, 2}));
  EXPECT_EQ(products(batch_products(fold(linearise(recognise(chain.graph))))), 2U);
}

TEST(BatchProducts, TwoAreOne) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  std::vector<TensorId> features;
  for (const auto& pair : {std::vector<double>{0, 1}, {2, 2}}) {
    const TensorId picked = s.node("Gather", {x, s.constant({2}, pair)}, {1, 2}, {{"axis", std::int64_t{1}}});
    features.push_back(s.node("ReduceProd", {picked}, {1, 1}, {{"axes", std::vector<std::int64_t>{1}}}));
  }
  const TensorId both = s.node("Concat", features, {1, 2}, {{"axis", std::int64_t{1}}});
  s.output(s.node("MatMul", {both, s.constant({2, 1}, {1, 10})}, {1, 1}));
  const Network before = fold(linearise(recognise(s.graph))), after = batch_products(before);
  EXPECT_EQ(products(before), 2U);
  EXPECT_EQ(products(after), 1U);
  EXPECT_DOUBLE_EQ(evaluate(after, {Tensor{{1, 3}, {2, 3, 5}, false}})[after.outputs[0]][0], 6 + 250);
}

TEST(BatchProducts, SideBySideTheyFillABoundedNumberOfElements) {
  // Two squares with these numbers of elements. The first elements are added up.
  const auto products_of = [](layout::Index left, layout::Index right) {
    const auto first_of = [](layout::Index from, layout::Index to) -> layout::LinearOperatorPtr {
      return std::make_shared<layout::SparseRows>(Shape{1, from}, Shape{1, to},
                                                  [](layout::Index, layout::RowEntries& row) { row.add(0, 1.0); });
    };
    Network network;
    network.add({Private{}, {1, 4}, "x", "", {}});
    network.add({Affine{{{0, first_of(4, left)}}}, {1, left}, "a", "", {}});
    network.add({Affine{{{0, first_of(4, right)}}}, {1, right}, "b", "", {}});
    network.add({Product{1, 1}, {1, left}, "p", "", {}});
    network.add({Product{2, 2}, {1, right}, "q", "", {}});
    network.add({Affine{{{3, first_of(left, 1)}, {4, first_of(right, 1)}}}, {1, 1}, "y", "", {}});
    network.outputs = {5};
    return products(batch_products(network));
  };
  EXPECT_EQ(products_of(3, 4), 1u);
  EXPECT_EQ(products_of(4000, 96), 1u);
  EXPECT_EQ(products_of(4000, 97), 2u);
  EXPECT_EQ(products_of(4097, 1), 2u);
}

// An input, three linear maps of it, and products that a sum reads.
TEST(BatchProducts, ProductsThatOthersReadOrWhoseFactorsAreNoMapsStayAlone) {
  const Shape shape{1, 2};
  const auto same = std::make_shared<layout::SparseRows>(
      shape, shape, [](layout::Index row, layout::RowEntries& entries) { entries.add(row, 2.0); });
  // Returns the elements of the remaining products. With `read_twice`, the second sum reads the first product or the
  // input.
  const auto elements = [&](const Product& first, const Product& second, bool read_twice) {
    Network network;
    const auto add = [&](auto operation) {
      return network.add({.operation = std::move(operation), .shape = shape, .node = "n", .op = "Op", .range = {}});
    };
    add(Private{});
    for (int i = 0; i < 3; ++i) add(Affine{{{0, same}}});
    const ValueId p = add(first), q = add(second);
    const ValueId sum = add(Affine{{{p, same}, {q, same}}}), other = add(Affine{{{read_twice ? p : 0, same}}});
    network.outputs = {sum, other};
    const Network batched = batch_products(network);
    const std::vector<Tensor> input{Tensor{shape, {3, 5}, false}};
    const auto before = evaluate(network, input), after = evaluate(batched, input);
    for (std::size_t o = 0; o < 2; ++o) EXPECT_EQ(after[batched.outputs[o]], before[network.outputs[o]]);
    std::vector<std::int64_t> result;
    for (const Value& value : batched.values)
      if (std::holds_alternative<Product>(value.operation)) result.push_back(element_count(value.shape));
    return result;
  };
  using Elements = std::vector<std::int64_t>;
  EXPECT_EQ(elements({1, 2}, {2, 3}, false), Elements{4});
  EXPECT_EQ(elements({1, 2}, {2, 3}, true), (Elements{2, 2})) << "another value reads the first one";
  EXPECT_EQ(elements({1, 0}, {2, 3}, false), (Elements{2, 2})) << "of an input";
  EXPECT_EQ(elements({0, 1}, {2, 3}, false), (Elements{2, 2}));
  EXPECT_EQ(elements({1, 2}, {2, 0}, false), (Elements{2, 2}));
  EXPECT_EQ(elements({1, 2}, {0, 0}, false), (Elements{2, 2}));
}

}  // namespace
}  // namespace tacit::graph::passes
