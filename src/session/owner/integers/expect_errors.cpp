#include "session/owner/integers/expect_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/declaration.h"
#include "program/integers/clear_program.h"
#include "program/integers/noise.h"
#include "session/owner/integers/engines.h"
#include "session/owner/integers/range_monitor.h"

namespace tacit::session {
namespace {

/// What makes the errors of outputs smaller. Trees on slots have a grid of features as well.
std::string way_out_of_errors(const graph::quant::CompiledIntegers& model) {
  const bool trees = std::ranges::any_of(
      model.encrypted.nodes, [](const graph::Node& node) { return graph::is(node.op, graph::Class::trees); });
  const int bits = model.program.bits, more = std::min(bits + 2, graph::quant::kMostBits);
  if (more > bits && trees) return fmt::format("use --bits {}", more);
  if (more > bits) return fmt::format("use --bits {} or --scheme ckks", more);
  return trees ? "give calibration data closer to the inputs (--calibrate)" : "use --scheme ckks";
}

}  // namespace

ExpectedErrors expect_errors(const IntegerCompilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                             base::Progress& progress) {
  const graph::quant::CompiledIntegers& model = compilation.model;
  const integers::ClearProgram reading(model.program);
  const graph::ClientRun client(model.parts);
  IntegerRangeMonitor monitor(model, reading);
  const params::TfheParameters parameters = params::TfheParameters::check(model.parameters);
  const std::vector<double> deviations = integers::noise_deviations(model.program, parameters);
  const std::vector<std::vector<double>> of_bits = integers::rounding_deviations(model.program, parameters);
  const SimulatedRun simulate = [&](std::span<const std::vector<graph::Tensor>> some, std::uint64_t seed) {
    std::vector<SimulatedAnswer> answers(some.size());
    for (std::size_t s = 0; s < some.size(); ++s) try {
        if (const auto excess = monitor.check(0, some.subspan(s, 1)).front()) {
          answers[s].why_not = sample_miss_text(*excess);
          continue;
        }
        answers[s].outputs = model_outputs(
            model, client,
            reading.run(quantised_inputs(model, some[s]), {}, integers::ClearProgram::Noise{deviations, seed, of_bits}),
            graph::kept_tensors(model.parts, some[s]));
      } catch (const base::InputError& refusal) {
        answers[s].why_not = refusal.what();
      }
    return answers;
  };
  return expected_errors(compilation.graph, samples, 1, simulate, progress);
}

void state_errors(IntegerCompilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                  const std::optional<double>& most, base::Progress& progress) {
  add_expected(compilation, expect_errors(compilation, samples, progress), most, way_out_of_errors(compilation.model));
}

}  // namespace tacit::session
