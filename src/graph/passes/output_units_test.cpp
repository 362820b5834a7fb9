#include "graph/passes/output_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graph/compile.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

/// (x, y) times these weights, on samples of size 1.
Network scaled(double first, double second) {
  Sketch s;
  s.output(s.node("Mul", {s.input({1, 2}), s.constant({1, 2}, {first, second})}, {1, 2}));
  Network network = linearise(recognise(s.graph));
  const Calibrated shown = calibrate(network, {{Tensor{{1, 2}, {1, -1}, false}}, {Tensor{{1, 2}, {-0.5, 1}, false}}},
                                     base::Progress::silent());
  tell_outputs_apart(network, shown.outputs);
  return network;
}

TEST(OutputUnits, BringEveryElementToTheWidest) {
  const Network network = with_output_units(scaled(1000, 0.25));
  const Value& out = network.values[network.outputs[0]];
  EXPECT_EQ(out.stretch.expanded(2), (std::vector<double>{1, 2048}));
  EXPECT_THAT(out.element_ranges, ElementsAre(Range{-500, 1000}, Range{-512, 512}));
  EXPECT_EQ(out.range, (Range{-512, 1000}));
  EXPECT_THAT(evaluate(network, {Tensor{{1, 2}, {1, 1}, false}}).back(), ElementsAre(1000, 512));
}

TEST(OutputUnits, AreOneWhereElementsAreAlike) {
  for (const double narrow : {1000.0, 1000 / 15.9, 0.0})
    EXPECT_TRUE(with_output_units(scaled(1000, narrow)).values.back().stretch.all_equal(1)) << narrow;
}

// A perceptron with two targets whose widths differ by 10^5 and 10^7. Both errors are within a hundredth of the
// target's range.
TEST(OutputUnits, NoiseIsSmallBesideEveryTargetsOwnRange) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const auto draw = [&](std::size_t count, double size) {
    std::vector<double> numbers(count);
    for (double& x : numbers) x = size * normal(random);
    return numbers;
  };
  for (const double ratio : {1e5, 1e7}) {
    Sketch s;
    TensorId x = s.node("MatMul", {s.input({1, 4}), s.constant({4, 8}, draw(32, 0.5))}, {1, 8});
    x = s.node("Relu", {x}, {1, 8});
    std::vector<double> weights = draw(16, 0.4);
    for (std::size_t i = 1; i < 16; i += 2) weights[i] /= ratio;
    s.output(s.node("MatMul", {x, s.constant({8, 2}, weights)}, {1, 2}));
    CompileOptions options;
    for (int i = 0; i < 200; ++i) options.calibration.push_back({Tensor{{1, 4}, draw(4, 1), false}});
    const CompiledModel model = compile(s.graph, options);
    const program::ClientOutput& output = model.client.outputs.at(0);
    ASSERT_EQ(output.shares.size(), 2U);
    EXPECT_EQ(output.shares[0], 1);
    EXPECT_NEAR(std::log2(output.shares[1] * ratio), 0, 2);
    const slots::ClearProgram clear(model.program);
    const slots::NoiseModel noise =
        slots::modelled_noise(model.program, params::CkksParameters::check(model.parameters));
    Range wide, narrow;
    double worst_wide = 0, worst_narrow = 0;
    for (std::size_t i = 0; i < 50; ++i) {
      const std::vector<double> right = reference::run(s.graph, options.calibration[i]).at(0).data;
      const slots::ClearProgram::Noise drawn{noise, i};
      const std::vector<double> found =
          from_units(output, clear.run({options.calibration[i][0].data}, {}, drawn).at(0));
      wide.include(right[0]);
      narrow.include(right[1]);
      worst_wide = std::max(worst_wide, std::abs(found[0] - right[0]));
      worst_narrow = std::max(worst_narrow, std::abs(found[1] - right[1]));
    }
    EXPECT_LT(worst_wide / wide.width(), 0.01) << ratio;
    EXPECT_LT(worst_narrow / narrow.width(), 0.01) << ratio;
  }
}

}  // namespace
}  // namespace tacit::graph::passes
