#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "graph/operators_for_test.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

using NodeAttributes = std::map<std::string, Attribute>;

std::vector<double> normal_numbers(const Shape& shape, unsigned seed, double mean = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number(mean, 2);
  std::vector<double> numbers(static_cast<std::size_t>(element_count(shape)));
  for (double& x : numbers) x = number(random);
  return numbers;
}

/// Compares a node, whose operands after the first are constants of these shapes, with its written-out form.
void expect_same(const std::string& op, const Shape& shape, const std::vector<Shape>& constants,
                 const NodeAttributes& attributes, double within = 1e-9) {
  Sketch s;
  std::vector<TensorId> inputs{s.input(shape)};
  unsigned seed = 1;
  for (const Shape& constant : constants) inputs.push_back(s.constant(constant, normal_numbers(constant, seed++)));
  s.output(s.node(op, inputs, shape, attributes));
  const Graph made = write_out_maxima(s.graph);
  EXPECT_THAT(operators_of(made), Not(Contains(op)));
  const std::vector<Tensor> x{{shape, normal_numbers(shape, 9, 3), false}};
  const std::vector<double> expected = reference::run(s.graph, x).at(0).data, got = reference::run(made, x).at(0).data;
  EXPECT_THAT(got, testing::Pointwise(testing::DoubleNear(within), expected)) << op;
}

TEST(WriteOutNormalisation, EveryNormalisationComputesTheSame) {
  const auto axis = [](std::int64_t value) { return std::pair<const std::string, Attribute>{"axis", value}; };
  expect_same("LayerNormalization", {2, 3, 4}, {{4}, {4}}, {});
  expect_same("LayerNormalization", {2, 3, 4}, {{3, 4}}, {axis(1), {"epsilon", 0.25}});
  expect_same("RMSNormalization", {2, 3, 4}, {{4}}, {{"epsilon", 1e-3}});
  expect_same("InstanceNormalization", {2, 3, 2, 2}, {{3}, {3}}, {});
  expect_same("GroupNormalization", {2, 6, 2, 2}, {{6}, {6}}, {{"num_groups", std::int64_t{3}}});
  expect_same("MeanVarianceNormalization", {2, 3, 2, 2}, {}, {}, 1e-6);
  expect_same("LpNormalization", {2, 5}, {}, {axis(1)});
  expect_same("LpNormalization", {2, 5}, {}, {axis(0), {"p", std::int64_t{1}}});
}

// Constants are given in their new shapes, because no later pass folds constants.
TEST(WriteOutNormalisation, EveryOperatorReadsTheEncryptedInput) {
  for (const std::string op : {"GroupNormalization", "InstanceNormalization"}) {
    Sketch s;
    const TensorId x = s.input({1, 4, 2, 2}), scale = s.constant({4}, {1, 2, 3, 4}),
                   bias = s.constant({4}, {4, 3, 2, 1});
    s.output(s.node(op, {x, scale, bias}, {1, 4, 2, 2}, {{"num_groups", std::int64_t{2}}}));
    EXPECT_EQ(linearise(recognise(write_out_maxima(s.graph))).outputs.size(), 1u) << op;
  }
}

TEST(WriteOutNormalisation, AnEncryptedScaleStaysAnOperatorOfTheClient) {
  Sketch s;
  const TensorId x = s.input({2, 3}), scale = s.input({3}, "scale");
  s.output(s.node("LayerNormalization", {x, scale}, {2, 3}));
  EXPECT_THAT(operators_of(write_out_maxima(s.graph)), ElementsAre("LayerNormalization"));
}

// The mean is subtracted by one linear operator, and the mean of squares is spread by the one that takes it.
TEST(WriteOutNormalisation, ANormalisationIsTwoMapsTwoProductsAndAFunction) {
  Sketch s;
  const TensorId x = s.input({2, 8}), scale = s.constant({8}, std::vector<double>(8, 2.0));
  s.output(s.node("LayerNormalization", {x, scale}, {2, 8}));
  const Network network = fold(linearise(recognise(write_out_maxima(s.graph))));
  int maps = 0, products = 0, functions = 0, terms = 0;
  for (const Value& value : network.values) {
    if (const auto* affine = std::get_if<Affine>(&value.operation)) {
      ++maps;
      terms += static_cast<int>(affine->terms.size());
    }
    products += std::holds_alternative<Product>(value.operation);
    functions += std::holds_alternative<Function>(value.operation);
  }
  EXPECT_EQ(functions, 1);
  EXPECT_EQ(products, 2);
  EXPECT_EQ(maps, 3) << "centred, spread, scaled";
  EXPECT_EQ(terms, 3);
}

TEST(WriteOutNormalisation, ASoftmaxOfManyIsExponentialsTimesAReciprocal) {
  Sketch s;
  s.output(s.node("Softmax", {s.input({2, 20})}, {2, 20}, {{"axis", std::int64_t{1}}}));
  const Graph made = write_out_maxima(s.graph);
  EXPECT_THAT(operators_of(made), ElementsAre("Exp", "ReduceSum", "Expand", "Reciprocal", "Mul"));
  const std::vector<Tensor> x{{{2, 20}, normal_numbers({2, 20}, 3), false}};
  EXPECT_THAT(reference::run(made, x).at(0).data,
              testing::Pointwise(testing::DoubleNear(1e-12), reference::run(s.graph, x).at(0).data));
}

// Elements of a mask that hide nothing are added as before.
TEST(WriteOutNormalisation, AMaskOfASoftmaxMultipliesTheExponentials) {
  for (const double hides : {-1e4, -3.4028234663852886e38, -std::numeric_limits<double>::infinity()}) {
    Sketch s;
    const TensorId x = s.input({2, 3, 3});
    const TensorId mask = s.constant({3, 3}, {0, hides, hides, 0, 0.5, hides, -1, 0, 0});
    const TensorId scores = s.node("Add", {x, mask}, {2, 3, 3});
    s.output(s.node("Softmax", {scores}, {2, 3, 3}, {{"axis", std::int64_t{-1}}}));
    const Graph made = write_out_maxima(s.graph);
    EXPECT_THAT(operators_of(made), ElementsAre("Add", "Exp", "Mul", "ReduceSum", "Expand", "Reciprocal", "Mul"));
    for (const std::size_t constant : {made.constants.size() - 4, made.constants.size() - 3})
      for (const double number : made.constants[constant].data) EXPECT_LE(std::abs(number), 1);
    const std::vector<Tensor> inputs{{{2, 3, 3}, normal_numbers({2, 3, 3}, 4), false}};
    EXPECT_THAT(reference::run(made, inputs).at(0).data,
                testing::Pointwise(testing::DoubleNear(1e-9), reference::run(s.graph, inputs).at(0).data));
  }
}

}  // namespace
}  // namespace tacit::graph::passes
