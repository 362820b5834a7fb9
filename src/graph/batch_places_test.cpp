#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "program/slots/cost.h"

// Places of a run that no sample has.
namespace tacit::graph {
namespace {

/// A perceptron whose Sigmoid leaves a half where nothing is.
CompiledModel perceptron_for(std::int64_t batch) {
  passes::Sketch s;
  const TensorId x = s.input({1, 64});
  const auto weights = [&](std::int64_t in, std::int64_t out) {
    std::vector<double> values;
    for (std::int64_t k = 0; k < in * out; ++k) values.push_back((1 + static_cast<double>(k % 7)) / 512);
    return s.constant({in, out}, std::move(values));
  };
  const TensorId h = s.node("MatMul", {x, weights(64, 32)}, {1, 32});
  const TensorId bent = s.node("Sigmoid", {h}, {1, 32});
  s.output(s.node("MatMul", {bent, weights(32, 16)}, {1, 16}));
  s.graph.name = "perceptron";
  CompileOptions options;
  for (const double value : {-1.0, 1.0})
    options.calibration.push_back({{{1, 64}, std::vector<double>(64, value), false}});
  options.max_degree = 7;
  options.batch = batch;
  return compile(s.graph, options);
}

double weight_bytes(const CompiledModel& model) {
  return slots::price(model.program, model.parameters, {}).memory.weights;
}

TEST(BatchPlaces, AreFilledIfWeightsThenTakeLessThanHalf) {
  const CompiledModel full = perceptron_for(512), filled = perceptron_for(300);
  EXPECT_EQ(full.client.batch, 512);
  EXPECT_EQ(filled.client.batch, 512);
  EXPECT_EQ(weight_bytes(filled), weight_bytes(full));
}

TEST(BatchPlaces, StayFreeWhereSamplesAreInnermost) {
  const CompiledModel few = perceptron_for(3);
  EXPECT_EQ(few.client.batch, 3);
  EXPECT_EQ(few.program.value(0).layout.within().back().dim, 0);
}

}  // namespace
}  // namespace tacit::graph
