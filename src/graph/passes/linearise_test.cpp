#include "graph/passes/linearise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fold.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

Tensor counting(const Shape& shape) {
  Tensor t{shape, {}, false};
  for (std::int64_t i = 0; i < element_count(shape); ++i) t.data.push_back(0.1 * static_cast<double>(i) - 1);
  return t;
}

std::vector<double> outputs_of(const Network& network, const std::vector<Tensor>& inputs) {
  return evaluate(network, inputs)[network.outputs.at(0)];
}

TEST(Linearise, StridedPaddedConvolutionWithGroups) {
  Sketch s;
  const TensorId x = s.input({1, 4, 5, 6});
  const TensorId w = s.constant({6, 2, 3, 2}, counting({6, 2, 3, 2}).data);
  const TensorId b = s.constant({6}, {1, 2, 3, 4, 5, 6});
  s.output(s.node("Conv", {x, w, b}, {1, 6, 3, 3},
                  {{"group", std::int64_t{2}},
                   {"strides", std::vector<std::int64_t>{2, 2}},
                   {"pads", std::vector<std::int64_t>{1, 0, 1, 1}},
                   {"kernel_shape", std::vector<std::int64_t>{3, 2}}}));
  const std::vector<Tensor> input{counting({1, 4, 5, 6})};
  const Network network = linearise(recognise(s.graph));
  EXPECT_THAT(outputs_of(network, input),
              testing::Pointwise(testing::DoubleNear(1e-12), reference::run(s.graph, input)[0].data));
}

TEST(Linearise, GemmWithAConstantOnTheLeftAndBothTransposed) {
  Sketch s;
  const TensorId x = s.input({2, 3});
  const TensorId a = s.constant({3, 4}, counting({3, 4}).data);
  const TensorId c = s.constant({2}, {5, 7});
  s.output(s.node("Gemm", {a, x, c}, {4, 2},
                  {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}}));
  const std::vector<Tensor> input{counting({2, 3})};
  EXPECT_THAT(outputs_of(linearise(recognise(s.graph)), input),
              testing::Pointwise(testing::DoubleNear(1e-12), reference::run(s.graph, input)[0].data));
}

TEST(Linearise, MovementsAreFoundByMarkedElements) {
  Sketch s;
  const TensorId x = s.input({2, 3});
  const TensorId t = s.node("Transpose", {x}, {3, 2}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  const TensorId joined = s.node("Concat", {t, s.constant({1, 2}, {8, 9})}, {4, 2}, {{"axis", std::int64_t{0}}});
  s.output(joined);
  const Network network = fold(linearise(recognise(s.graph)));
  ASSERT_EQ(network.values.size(), 2u);  // the input and one affine value
  EXPECT_EQ(outputs_of(network, {{{2, 3}, {1, 2, 3, 4, 5, 6}, false}}), (std::vector<double>{1, 4, 2, 5, 3, 6, 8, 9}));
}

TEST(Linearise, ResidualsBecomeOneAffineValueOfTwoTerms) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  s.output(s.node("Sub", {s.node("Neg", {x}, {1, 2}), y}, {1, 2}));
  const Network network = fold(linearise(recognise(s.graph)));
  ASSERT_EQ(network.values.size(), 3u);
  EXPECT_EQ(std::get<Affine>(network.values[2].operation).terms.size(), 2u);
  EXPECT_EQ(outputs_of(network, {{{1, 2}, {1, 2}, false}, {{1, 2}, {10, 20}, false}}), (std::vector<double>{-11, -22}));
}

TEST(Linearise, ProductsOfAxesMultiplyTheFactorsOfEachResult) {
  const std::vector<Tensor> input{counting({2, 3, 2})};
  const auto expect_the_reference = [&](const Sketch& s) {
    EXPECT_THAT(outputs_of(linearise(recognise(s.graph)), input),
                testing::Pointwise(testing::DoubleNear(1e-12), reference::run(s.graph, input)[0].data));
  };
  Sketch outer;
  const std::vector<std::int64_t> axes{0, -1};
  outer.output(
      outer.node("ReduceProd", {outer.input({2, 3, 2})}, {3}, {{"axes", axes}, {"keepdims", std::int64_t{0}}}));
  expect_the_reference(outer);
  Sketch all;
  all.output(all.node("ReduceProd", {all.input({2, 3, 2})}, {1, 1, 1}));
  expect_the_reference(all);
  Sketch none;
  none.output(none.node("ReduceProd", {none.input({2, 3, 2})}, {2, 3, 2}, {{"noop_with_empty_axes", std::int64_t{1}}}));
  expect_the_reference(none);
}

