#include "graph/quant/program_passes.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graph/client_guards.h"
#include "graph/passes/settle_outputs.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/integers_draft.h"
#include "graph/quant/measured_elements.h"
#include "graph/quant/output_errors.h"
#include "graph/quant/pass_texts.h"
#include "graph/quant/whole_sums.h"
#include "program/integers/neighbour_rates.h"

namespace tacit::graph::quant {
namespace {

/// Returns the first samples as integers. Their number is enough to show how far sums are from borders of boxes.
std::vector<std::vector<integers::Integers>> quantised_samples(const integers::ClientInterface& client,
                                                               const std::vector<std::vector<Tensor>>& samples) {
  constexpr std::size_t kMost = 200;
  std::vector<std::vector<integers::Integers>> result(std::min(samples.size(), kMost));
  for (std::size_t s = 0; s < result.size(); ++s)
    for (std::size_t i = 0; i < client.inputs.size(); ++i) {
      integers::ClientInput input = client.inputs[i];
      input.saturates = true;  // a given range may be narrower
      result[s].push_back(integers::quantise(input, samples[s].at(i).data));
    }
  return result;
}

/// Lists in the client's steps that the client sees borders of grids, among which are thresholds.
void state_borders(CompiledIntegers& compiled) {
  std::vector<ClientNode>& nodes = compiled.parts.nodes;
  for (const integers::ClientInput& input : compiled.client.inputs)
    if (input.borders.present())
      nodes.insert(
          std::ranges::find(nodes, false, &ClientNode::before),
          {input.name, "thresholds among decoys", true, static_cast<std::int64_t>(input.borders.rising.size())});
}

/// Returns the bits of operands, weights and results by the user's options.
Precision precision_of(const CompileOptions& options) {
  Precision precision;
  precision.bits = options.bits;
  precision.weight_bits = std::max(options.bits, 4);
  constexpr int kMostOfResults = 6;
  precision.result_weight_bits = std::min(precision.weight_bits, kMostOfResults);
  precision.rounding = options.rounding;
  if (options.rounding == Rounding::approximate) return precision;
  // Sums have so few bits that noise stays below the lowest, also if nothing is rounded. With 6 bits of operands and of
  // weights, a sum of a few terms has 15 bits. That is about what the noise of bootstraps leaves room for.
  constexpr int kMostCoarse = 6;
  precision.input_bits = 12;
  precision.first_weight_bits = 8;
  precision.weight_bits = precision.result_weight_bits = std::min(precision.weight_bits, kMostCoarse);
  precision.result_bits = std::min(options.bits, kMostCoarse) - 1;
  precision.coarse_weight_bits = precision.weight_bits;
  precision.coarse_input_bits = precision.weight_bits + 2;
  return precision;
}

/// Returns the precision of a draft, with the margin of its ranges.
Precision precision_of(const IntegersDraft& draft) {
  constexpr std::size_t kManySamples = 256;
  // Bounds hold for all inputs, except for the rounding of weights and tables.
  constexpr double kMarginOfBounds = 1.0 / 32;
  Precision precision = precision_of(draft.options);
  const auto& measured = draft.options.measured;
  if ((measured ? measured->samples : draft.samples.size()) < kManySamples) precision.margin *= 1.5;
  if (draft.by_intervals()) precision.margin = kMarginOfBounds;
  const Graph& encrypted = draft.parties.encrypted;
  for (const TensorId id : encrypted.inputs) precision.whole_inputs.push_back(encrypted.tensors[id].integral ? 1 : 0);
  return precision;
}

/// Throws InputError if results of integers would be other integers (require_whole).
void require_whole_outputs(const CompiledIntegers& compiled, const passes::Network& network,
                           const std::vector<std::vector<Tensor>>& samples,
                           const std::vector<std::vector<integers::Integers>>& inputs) {
  bool integral = false;
  for (std::size_t o = 0; o < compiled.encrypted.outputs.size(); ++o)
    integral = integral ||
               (compiled.encrypted.tensors[compiled.encrypted.outputs[o]].integral && !compiled.whole_outputs.at(o));
  if (!integral) return;
  std::vector<double> steps;
  for (const integers::ClientOutput& output : compiled.client.outputs) {
    const std::vector<double>& scales = output.quantiser.scale.values();
    steps.push_back(scales.empty() ? 0 : *std::ranges::max_element(scales));
  }
  require_whole(network, compiled.encrypted, steps, exact_outputs(compiled, samples, inputs.size()),
                outputs_of(compiled, inputs, false));
}

}  // namespace

void search_programs(IntegersDraft& draft) {
  std::vector<std::string> outputs;
  for (const TensorId id : draft.parties.encrypted.outputs) outputs.push_back(draft.parties.encrypted.tensors[id].name);
  Measurements* const record = draft.record();
  if (record) {
    record->samples = draft.samples.size();
    record->far_rows = draft.compiled.far_rows;
    record->values = note_elements(draft.network);
  }
  base::Feasible<Chosen> chosen = cheapest(
      precision_of(draft),
      [&](const Precision& precision) {
        if (record)
          std::ranges::move(note_grids(draft.network, draft.grids, precision.bits), std::back_inserter(record->grids));
        return quantise(draft.network, draft.inputs, outputs, precision, draft.interval, draft.grids);
      },
      draft.options.log2_failure, draft.options.parameters, draft.control);
  if (!chosen) {
    draft.lacking = chosen.problem();
    return;
  }
  static_cast<Quantised&>(draft.compiled) = std::move(chosen->quantised);
  draft.compiled.parameters = std::move(chosen->parameters);
}

void take_parameters(IntegersDraft& draft) {
  if (draft.lacking) draft.lacking->refuse();
  draft.control.tell("parameters", [&] { return params::to_json(draft.compiled.parameters) + "\n"; });
}

void take_program(IntegersDraft& draft) {
  CompiledIntegers& compiled = draft.compiled;
  compiled.program.name = draft.model.name;
  draft.control.tell("program", [&] { return integers::to_text(compiled.program); });
  if (Measurements* const record = draft.record()) record->program.digest = digest_of(compiled, compiled.parameters);
  if (const auto& measured = draft.options.measured) require_measured(measured->program, compiled, compiled.parameters);
  const std::size_t tensors = draft.parties.encrypted.tensors.size();
  for (IntegerMeaning& meaning : compiled.meanings)  // maxima that were written out have new tensors
    if (meaning.tensor != kNoTensor && meaning.tensor >= tensors) meaning.tensor = kNoTensor;
  if (draft.by_intervals() && integers::lookups(compiled.program) > 0)
    compiled.warnings.emplace_back(
        "the ranges of all sums are bounds that follow from the range of the inputs, and usually far wider than what "
        "inputs reach, so that tables are coarse: calibration data (--calibrate) makes results finer");
}

void describe_to_client(IntegersDraft& draft) {
  CompiledIntegers& compiled = draft.compiled;
  compiled.parts = std::move(draft.parties.client);
  compiled.encrypted = std::move(draft.parties.encrypted);
  state_borders(compiled);
  draft.quantised = quantised_samples(compiled.client, draft.samples);
}

void check_whole_outputs(IntegersDraft& draft) {
  require_whole_outputs(draft.compiled, draft.network, draft.samples, draft.quantised);
}

void settle_client(IntegersDraft& draft) {
  CompiledIntegers& compiled = draft.compiled;
  compiled.parts.after = passes::settle_outputs(std::move(compiled.parts.after), compiled.parts.kept);
  if (!wants_errors(compiled.parts.after)) return;
  if (const auto& measured = draft.options.measured) {
    allow_errors(compiled.parts, measured_errors(measured->program, compiled.client.outputs.size()));
    settle_answers_by(compiled.parts, measured->program.answer_moves);
    return;
  }
  const std::vector<double> errors = output_errors(compiled, draft.samples, draft.quantised);
  allow_errors(compiled.parts, errors);
  const std::vector<double> moves =
      settle_answers(compiled.parts, exact_outputs(compiled, draft.samples, draft.quantised.size()));
  if (Measurements* const record = draft.record()) {
    record->program.errors = errors;
    record->program.answer_moves = moves;
  }
}

void predict_neighbours(IntegersDraft& draft) {
  CompiledIntegers& compiled = draft.compiled;
  const auto& measured = draft.options.measured;
  compiled.neighbour_rates =
      measured ? measured->program.neighbour_rates
               : integers::neighbour_rates(compiled.program, params::TfheParameters::check(compiled.parameters),
                                           draft.quantised);
  if (Measurements* const record = draft.record()) record->program.neighbour_rates = compiled.neighbour_rates;
  draft.control.tell("neighbour-rates",
                     [&] { return neighbour_rates_text(compiled.program, compiled.neighbour_rates); });
}

}  // namespace tacit::graph::quant
