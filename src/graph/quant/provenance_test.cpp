#include "graph/quant/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes/sketch.h"
#include "graph/quant/quantised_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Sketch;
using passes::ValueId;
using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Provenance, AValueAndItsFunctionHaveOneSource) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId f = s.node("Sigmoid", {p}, {1, 2});
  s.output(s.node("Add", {p, f}, {1, 2}));
  const Network network = network_of(s.graph);
  const Provenance provenance(network);
  const ValueId sum = network.outputs.at(0);
  EXPECT_TRUE(provenance.is_region(sum));
  const ValueId source = provenance.source(sum);
  EXPECT_TRUE(std::holds_alternative<passes::Affine>(network.values[source].operation));
  EXPECT_FALSE(provenance.is_region(source));
  EXPECT_THAT(values_of_region(network, provenance, sum), ElementsAre(sum)) << "recognised as one function";
  // Two points of two elements.
  const std::vector<double> points{0, 1, -1, 2};
  const auto value = [](double v) { return v + 1 / (1 + std::exp(-v)); };
  EXPECT_THAT(evaluate_region(network, provenance, sum, points, 2),
              ElementsAre(DoubleEq(value(0)), DoubleEq(value(1)), DoubleEq(value(-1)), DoubleEq(value(2))));
}

TEST(Provenance, SumsOfTwoTensorsAndMixedElementsAreTensorsOfTheirOwn) {
  Sketch s;
  const TensorId x = s.input({1, 2}), y = s.input({1, 2}, "y");
  const TensorId f = s.node("Relu", {x}, {1, 2});
  const TensorId both = s.node("Add", {f, y}, {1, 2});
  const TensorId mixed = s.node("MatMul", {f, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  s.output(both);
  s.output(mixed);
  s.output(f);
  const Network network = network_of(s.graph);
  const Provenance provenance(network);
  EXPECT_FALSE(provenance.is_region(network.outputs[0]));
  EXPECT_FALSE(provenance.is_region(network.outputs[1]));
  EXPECT_TRUE(provenance.is_region(network.outputs[2]));
}

TEST(Provenance, ScalingAloneNeedsNoTable) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Mul", {x, s.constant({1, 2}, {3, -2})}, {1, 2}));
  const Network network = network_of(s.graph);
  EXPECT_FALSE(Provenance(network).is_region(network.outputs[0]));
}

/// A sum and a product of a tensor with a function of this tensor, and a function without a reader.
TEST(Provenance, RegionsAreSumsAndProductsOfFunctions) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Exp", {x}, {1, 2}));
  Network network = network_of(s.graph);
  ASSERT_EQ(network.values.size(), 2u);
  const ValueId source = 0, function = 1;
  const ValueId other = network.add(network.values[function]);
  const layout::RepeatedReals bias = layout::RepeatedReals::of(std::vector{10.0, 20.0});
  const passes::Affine affine{{{function, by_element({2, 3})}, {source, by_element({-1, 5})}}, bias};
  const ValueId sum = network.add({affine, {1, 2}, "sum", "Add", {}});
  const ValueId product = network.add({passes::Product{function, sum}, {1, 2}, "product", "Mul", {}});
  const Provenance provenance(network);
  for (const ValueId id : {function, other, sum, product}) {
    EXPECT_TRUE(provenance.is_region(id)) << id;
    EXPECT_EQ(provenance.source(id), source) << id;
  }
  EXPECT_THAT(values_of_region(network, provenance, source), ElementsAre());
  EXPECT_THAT(values_of_region(network, provenance, sum), ElementsAre(function, sum));
  EXPECT_THAT(values_of_region(network, provenance, product), ElementsAre(function, sum, product));
  const std::vector<double> points{0, 1, -1, 2};
  const auto sums = [](double v, bool second) {
    return second ? 20 + 3 * std::exp(v) + 5 * v : 10 + 2 * std::exp(v) - v;
  };
  EXPECT_THAT(evaluate_region(network, provenance, sum, points, 2),
              ElementsAre(DoubleEq(sums(0, false)), DoubleEq(sums(1, false)), DoubleEq(sums(-1, true)),
                          DoubleEq(sums(2, true))));
  EXPECT_THAT(evaluate_region(network, provenance, product, points, 2),
              ElementsAre(DoubleEq(sums(0, false)), DoubleEq(std::exp(1.0) * sums(1, false)),
                          DoubleEq(std::exp(-1.0) * sums(-1, true)), DoubleEq(std::exp(2.0) * sums(2, true))));
  EXPECT_EQ(evaluate_region(network, provenance, source, points, 2), points);
}

}  // namespace
}  // namespace tacit::graph::quant
