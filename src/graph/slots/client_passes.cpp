#include "graph/slots/client_passes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/client_guards.h"
#include "graph/labels.h"
#include "graph/passes/settle_outputs.h"
#include "graph/slots/check_precision.h"
#include "graph/slots/check_sharing.h"
#include "graph/slots/describe_client.h"
#include "graph/slots/judge_owners.h"
#include "graph/slots/meanings.h"
#include "graph/slots/noise_source.h"
#include "graph/slots/round_votes.h"
#include "graph/slots/slots_draft.h"
#include "params/owner_flood.h"

namespace tacit::graph::passes {
namespace {

// Notes the noise of outputs, by which the client distinguishes noise from garbage.
void note_noise(SlotsDraft& draft) {
  constexpr double kDeviations = 6;
  if (!draft.options.calibrated()) return;
  const Graph& after = draft.parties.client.after;
  draft.progress.begin("simulate noise", 0);
  const std::vector<double> noise = NoiseSource(draft.batch->options, draft.record()).of(draft.batch->lowered);
  draft.progress.end();
  for (program::ClientOutput& output : draft.compiled.client.outputs) {
    output.noise = noise.at(output.program_output);
    const double largest = kDeviations * output.noise * output.unit;
    const double reach = std::max(std::abs(output.lowest), std::abs(output.highest)) * output.unit;
    if (after.tensors[after.inputs.at(output.program_output)].integral && largest > kMostNoiseOfIntegers)
      base::refuse(
          "tensor '{}' holds integers up to about {:.3g} that would come back with noise of up to {:.2g}, and {} is "
          "the "
          "most that tells one from the next: integers up to about {:.3g} fit; use smaller integers, floating-point "
          "numbers, or --scheme tfhe, where sums of wide integers are exact",
          output.name, reach, largest, kMostNoiseOfIntegers, reach * kMostNoiseOfIntegers / largest);
  }
}

// Returns the ranges of the outputs over the samples, in the model's units.
std::vector<Range> output_ranges(const Network& network) {
  std::vector<Range> ranges;
  for (const ValueId id : network.outputs) ranges.push_back(network.values[id].range);
  return ranges;
}

// States by output how far decrypted tensors may be from the exact ones: noise and, on the samples, errors of series.
void allow_output_errors(SlotsDraft& draft) {
  constexpr double kDeviations = 8, kUnseen = 1.5, kOfCapacity = 0x1p-20;
  const Calibration* const measured = draft.options.measured.get();
  Calibration* const record = draft.record();
  const SampleOutputs& exact = draft.exact.calibrated.outputs;
  CompiledModel& compiled = draft.compiled;
  std::vector<double> errors =
      measured != nullptr ? measured->series_errors : usual_differences(exact, draft.chosen.outputs);
  if (record != nullptr) record->series_errors = errors;
  errors.resize(compiled.client.outputs.size(), 0.0);
  for (const program::ClientOutput& output : compiled.client.outputs) {
    double& error = errors[output.program_output];
    // What owners decrypt together has their floods.
    const double deviation = draft.options.owners ? params::owners_flood(output.noise, compiled.parameters.parts,
                                                                         draft.options.owners->promise)
                                                  : output.noise;
    const double noise = deviation > 0 ? kDeviations * deviation : kOfCapacity * (output.highest - output.lowest);
    error = kUnseen * error + noise * output.unit;
  }
  allow_errors(compiled.parts, errors);
  if (measured != nullptr) return settle_answers_by(compiled.parts, measured->answer_moves);
  std::vector<double> moves = settle_answers(compiled.parts, exact);
  if (record != nullptr) record->answer_moves = std::move(moves);
}

}  // namespace

void describe_to_client(SlotsDraft& draft) {
  const Batch& batch = *draft.batch;
  draft.compiled.client = describe_client(draft.parties.encrypted, batch.bounded, batch.lowered, draft.options);
  draft.compiled.client.batch = batch.samples();
  note_noise(draft);
  if (draft.options.owners)
    judge_owners(draft.compiled.client, draft.parties.client, draft.exact.calibrated.outputs, *draft.options.owners);
  if (const std::optional<int>& bits = draft.options.precision)
    check_precision(draft.compiled.client, output_ranges(draft.network), *bits,
                    draft.options.parameters ? draft.options.parameters->name : std::string());
  if (draft.options.sharing)
    check_sharing(draft.compiled.client, *draft.options.sharing, has_labels(draft.parties.client));
}

void find_meanings(SlotsDraft& draft) {
  draft.compiled.meanings = meanings(draft.parties.encrypted, draft.batch->lowered);
}

void settle_client(SlotsDraft& draft) {
  CompiledModel& compiled = draft.compiled;
  compiled.parameters = std::move(draft.batch->lowered.literal);
  compiled.program = std::move(draft.batch->lowered.program);
  compiled.parts = std::move(draft.parties.client);
  compiled.encrypted = std::move(draft.parties.encrypted);
  compiled.parts.after = settle_outputs(std::move(compiled.parts.after), compiled.parts.kept);
  round_votes(compiled.parts, compiled.client);
  if (wants_errors(compiled.parts.after)) allow_output_errors(draft);
}

}  // namespace tacit::graph::passes
