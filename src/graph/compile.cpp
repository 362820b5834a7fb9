#include "graph/compile.h"

#include <optional>

#include "graph/passes/answers.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/cheapest_lowering.h"
#include "graph/passes/check_magnitudes.h"
#include "graph/passes/choose_degrees.h"
#include "graph/passes/choose_parameters.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/describe_client.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/lower.h"
#include "graph/passes/meanings.h"
#include "graph/passes/normalise.h"
#include "graph/passes/output_noise.h"
#include "graph/passes/post_process.h"

namespace tacit::graph {
namespace {

using passes::Lowered;
using passes::Network;
using passes::NoiseLimits;

bool has_spare_level(const Network& network, const CompileOptions& options) {
  passes::ParameterNeeds needs = passes::parameter_needs(network, options, 1);
  needs.approximations = false;
  if (options.parameters) return static_cast<int>(options.parameters->q_bits.size()) > needs.depth;
  return passes::literal_for(passes::kLargestLogN, needs).has_value();
}

// An output that wraps around modulo the first prime is told by slots that should be zero. Where there are none, and
// in linear models, whose inputs may come in any unit, outputs keep one prime more: values that wrap around two primes
// do not come about from inputs that encrypt accepts. Nor do outputs fit into one prime whose bound by intervals is too
// large for it (`bounded` is the network with such bounds). Functions need no such care: outside their interval their
// polynomials blow up the imaginary parts.
Lowered with_visible_overflow(const Network& network, const Network& bounded, const CompileOptions& options,
                              const passes::ProgramNames& names, const std::optional<NoiseLimits>& limits,
                              base::Progress& progress) {
  const auto cheapest = [&](int output_level) {
    return passes::cheapest_lowering(network, options, names, limits, output_level, progress);
  };
  const bool may_spare = !passes::has_functions(network) && has_spare_level(network, options);
  if (may_spare && passes::depth_of(network) <= 1) return cheapest(1);
  Lowered lowered = cheapest(0);
  if (!may_spare || !(passes::hides_overflow(lowered.program) || passes::first_overflow(bounded, lowered)))
    return lowered;
  return cheapest(1);
}

// What the answers of the samples say about noise, once the series are chosen.
std::optional<NoiseLimits> noise_limits(const Network& network, const passes::Answers& answers,
                                        const CompileOptions& options) {
  if (options.calibration.size() < passes::kFewestSamples || options.parameters) return std::nullopt;
  std::vector<std::vector<std::vector<double>>> outputs(options.calibration.size());
  passes::SampleRun(network, options.calibration, passes::Functions::by_series)
      .each([&](std::size_t s, const passes::SampleNumbers& numbers) {
        outputs[s] = numbers.of(network.outputs);
        return true;
      });
  return NoiseLimits{&options.calibration, answers.allowed_noise(outputs)};
}

// The client tells noise from garbage by what the model says about it.
void note_noise(program::ClientInterface& client, const Lowered& lowered, const CompileOptions& options) {
  if (options.calibration.empty()) return;
  const std::vector<double> noise = passes::output_noise(lowered, options.calibration);
  for (program::ClientOutput& output : client.outputs) output.noise = noise.at(output.program_output);
}

}  // namespace

CompiledModel compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  const passes::SplitGraph split =
      passes::split_post_processing(passes::recognise(graph), options.client_post_processing);
  Network network = passes::fold(passes::linearise(split.encrypted));
  network = passes::isolate_function_inputs(network);
  passes::calibrate(network, options.calibration, progress);
  passes::centre_functions(network);
  network = passes::with_stretched_elements(passes::with_input_units(std::move(network)));
  const passes::Answers answers(split, passes::measure(network, options.calibration, progress));

  CompiledModel model;
  model.approximations = passes::choose_degrees(network, answers, options.calibration, options.max_degree, progress);
  passes::ProgramNames names{graph.name, {}, {}};
  for (const TensorId id : graph.inputs) names.inputs.push_back(graph.tensors[id].name);
  for (const TensorId id : split.encrypted.graph.outputs)
    names.outputs.push_back(split.encrypted.graph.tensors[id].name);
  // Interval bounds are safe but far from tight: they serve the checks, not the units of the values.
  Network bounded = network;
  if (options.calibration.empty() && options.input_range) passes::bound_by_intervals(bounded, *options.input_range);
  Lowered lowered =
      with_visible_overflow(network, bounded, options, names, noise_limits(network, answers, options), progress);
  passes::check_magnitudes(bounded, lowered, !options.calibration.empty());
  model.client = passes::describe_client(split, bounded, lowered, options);
  note_noise(model.client, lowered, options);
  model.meanings = passes::meanings(graph, split.encrypted.graph, lowered);
  model.parameters = std::move(lowered.literal);
  model.program = std::move(lowered.program);
  return model;
}

}  // namespace tacit::graph
