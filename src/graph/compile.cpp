#include "graph/compile.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/choose_layouts.h"
#include "graph/passes/choose_parameters.h"
#include "graph/passes/emit.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/post_process.h"
#include "layout/diagonals.h"
#include "program/levels.h"

namespace tacit::graph {
namespace {

using passes::Function;
using passes::Network;
using passes::SplitGraph;

// Bits of the first prime above the scale that stay free above the bound of an output: a factor of four for values
// outside the calibrated range, and the sign.
constexpr int kOutputSpareBits = 3;
constexpr int kOutputHeadroomBits = 10;

bool has_functions(const Network& network) {
  return std::any_of(network.values.begin(), network.values.end(),
                     [](const passes::Value& value) { return std::holds_alternative<Function>(value.operation); });
}

double largest_output(const params::CkksLiteral& literal) {
  return std::exp2(std::min(6, literal.q_bits.at(0) - literal.log_scale - kOutputSpareBits));
}

double map_price(const layout::LinearMap& map) {
  const layout::DiagonalSet set = layout::diagonal_set(map);
  const double diagonals = static_cast<double>(set.diagonals.size());
  const double rotations = 2 * std::sqrt(diagonals) + static_cast<double>(set.folds.size());
  return rotations * static_cast<double>(map.in.ciphertexts() + map.out.ciphertexts()) +
         0.1 * static_cast<double>(set.products);
}

// The set to use: the user's, or the smallest ring whose slots hold every tensor in one ciphertext, or else the largest.
params::CkksLiteral choose_literal(const Network& network, const CompileOptions& options) {
  if (options.parameters) return *options.parameters;
  const std::vector<params::CkksLiteral> candidates =
      passes::candidate_literals({passes::depth_of(network), has_functions(network), kOutputHeadroomBits});
  for (const params::CkksLiteral& literal : candidates) {
    const layout::Index slots = layout::Index{1} << (literal.log_n - 1);
    const bool fits = std::all_of(network.values.begin(), network.values.end(), [&](const passes::Value& value) {
      return layout::Layout::row_major(value.shape, slots).ciphertexts() == 1;
    });
    if (fits) return literal;
  }
  return candidates.back();
}

program::ClientInterface describe_client(const Graph& graph, const SplitGraph& split, const program::Program& program,
                                         const passes::Normalised& normalised, const Network& calibrated,
                                         const CompileOptions& options) {
  program::ClientInterface client;
  std::vector<const program::Instruction*> outputs;
  for (const program::Instruction& instruction : program.instructions) {
    if (const auto* input = std::get_if<program::Input>(&instruction.operation)) {
      program::ClientInput described{input->name, instruction.layout, instruction.level, instruction.scale, 0, 0};
      if (options.input_range) std::tie(described.lowest, described.highest) = *options.input_range;
      client.inputs.push_back(std::move(described));
    }
    if (std::holds_alternative<program::Output>(instruction.operation)) outputs.push_back(&instruction);
  }
  if (!options.input_range && has_functions(calibrated))
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      for (const passes::Value& value : calibrated.values)
        if (const auto* input = std::get_if<passes::Private>(&value.operation); input && input->input == i) {
          const double margin = passes::kCalibrationMargin * (value.range.highest - value.range.lowest);
          client.inputs[i].lowest = value.range.lowest - margin;
          client.inputs[i].highest = value.range.highest + margin;
        }
  for (const passes::PlannedOutput& planned : split.outputs) {
    const std::vector<TensorId>& sources = split.encrypted.graph.outputs;
    const auto position = static_cast<std::size_t>(std::find(sources.begin(), sources.end(), planned.source) -
                                                   sources.begin());
    const passes::ValueId value = normalised.network.outputs[position];
    program::ClientOutput output;
    output.name = planned.name;
    output.layout = outputs[position]->layout;
    output.program_output = position;
    if (normalised.factors[value] != 1) output.steps.push_back({"scale", -1, {1 / normalised.factors[value]}});
    output.steps.insert(output.steps.end(), planned.steps.begin(), planned.steps.end());
    output.final_shape = planned.final_shape;
    if (const passes::Range& range = normalised.network.values[value].range; range.known()) {
      const double margin = std::max(range.highest - range.lowest, range.bound());
      output.lowest = range.lowest - margin;
      output.highest = range.highest + margin;
    }
    client.outputs.push_back(std::move(output));
  }
  return client;
}

}  // namespace

CompiledModel compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  const SplitGraph split = passes::split_post_processing(passes::recognise(graph));
  Network network = passes::fold(passes::linearise(split.encrypted));
  passes::calibrate(network, options.calibration, progress);
  if (options.calibration.empty() && options.input_range) passes::bound_by_intervals(network, *options.input_range);
  network = passes::isolate_function_inputs(network);

  CompiledModel model;
  model.approximations = passes::fit_functions(network, options.max_degree);
  model.parameters = choose_literal(network, options);
  const params::CkksParameters parameters = params::CkksParameters::check(model.parameters);
  const passes::Normalised normalised = passes::normalise(network, largest_output(model.parameters));

  const auto layouts = passes::choose_layouts(
      normalised.network, static_cast<layout::Index>(parameters.slots()),
      [](const layout::LinearMap& map, passes::ValueId) { return map_price(map); });
  std::vector<std::string> input_names, output_names;
  for (const TensorId id : graph.inputs) input_names.push_back(graph.tensors[id].name);
  for (const TensorId id : split.encrypted.graph.outputs)
    output_names.push_back(split.encrypted.graph.tensors[id].name);
  model.program = passes::emit(normalised.network, layouts, input_names, output_names, graph.name);
  program::verify(model.program);
  program::assign_levels(model.program, parameters);
  model.client = describe_client(graph, split, model.program, normalised, network, options);
  return model;
}

}  // namespace tacit::graph
