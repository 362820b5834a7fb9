#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/assign_parties.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/function_intervals.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/choose_degrees.h"

// The limits of raised and lowered degrees.
namespace tacit::graph::passes {
namespace {

ChosenDegrees degrees_for(const Graph& graph, const CompileOptions& options) {
  const Parties parties = assign_parties(graph, {});
  Network network = isolate_function_inputs(fold(linearise(recognise(parties.encrypted))));
  Calibrated calibrated = calibrate(network, options.calibration, base::Progress::silent());
  centre_functions(network);
  measure(network, calibrated.inputs);
  const Answers answers(parties.client, std::move(calibrated.outputs));
  return choose_degrees(network, answers, options, base::Progress::silent());
}

// A probability after a kink that a twentieth of the samples are near. One level more than 126 is 253.
TEST(RaisedDegrees, EndAtTheLargestThatIsAllowed) {
  CompileOptions options;
  options.calibration = deep_samples(400, 1, 7, 0.25);
  for (std::size_t i = 0; i < options.calibration.size(); ++i) {
    double& x = options.calibration[i][0].data[0];
    x = i < 20 ? 0 : x + (i % 2 == 0 ? 3 : -3);
  }
  options.max_degree = 126;
  Sketch s;
  const TensorId x = s.input({1, 1});
  const TensorId kink = s.node("Relu", {s.node("MatMul", {x, s.constant({1, 1}, {1})}, {1, 1})}, {1, 1});
  const TensorId mapped = s.node("MatMul", {kink, s.constant({1, 1}, {1})}, {1, 1});
  s.output(s.node("Sigmoid", {s.node("Add", {mapped, s.constant({1, 1}, {1})}, {1, 1})}, {1, 1}));
  for (const auto& [most, highest] : {std::pair(252, 126), {253, 253}}) {
    options.max_value_degree = most;
    EXPECT_EQ(degrees_for(s.graph, options).highest_degree, highest) << most;
  }
}

// Scores with a difference of 400. No error of a tangent changes an answer.
TEST(RaisedDegrees, AreLoweredToThreeAndNoFurther) {
  CompileOptions options;
  options.calibration = deep_samples(kFewestSamples, 2, 7, 3);
  options.max_error = 1;
  Sketch s;
  TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {1, -0.5, 0.25, 1})}, {1, 2});
  h = s.node("Tanh", {h}, {1, 2});
  h = s.node("MatMul", {h, s.constant({2, 2}, {0.5, 1, -1, 0.5})}, {1, 2});
  h = s.node("Tanh", {h}, {1, 2});
  h = s.node("MatMul", {h, s.constant({2, 2}, {1, 0, 0, 1})}, {1, 2});
  s.output(s.node("Add", {h, s.constant({1, 2}, {400, 0})}, {1, 2}));
  const ChosenDegrees chosen = degrees_for(s.graph, options);
  ASSERT_EQ(chosen.approximations.size(), 2u);
  EXPECT_EQ(chosen.highest_degree, 59);
  EXPECT_EQ(chosen.changed, 0);
  for (const Approximation& made : chosen.approximations) {
    EXPECT_EQ(made.degree, 3);
    EXPECT_EQ(made.reason, "enough for the answers of 64 samples at 2 and 4 times its error");
  }
}

}  // namespace
}  // namespace tacit::graph::passes
