#include "session/owner/slots/expect_errors.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "graph/client_answers.h"
#include "graph/thermometer.h"
#include "params/ckks_parameters.h"
#include "params/owner_flood.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"
#include "session/owner/run_inputs.h"
#include "session/owner/slots/range_monitor.h"

namespace tacit::session {
namespace {

/// What makes the errors of outputs smaller. `noisy`: noise causes them.
std::string way_out_of_errors(const graph::CompiledModel& model, bool noisy) {
  const bool on_grid = std::ranges::any_of(model.encrypted.nodes,
                                           [](const graph::Node& node) { return node.op == graph::kGridPointsOp; });
  if (model.parameters.parts > 1)
    return "use fewer owners or layers, larger margins, or promise fewer results (tacit group new --decryptions)";
  if (noisy)
    return "ask for more precise results (--precision), or take another parameter set (--parameters), --scheme tfhe, "
           "or outputs and inputs closer to 0 (take a constant from them before)";
  if (on_grid && model.approximations.empty())
    return "use more bits (--bits), so that more thresholds of trees have borders of their own";
  return "allow polynomials of higher degree (--max-degree), or give calibration data closer to the inputs";
}

/// Adds the floods of owners that decrypt together. They are many times wider than the noise.
void add_floods(const graph::CompiledModel& model, std::vector<std::vector<double>>& results, std::uint64_t seed) {
  const int parts = model.parameters.parts;
  if (parts == 1) return;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  for (std::size_t o = 0; o < results.size(); ++o) {
    const program::ClientOutput& output = model.client.outputs[o];
    const double flood = params::owners_flood(output.noise * std::abs(output.unit), parts, {});
    for (std::size_t e = 0; e < results[o].size(); ++e)
      results[o][e] += flood * (output.shares.empty() ? 1 : output.shares[e]) * normal(engine);
  }
}

enum class WithNoise : bool { no, yes };

ExpectedErrors errors_of(const Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                         WithNoise with_noise, base::Progress& progress) {
  const graph::CompiledModel& model = compilation.model;
  const slots::ClearProgram reading(model.program);
  const graph::ClientRun client(model.parts);
  RangeMonitor monitor(compilation, reading);
  std::optional<slots::NoiseModel> noise;
  if (with_noise == WithNoise::yes)
    noise = slots::modelled_noise(model.program, params::CkksParameters::check(model.parameters));
  const SimulatedRun simulate = [&](std::span<const std::vector<graph::Tensor>> some, std::uint64_t seed) {
    std::vector<SimulatedAnswer> answers(some.size());
    const std::vector<std::optional<RangeExcess>> excesses = monitor.check(0, some);
    const auto drawn = noise ? std::optional(slots::ClearProgram::Noise{*noise, seed}) : std::nullopt;
    std::vector<std::vector<double>> results =
        program::from_units(model.client, reading.run(run_inputs(model, some), {}, drawn));
    if (noise) add_floods(model, results, seed);
    for (std::size_t s = 0; s < some.size(); ++s) {
      if (excesses[s]) {
        answers[s].why_not = sample_miss_text(*excesses[s]);
        continue;
      }
      try {
        answers[s].outputs = graph::answers_of(client, program::of_sample(model.client, results, s),
                                               graph::kept_tensors(model.parts, some[s]));
      } catch (const base::InputError& refusal) {
        answers[s].why_not = refusal.what();
      }
    }
    return answers;
  };
  return expected_errors(compilation.graph, samples, static_cast<std::size_t>(model.client.batch), simulate, progress);
}

/// True if the largest of the errors that cause a warning is mostly noise: without noise it is less than half.
bool is_noise(const Compilation& compilation, const ExpectedErrors& expected,
              std::span<const std::vector<graph::Tensor>> samples, base::Progress& progress) {
  const auto largest = std::ranges::max_element(expected.outputs, {}, &ExpectedOutput::error);
  if (largest == expected.outputs.end() || !(largest->error > kWarnedError)) return false;
  const ExpectedErrors exact = errors_of(compilation, samples, WithNoise::no, progress);
  return !exact.outputs.empty() &&
         exact.outputs[static_cast<std::size_t>(largest - expected.outputs.begin())].error < 0.5 * largest->error;
}

}  // namespace

ExpectedErrors expect_errors(const Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                             base::Progress& progress) {
  return errors_of(compilation, samples, WithNoise::yes, progress);
}

void state_errors(Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                  const std::optional<double>& most, base::Progress& progress) {
  ExpectedErrors expected = expect_errors(compilation, samples, progress);
  const bool noisy = is_noise(compilation, expected, samples, progress);
  add_expected(compilation, std::move(expected), most, way_out_of_errors(compilation.model, noisy));
}

}  // namespace tacit::session
