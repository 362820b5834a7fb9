#include "graph/passes/normalise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

// y = 100 * tanh(3 x + 1), x in [-1, 2]
Network tanh_network() {
  Sketch s;
  const TensorId x = s.input({4});
  const TensorId a = s.node("Mul", {x, s.constant({4}, {3, 3, 3, 3})}, {4});
  const TensorId b = s.node("Add", {a, s.constant({}, {1})}, {4});
  const TensorId t = s.node("Tanh", {b}, {4});
  s.output(s.node("Mul", {t, s.constant({4}, {100, 100, 100, 100})}, {4}));
  return fold(linearise(recognise(s.graph)));
}

const std::vector<std::vector<Tensor>> kSamples{{{{4}, {-1, 0, 1, 2}, false}}};

TEST(Calibrate, WidensTheMeasuredRangeByAQuarterOfItsWidth) {
  Network network = tanh_network();
  calibrate(network, kSamples, base::Progress::silent());
  const auto& function = std::get<Function>(network.values[2].operation);
  EXPECT_NEAR(function.lowest, -4.25, 1e-12);  // 3 x + 1 in [-2, 7]
  EXPECT_NEAR(function.highest, 9.25, 1e-12);
  EXPECT_NEAR(network.values[3].range.lowest, 100 * std::tanh(-2.0), 1e-9);
}

TEST(Calibrate, AFunctionWithoutCalibrationDataIsRefusedByName) {
  Network network = tanh_network();
  try {
    calibrate(network, {}, base::Progress::silent());
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("(Tanh) is not a polynomial"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("calibration data"), std::string::npos);
  }
}

TEST(Calibrate, IntervalsBoundAPolynomialNetwork) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId g = s.node("MatMul", {x, s.constant({2, 1}, {2, -3})}, {1, 1});
  s.output(s.node("Mul", {g, g}, {1, 1}));
  Network network = linearise(recognise(s.graph));
  bound_by_intervals(network, {-1, 4});
  EXPECT_EQ(network.values[1].range.lowest, -14);
  EXPECT_EQ(network.values[1].range.highest, 11);
  EXPECT_EQ(network.values[2].range.lowest, 0);
  EXPECT_EQ(network.values[2].range.highest, 196);
}

TEST(Normalise, FoldsTheIntervalIntoTheAffineMapBeforeAndTheUnitIntoTheOneBehind) {
  Network network = tanh_network();
  calibrate(network, kSamples, base::Progress::silent());
  const std::vector<Approximation> done = fit_functions(network, 59, 0.1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_LT(done[0].max_error, 1.0 / 4096);
  const Normalised normalised = normalise(isolate_function_inputs(network), 16);
  EXPECT_EQ(normalised.factors.back(), 0.125);  // 100 becomes 12.5
  const auto values = evaluate(normalised.network, kSamples[0], Functions::by_series);
  const double mapped[] = {-2, 1, 4, 7};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(values[1][i], (2 * mapped[i] - 5) / 13.5, 1e-12);
    EXPECT_NEAR(values[3][i], 12.5 * std::tanh(mapped[i]), 12.5 / 4096);
  }
  EXPECT_LE(normalised.network.values[1].range.highest, 1);
}

TEST(Normalise, AFunctionOfAnInputGetsAnAffineMapOfItsOwn) {
  Sketch s;
  const TensorId x = s.input({4});
  const TensorId t = s.node("Tanh", {x}, {4});
  const TensorId r = s.node("Sigmoid", {x}, {4});
  s.output(s.node("Add", {t, r}, {4}));
  Recognised recognised = recognise(s.graph);
  EXPECT_EQ(recognised.functions.size(), 1u);  // tanh(x) + sigmoid(x) is one function of x
  Network network = fold(linearise(recognised));
  EXPECT_EQ(network.values.size(), 2u);
  network = isolate_function_inputs(network);
  ASSERT_EQ(network.values.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Affine>(network.values[1].operation));
}

}  // namespace
}  // namespace tacit::graph::passes
