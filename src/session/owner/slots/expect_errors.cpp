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

/// What makes the errors of outputs smaller.
std::string way_out_of_errors(const graph::CompiledModel& model) {
  const bool on_grid = std::ranges::any_of(model.encrypted.nodes,
                                           [](const graph::Node& node) { return node.op == graph::kGridPointsOp; });
  if (model.parameters.parts > 1)
    return "use fewer owners or layers, larger margins, or promise fewer results (tacit group new --decryptions)";
  if (model.approximations.empty() && on_grid)
    return "use more bits (--bits), so that more thresholds of trees have borders of their own";
  if (model.approximations.empty())
    return "use a parameter set of higher precision (--parameters), --scheme tfhe, or inputs closer to 0 (take a "
           "constant from them before)";
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

}  // namespace

ExpectedErrors expect_errors(const Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                             base::Progress& progress) {
  const graph::CompiledModel& model = compilation.model;
  const slots::ClearProgram reading(model.program);
  const graph::ClientRun client(model.parts);
  RangeMonitor monitor(compilation, reading);
  const slots::NoiseModel noise = slots::modelled_noise(model.program, params::CkksParameters::check(model.parameters));
  const SimulatedRun simulate = [&](std::span<const std::vector<graph::Tensor>> some, std::uint64_t seed) {
    std::vector<std::optional<std::vector<graph::Tensor>>> answers(some.size());
    const std::vector<std::optional<RangeExcess>> excesses = monitor.check(0, some);
    std::vector<std::vector<double>> results = program::from_units(
        model.client, reading.run(run_inputs(model, some), {}, slots::ClearProgram::Noise{noise, seed}));
    add_floods(model, results, seed);
    for (std::size_t s = 0; s < some.size(); ++s) {
      if (excesses[s]) continue;
      try {
        answers[s] = graph::answers_of(client, program::of_sample(model.client, results, s),
                                       graph::kept_tensors(model.parts, some[s]));
      } catch (const base::InputError&) {  // it has no answer
      }
    }
    return answers;
  };
  return expected_errors(compilation.graph, samples, static_cast<std::size_t>(model.client.batch), simulate, progress);
}

void state_errors(Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                  const std::optional<double>& most, base::Progress& progress) {
  add_expected(compilation, expect_errors(compilation, samples, progress), most, way_out_of_errors(compilation.model));
}

}  // namespace tacit::session
