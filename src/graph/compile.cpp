#include "graph/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/check_magnitudes.h"
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

bool has_functions(const Network& network) {
  return std::any_of(network.values.begin(), network.values.end(), [](const passes::Value& value) {
    return std::holds_alternative<passes::Function>(value.operation);
  });
}

std::vector<params::CkksLiteral> candidates(const Network& network, const CompileOptions& options, int output_level) {
  if (options.parameters) return {*options.parameters};
  return passes::candidate_literals(
      {passes::depth_of(network) + output_level, has_functions(network),
       options.calibration.empty() ? kUncalibratedHeadroomBits : kHeadroomBits});
}

bool one_ciphertext_each(const program::Program& program) {
  return std::all_of(program.instructions.begin(), program.instructions.end(),
                     [](const program::Instruction& instruction) { return instruction.layout.ciphertexts() == 1; });
}

// The fastest lowering within the budget, over the sets up to the first that holds every tensor in one ciphertext (a
// larger ring only makes each operation slower) and over how dear keys are: where memory is short, schedules with fewer
// distinct rotations are tried.
Lowered cheapest(const Network& network, const CompileOptions& options, const passes::ProgramNames& names,
                 base::Progress& progress, int output_level) {
  const std::vector<params::CkksLiteral> literals = candidates(network, options, output_level);
  const auto budget = static_cast<double>(options.memory.available());
  std::optional<Lowered> best;
  double least_memory = std::numeric_limits<double>::infinity();
  progress.begin("choose parameters and layouts", literals.size());
  for (const params::CkksLiteral& literal : literals) {
    bool last = false, affordable = false;
    for (double key_price = 1; key_price <= 64 && !affordable; key_price *= 8) {
      Lowered lowered = passes::lower(network, literal, names, key_price * passes::kKeySecondsPerByte, output_level);
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
    throw base::InputError(options.memory.shortfall("keys, weights and ciphertexts of model '" + names.model + "' need", least_memory));
  return *std::move(best);
}

bool has_spare_level(const Network& network, const CompileOptions& options) {
  const int needed = passes::depth_of(network) + 1;
  if (options.parameters) return static_cast<int>(options.parameters->q_bits.size()) > needed;
  return passes::literal_for(passes::kLargestLogN, {needed, false, kUncalibratedHeadroomBits}).has_value();
}

// An output that wraps around modulo the first prime is told by slots that should be zero. Where there are none, and
// in linear models, whose inputs may come in any unit, outputs keep one prime more: values that wrap around two primes
// do not come about from inputs that encrypt accepts. Nor do outputs fit into one prime whose bound by intervals is too
// large for it (`bounded` is the network with such bounds). Functions need no such care: outside their interval their
// polynomials blow up the imaginary parts.
Lowered with_visible_overflow(const Network& network, const Network& bounded, const CompileOptions& options,
                              const passes::ProgramNames& names, base::Progress& progress) {
  const bool may_spare = !has_functions(network) && has_spare_level(network, options);
  if (may_spare && passes::depth_of(network) <= 1) return cheapest(network, options, names, progress, 1);
  Lowered lowered = cheapest(network, options, names, progress, 0);
  if (!may_spare || !(passes::hides_overflow(lowered.program) || passes::first_overflow(bounded, lowered)))
    return lowered;
  return cheapest(network, options, names, progress, 1);
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
  // Interval bounds are safe but far from tight: they serve the checks, not the units of the values.
  Network bounded = network;
  if (options.calibration.empty() && options.input_range) passes::bound_by_intervals(bounded, *options.input_range);
  Lowered lowered = with_visible_overflow(network, bounded, options, names, progress);
  passes::check_magnitudes(bounded, lowered, !options.calibration.empty());
  model.client = passes::describe_client(split, bounded, lowered, options);
  model.parameters = std::move(lowered.literal);
  model.program = std::move(lowered.program);
  return model;
}

}  // namespace tacit::graph
