#include "graph/passes/output_noise.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/parallel.h"
#include "params/ckks_parameters.h"
#include "program/clear.h"
#include "program/noise_model.h"

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kSamples = 24;

std::vector<std::vector<double>> inputs_of(const std::vector<Tensor>& sample) {
  std::vector<std::vector<double>> inputs;
  for (const Tensor& tensor : sample) inputs.push_back(tensor.data);
  return inputs;
}

}  // namespace

std::vector<double> output_noise(const Lowered& lowered, const std::vector<std::vector<Tensor>>& samples) {
  const program::Program& program = lowered.program;
  const program::NoiseModel model = program::modelled_noise(program, params::CkksParameters::check(lowered.literal));
  const std::size_t runs = std::min(kSamples, samples.size());
  program::ClearEvaluator prepared(program);
  program::run_clear(program, prepared, inputs_of(samples[0]));  // makes the sparse maps that the copies share
  std::vector<double> squares, counts;
  std::mutex mutex;
  base::parallel_for(0, runs, [&](std::size_t run) {
    const std::vector<Tensor>& sample = samples[run * samples.size() / runs];
    program::ClearEvaluator exact = prepared, noisy = prepared;
    noisy.add_noise(model, run + 1);
    const auto expected = program::run_clear(program, exact, inputs_of(sample));
    const auto found = program::run_clear(program, noisy, inputs_of(sample));
    const std::lock_guard lock(mutex);
    squares.resize(expected.size(), 0.0);
    counts.resize(expected.size(), 0.0);
    for (std::size_t o = 0; o < expected.size(); ++o)
      for (std::size_t i = 0; i < expected[o].size(); ++i) {
        const double error = found[o][i] - expected[o][i];
        squares[o] += error * error;
        counts[o] += 1;
      }
  });
  std::vector<double> result;
  for (std::size_t o = 0; o < squares.size(); ++o) result.push_back(std::sqrt(squares[o] / counts[o]));
  return result;
}

}  // namespace tacit::graph::passes
