#include "graph/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/choose_parameters.h"
#include "graph/passes/describe_client.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/lower.h"
#include "graph/passes/normalise.h"
#include "graph/passes/post_process.h"

namespace tacit::graph {
namespace {

using passes::Lowered;
using passes::Network;

// Bits of the first prime above the scale: enough for outputs whose bound is known and folded into the weights, and for
// outputs of a network without calibration data, up to 2^13.
constexpr int kHeadroomBits = 10, kUncalibratedHeadroomBits = 16;

std::vector<params::CkksLiteral> candidates(const Network& network, const CompileOptions& options) {
  if (options.parameters) return {*options.parameters};
  const bool functions = std::any_of(network.values.begin(), network.values.end(), [](const passes::Value& value) {
    return std::holds_alternative<passes::Function>(value.operation);
  });
  return passes::candidate_literals(
      {passes::depth_of(network), functions, options.calibration.empty() ? kUncalibratedHeadroomBits : kHeadroomBits});
}

bool one_ciphertext_each(const program::Program& program) {
  return std::all_of(program.instructions.begin(), program.instructions.end(),
                     [](const program::Instruction& instruction) { return instruction.layout.ciphertexts() == 1; });
}

// The fastest lowering within the budget, over the sets up to the first that holds every tensor in one ciphertext (a
// larger ring only makes each operation slower) and over how dear keys are: where memory is short, schedules with fewer
// distinct rotations are tried.
Lowered cheapest(const Network& network, const CompileOptions& options, const passes::ProgramNames& names,
                 base::Progress& progress) {
  const std::vector<params::CkksLiteral> literals = candidates(network, options);
  const double budget =
      options.memory_budget_bytes > 0 ? options.memory_budget_bytes : std::numeric_limits<double>::infinity();
  std::optional<Lowered> best;
  double least_memory = std::numeric_limits<double>::infinity();
  progress.begin("choose parameters and layouts", literals.size());
  for (const params::CkksLiteral& literal : literals) {
    bool last = false, affordable = false;
    for (double key_price = 1; key_price <= 64 && !affordable; key_price *= 8) {
      Lowered lowered = passes::lower(network, literal, names, key_price * passes::kKeySecondsPerByte);
      last = one_ciphertext_each(lowered.program);
      affordable = lowered.cost.peak_bytes() <= budget;
      least_memory = std::min(least_memory, lowered.cost.peak_bytes());
      if (affordable && (!best || lowered.cost.seconds < best->cost.seconds)) best = std::move(lowered);
    }
    progress.advance();
    if (last && best) break;
  }
  progress.end();
  if (!best)
    throw base::InputError(
        fmt::format("model '{}' needs {:.2f} GiB for keys, weights and ciphertexts; the memory budget is {:.2f} GiB: "
                    "raise the budget or use a shallower network",
                    names.model, least_memory / 0x1p30, options.memory_budget_bytes / 0x1p30));
  return *std::move(best);
}

}  // namespace

CompiledModel compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  const passes::SplitGraph split =
      passes::split_post_processing(passes::recognise(graph), options.client_post_processing);
  Network network = passes::fold(passes::linearise(split.encrypted));
  passes::calibrate(network, options.calibration, progress);
  network = passes::isolate_function_inputs(network);

  CompiledModel model;
  model.approximations = passes::fit_functions(network, options.max_degree);
  passes::ProgramNames names{graph.name, {}, {}};
  for (const TensorId id : graph.inputs) names.inputs.push_back(graph.tensors[id].name);
  for (const TensorId id : split.encrypted.graph.outputs)
    names.outputs.push_back(split.encrypted.graph.tensors[id].name);
  Lowered lowered = cheapest(network, options, names, progress);
  // Interval bounds are safe but far from tight: they serve the client's check, not the units of the values.
  if (options.calibration.empty() && options.input_range) passes::bound_by_intervals(network, *options.input_range);
  model.client = passes::describe_client(split, network, lowered, options);
  model.parameters = std::move(lowered.literal);
  model.program = std::move(lowered.program);
  return model;
}

}  // namespace tacit::graph
