#include "graph/slots/noise_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/parallel.h"
#include "params/ckks_parameters.h"
#include "program/slots/clear_program.h"
#include "program/slots/serialize.h"

namespace tacit::graph::passes {
namespace {

// Returns the digest of a program. The noise of another program would be a guess, and results are shared by this noise.
std::string digest_of(const Lowered& lowered) {
  const std::vector<std::uint8_t> program = slots::to_bytes(lowered.program);
  const std::string literal = params::to_json(lowered.literal);
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(program))).update(std::as_bytes(std::span(literal)));
  return base::hexadecimal(hash.finish());
}

/// The number of errors that give a deviation within a tenth. Errors of few samples may be correlated, so that the
/// number of runs is bounded below.
constexpr std::size_t kNumbers = 64, kMostRuns = 24, kFewestRuns = 8;
/// Outputs with many numbers need fewer runs, because their errors are less correlated.
constexpr std::size_t kManyNumbers = 512, kFewestOfMany = 4;

std::size_t runs_of(const slots::Program& program, std::size_t samples, std::size_t batch) {
  std::size_t fewest = kManyNumbers;  // numbers of an output
  for (const slots::Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Output>(instruction.operation))
      fewest = std::min(fewest, static_cast<std::size_t>(layout::element_count(instruction.layout.shape())));
  const std::size_t wanted = (kNumbers + fewest - 1) / std::max(fewest, std::size_t{1});
  const std::size_t least = fewest < kManyNumbers ? kFewestRuns : kFewestOfMany;
  return std::min(samples, std::clamp(wanted, (least + batch - 1) / batch, kMostRuns));
}

/// Returns the deviation of the noise in each output of an encrypted run of a lowered network, in the units in which
/// outputs are stored. The noise model simulates it on some of the samples. There must be at least one sample. Each run
/// takes `batch` samples of the model.
std::vector<double> simulated_noise(const Lowered& lowered, const std::vector<std::vector<Tensor>>& samples,
                                    layout::Index batch) {
  const slots::Program& program = lowered.program;
  const slots::NoiseModel model = slots::modelled_noise(program, params::CkksParameters::check(lowered.literal));
  const std::size_t runs = runs_of(program, samples.size(), static_cast<std::size_t>(batch));
  const slots::ClearProgram clear(program);
  std::vector<std::vector<std::vector<double>>> errors(
      runs);  // by run and output, so that sums do not depend on threads
  base::parallel_for(0, runs, [&](std::size_t run) {
    const std::vector<std::vector<double>> inputs = numbers_of(samples[run * samples.size() / runs]);
    const auto expected = clear.run(inputs);
    errors[run] = clear.run(inputs, {}, slots::ClearProgram::Noise{model, run + 1});
    for (std::size_t o = 0; o < expected.size(); ++o)
      for (std::size_t i = 0; i < expected[o].size(); ++i) errors[run][o][i] -= expected[o][i];
  });
  std::vector<double> result;
  for (std::size_t o = 0; o < errors.at(0).size(); ++o) {
    double squares = 0, count = 0;
    for (const std::vector<std::vector<double>>& of_run : errors) {
      squares += std::inner_product(of_run[o].begin(), of_run[o].end(), of_run[o].begin(), 0.0);
      count += static_cast<double>(of_run[o].size());
    }
    result.push_back(std::sqrt(squares / count));
  }
  return result;
}

}  // namespace

std::vector<double> NoiseSource::of(const Lowered& lowered) const {
  const std::string program = options_.measured || record_ ? digest_of(lowered) : std::string();
  if (!options_.measured) {
    std::vector<double> noise = simulated_noise(lowered, options_.calibration, *options_.batch);
    if (record_) {
      std::vector<double>& noted = record_->noise[program] = noise;
      for (double& deviation : noted)
        if (!std::isfinite(deviation)) deviation = std::numeric_limits<double>::infinity();
    }
    return noise;
  }
  const auto found = options_.measured->noise.find(program);
  if (found == options_.measured->noise.end() ||
      found->second.size() != program::count_of<slots::Output>(lowered.program.instructions))
    base::refuse(
        "the ranges do not say how much noise a program has that is considered here, on parameter set {}: "
        "they were measured with another memory budget (--memory), by other prices (--costs) or by another "
        "release, or were changed; run 'tacit calibrate' with the options that are given here{}",
        lowered.literal.name,
        options_.passes.runs("small-questions")
            ? ", or add '--passes no-small-questions' for ranges of an earlier release"
            : "");
  return found->second;
}

}  // namespace tacit::graph::passes
