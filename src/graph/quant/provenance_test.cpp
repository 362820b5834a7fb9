#include "graph/quant/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "layout/operators/combined.h"

namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Sketch;
using passes::ValueId;
using ::testing::DoubleEq;
using ::testing::ElementsAre;

Network network_of(const Sketch& sketch) { return passes::linearise(passes::recognise(sketch.graph)); }

TEST(Provenance, AValueAndItsFunctionHaveOneSource) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  const TensorId f = s.node("Sigmoid", {p}, {1, 2});
  s.output(s.node("Add", {p, f}, {1, 2}));
  const Network network = network_of(s);
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
  const Network network = network_of(s);
  const Provenance provenance(network);
  EXPECT_FALSE(provenance.is_region(network.outputs[0]));
  EXPECT_FALSE(provenance.is_region(network.outputs[1]));
  EXPECT_TRUE(provenance.is_region(network.outputs[2]));
}

TEST(Provenance, ScalingAloneNeedsNoTable) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Mul", {x, s.constant({1, 2}, {3, -2})}, {1, 2}));
  const Network network = network_of(s);
  EXPECT_FALSE(Provenance(network).is_region(network.outputs[0]));
}

}  // namespace
}  // namespace tacit::graph::quant