TEST(Linearise, PowersAreProductsOfSmallestDepth) {
  Sketch s;
  const TensorId x = s.input({2});
  s.output(s.node("Pow", {x, s.constant({}, {5})}, {2}));
  const Network network = linearise(recognise(s.graph));
  EXPECT_EQ(network.values.size(), 4u);  // x, x^2, x^3, x^5
  EXPECT_EQ(outputs_of(network, {{{2}, {2, -3}, false}}), (std::vector<double>{32, -243}));
}

TEST(Fold, TermsThatCancelVanish) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId zero = s.node("Sub", {x, x}, {1, 2});
  s.output(s.node("Add", {zero, s.node("Mul", {x, x}, {1, 2})}, {1, 2}));
  const Network network = fold(linearise(recognise(s.graph)));
  EXPECT_EQ(std::get<Affine>(network.values[network.outputs[0]].operation).terms.size(), 1u);
  EXPECT_EQ(outputs_of(network, {{{1, 2}, {2, -3}, false}}), (std::vector<double>{4, 9}));

  Sketch nothing;
  const TensorId y = nothing.input({1, 2});
  nothing.output(nothing.node("Sub", {y, y}, {1, 2}));
  EXPECT_THROW(fold(linearise(recognise(nothing.graph))), base::InputError);
}

TEST(Fold, BatchNormalisationAndPoolingJoinTheConvolution) {
  Sketch s;
  const TensorId x = s.input({1, 1, 4, 4});
  const TensorId w = s.constant({2, 1, 1, 1}, {2, 3});
  const TensorId c = s.node("Conv", {x, w}, {1, 2, 4, 4}, {{"kernel_shape", std::vector<std::int64_t>{1, 1}}});
  const TensorId n =
      s.node("BatchNormalization",
             {c, s.constant({2}, {1, 2}), s.constant({2}, {0, 1}), s.constant({2}, {1, 1}), s.constant({2}, {4, 1})},
             {1, 2, 4, 4}, {{"epsilon", 0.0}});
  const TensorId p =
      s.node("AveragePool", {n}, {1, 2, 2, 2},
             {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  s.output(s.node("Flatten", {p}, {1, 8}));
  const Network network = fold(linearise(recognise(s.graph)));
  ASSERT_EQ(network.values.size(), 2u);
  const std::vector<Tensor> input{counting({1, 1, 4, 4})};
  EXPECT_THAT(outputs_of(network, input),
              testing::Pointwise(testing::DoubleNear(1e-12), reference::run(s.graph, input)[0].data));
}

void expect_refusal(const Sketch& s, const std::string& part) {
  try {
    linearise(recognise(s.graph));
    FAIL() << "expected a refusal with: " << part;
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

TEST(Linearise, RefusalsNameTheNodeTheOperatorAndTheWayOut) {
  Sketch pool;
  pool.output(pool.node("MaxPool", {pool.input({1, 1, 4, 4})}, {1, 1, 2, 2}));
  expect_refusal(pool, "node 'MaxPool0' (MaxPool): this operator has no encrypted form here; supported: of pairs");

  Sketch joined;
  const TensorId huge = joined.constant({1}, {0x1p45});
  joined.output(joined.node("Concat", {joined.input({1}), huge}, {2}, {{"axis", std::int64_t{0}}}));
  expect_refusal(joined, "it places the constant 35184372088832 beside encrypted values");

  Sketch endless;
  endless.output(endless.node("Div", {endless.input({2}), endless.constant({2}, {0, 1})}, {2}));
  expect_refusal(endless, "node 'Div0' (Div): repeated numbers: one is not finite");

  Sketch quotient;
  quotient.output(quotient.node("Div", {quotient.input({2}), quotient.input({2}, "y")}, {2}));
  expect_refusal(quotient, "division by an encrypted value");
}

}  // namespace
}  // namespace tacit::graph::passes
