#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/lower.h"
#include "graph/slots/noise_source.h"
#include "program/slots/clear_program.h"

// The number of samples on which noise is simulated.
namespace tacit::graph::passes {
namespace {

/// Outputs with these numbers of elements, of two inputs.
Lowered maps_to(const std::vector<std::int64_t>& sizes) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  ProgramNames names{"maps", {"x"}, {}};
  for (const std::int64_t size : sizes) {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < 2 * size; ++i) weights.push_back(1 + 0.5 * std::sin(static_cast<double>(i)));
    s.output(s.node("MatMul", {x, s.constant({2, size}, std::move(weights))}, {1, size}));
    names.outputs.emplace_back("y");
  }
  const Network network = fold(linearise(recognise(s.graph)));
  const params::CostTable costs;
  return Lowering(network, names, costs).lower({"asked", 11, {50, 40, 40}, {50}, 40, true}).or_refuse();
}

std::vector<std::vector<Tensor>> samples_of(std::size_t count) {
  std::vector<std::vector<Tensor>> samples;
  for (std::size_t s = 0; s < count; ++s) {
    const auto at = static_cast<double>(s);
    samples.push_back({Tensor{{1, 2}, {std::cos(at), std::sin(3 * at)}, false}});
  }
  return samples;
}

/// Returns the deviation of the first output, by `runs` runs on evenly spread samples. Each run has separate noise.
double deviation_of(const Lowered& lowered, const std::vector<std::vector<Tensor>>& samples, std::size_t runs) {
  const slots::ClearProgram clear(lowered.program);
  const slots::NoiseModel model =
      slots::modelled_noise(lowered.program, params::CkksParameters::check(lowered.literal));
  double squares = 0, count = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::vector<std::vector<double>> inputs{samples[run * samples.size() / runs][0].data};
    const std::vector<double> exact = clear.run(inputs).at(0);
    const std::vector<double> noisy = clear.run(inputs, {}, slots::ClearProgram::Noise{model, run + 1}).at(0);
    for (std::size_t i = 0; i < exact.size(); ++i) squares += std::pow(noisy[i] - exact[i], 2);
    count += static_cast<double>(exact.size());
  }
  return std::sqrt(squares / count);
}

TEST(NoiseRuns, GiveSixtyFourNumbersWithinBounds) {
  struct Case {
    std::vector<std::int64_t> outputs;
    std::size_t samples;
    std::int64_t batch;
    std::size_t runs;
  };
  for (const auto& [outputs, samples, batch, runs] :
       {Case{{2}, 100, 1, 24}, Case{{4}, 100, 1, 16}, Case{{3}, 100, 1, 22}, Case{{5}, 100, 1, 13},
        Case{{8}, 100, 1, 8}, Case{{32}, 100, 1, 8}, Case{{511}, 100, 1, 8}, Case{{512}, 100, 1, 4}, Case{{4}, 7, 1, 7},
        Case{{32}, 7, 1, 7}, Case{{32}, 100, 3, 3}, Case{{32}, 100, 4, 2}, Case{{32}, 100, 9, 2},
        Case{{512}, 100, 4, 1}, Case{{600, 5}, 100, 1, 13}, Case{{600, 520}, 100, 1, 4}}) {
    const Lowered lowered = maps_to(outputs);
    CompileOptions options;
    options.calibration = samples_of(samples);
    options.batch = batch;
    const double found = NoiseSource(options, nullptr).of(lowered).at(0);
    EXPECT_NEAR(found, deviation_of(lowered, options.calibration, runs), 1e-9 * found)
        << outputs[0] << " " << samples << " " << batch;
    if (runs < samples) {
      EXPECT_GT(std::abs(found - deviation_of(lowered, options.calibration, runs + 1)), 1e-6 * found);
    }
  }
}

TEST(NoiseRuns, EveryOutputHasItsOwnNoise) {
  CompileOptions options;
  options.calibration = samples_of(8);
  options.batch = 1;
  const std::vector<double> noise = NoiseSource(options, nullptr).of(maps_to({4, 5, 6}));
  ASSERT_EQ(noise.size(), 3u);
  for (const double deviation : noise) {
    EXPECT_GT(deviation, 0);
    EXPECT_LT(deviation, 1e-4) << "an error, and no result";
  }
}

}  // namespace
}  // namespace tacit::graph::passes
