#include "graph/slots/choose_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/passes/batched.h"
#include "graph/passes/output_units.h"
#include "graph/slots/cheapest_lowering.h"
#include "graph/slots/check_magnitudes.h"
#include "graph/slots/check_precision.h"
#include "graph/slots/check_sharing.h"
#include "graph/slots/noise_source.h"
#include "graph/slots/slots_draft.h"
#include "graph/slots/trees_in_slots.h"
#include "layout/few_samples.h"
#include "layout/rows_alike.h"
#include "params/owner_flood.h"

namespace tacit::graph::passes {
namespace {

// True if larger scales may serve better: those of sets without bootstraps leave no room between them and the first
// prime, so that outputs keep two primes.
bool is_imprecise(const Lowered& lowered, const NoiseLimits& limits, const Network& network) {
  return lowered.literal.bootstrap || excess(limits, network, lowered) > 1;
}

// True if a lowering is quiet and faster than another one, or quieter than one that is not quiet.
bool is_better(const Lowered& lowered, const Lowered& than, const NoiseLimits& limits, const Network& network) {
  const double noise = excess(limits, network, lowered), other = excess(limits, network, than);
  return noise <= 1 ? other > 1 || lowered.cost.seconds < than.cost.seconds : noise < other;
}

// Lowers a batch. An output that wraps around modulo the first prime is recognised by slots that should be zero. These
// outputs keep one prime more:
// - Outputs without such slots.
// - Outputs of linear models. Their inputs may have any unit. No input that `encrypt` accepts wraps around two primes.
// - Outputs that are too large for the first prime by their bound from intervals.
//
// Functions need no such care: outside of its interval a polynomial makes the imaginary parts huge. Trees do not,
// because the client makes their bits itself: scores stay in the range of the leaves. Tables do not, because the client
// quantises.
base::Feasible<Lowered> with_visible_overflow(SlotsDraft& draft, const Network& network, const Batch& batch,
                                              const ProgramNames& names, const std::optional<NoiseLimits>& limits) {
  const CompileOptions& options = batch.options;
  const auto cheapest = [&](int output_level) {
    return cheapest_lowering(network, options, names, limits, std::max(output_level, options.output_level),
                             draft.progress, &draft.planned);
  };
  // Scales that leave room for sharing leave none between them and the first prime.
  if (options.flooded() && !options.parameters) return cheapest(1);
  const bool may_spare =
      !has_functions(network) && !has_tables(network) && !encrypts_bits_alone(draft) && is_leveled(network, options);
  if (may_spare && depth_of(network) <= 1) return cheapest(1);
  base::Feasible<Lowered> lowered = cheapest(0);
  if (options.precision && lowered && limits && is_leveled(network, options) &&
      is_imprecise(*lowered, *limits, network)) {
    base::Feasible<Lowered> precise = cheapest(1);
    if (precise && is_better(*precise, *lowered, *limits, network)) return precise;
  }
  if (!lowered || !may_spare) return lowered;
  if (hides_overflow(lowered->program) || first_overflow(batch.bounded, *lowered)) return cheapest(1);
  return lowered;
}

// Returns the noise that sharing, the asked precision and the answers of the samples allow.
std::optional<NoiseLimits> noise_limits(SlotsDraft& draft, const WithSeries& series, const NoiseSource& noise) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const CompileOptions& options = draft.options;
  if (!options.calibrated() || options.parameters) return std::nullopt;
  const std::size_t outputs = series.network.outputs.size();
  std::vector<double> asked(outputs, options.sharing ? most_noise_to_share(*options.sharing) : kNoLimit);
  if (options.precision)
    for (std::size_t o = 0; o < outputs; ++o)
      asked[o] = std::min(asked[o],
                          most_noise_for(*options.precision, series.network.values[series.network.outputs[o]].range));
  if (options.samples() < kFewestSamples) {
    if (!options.sharing && !options.precision) return std::nullopt;
    return NoiseLimits{&noise, std::move(asked)};
  }
  // What is decrypted together is flooded by many times its noise.
  const double flood =
      options.owners ? params::owners_flood(1, static_cast<int>(options.owners->parts.parts()), options.owners->promise)
                     : 1;
  const SampleOutputs& answered = series.outputs.empty() ? draft.exact.calibrated.outputs : series.outputs;
  NoiseLimits limits{&noise,
                     options.measured ? options.measured->allowed_noise : draft.answers->allowed_noise(answered)};
  if (Calibration* const record = draft.record()) record->allowed_noise = limits.deviations;
  if (limits.deviations.size() != outputs)
    throw base::InputError("the ranges do not say how much noise every output may carry: run 'tacit calibrate' again");
  for (std::size_t o = 0; o < outputs; ++o) limits.deviations[o] = std::min(limits.deviations[o] / flood, asked[o]);
  return limits;
}

ProgramNames names_of(const SlotsDraft& draft) {
  const Graph& encrypted = draft.parties.encrypted;
  ProgramNames names{draft.model.name, {}, {}};
  for (const TensorId id : encrypted.inputs) names.inputs.push_back(encrypted.tensors[id].name);
  for (const TensorId id : encrypted.outputs) names.outputs.push_back(encrypted.tensors[id].name);
  return names;
}

// Bits of shared results and of precision are promised of every element alike.
Network in_output_units(const SlotsDraft& draft, const Network& network) {
  return draft.options.sharing || draft.options.precision ? network : with_output_units(network);
}

base::Feasible<Batch> batch_of(SlotsDraft& draft, const WithSeries& series, layout::Index samples) {
  Batch batch{batched(in_output_units(draft, series.checked), samples), draft.options, {}};
  batch.options.batch = samples;
  batch.options.calibration = batched(draft.options.calibration, samples);
  const NoiseSource noise(batch.options, draft.record());
  base::Feasible<Lowered> lowered =
      with_visible_overflow(draft, batched(in_output_units(draft, series.network), samples), batch, names_of(draft),
                            noise_limits(draft, series, noise));
  if (!lowered) return lowered.problem();
  batch.lowered = *std::move(lowered);
  return batch;
}

// Reports a number of samples that was tried.
void tell_batch(const SlotsDraft& draft, layout::Index samples, const base::Feasible<Batch>& batch, bool taken) {
  draft.control.tell("search", [&] {
    const std::string price = batch ? fmt::format("{:.4g} s each: {}", batch->seconds_each(),
                                                  taken ? "the cheapest so far" : "not a twentieth cheaper")
                                    : batch.problem().reason();
    return fmt::format("batch of {}: {}\n", samples, price);
  });
}

// Returns the number of samples that the inputs of a program have places for, if they are outermost in a ciphertext and
// free places must become zero.
layout::Index outermost_places(const slots::Program& program) {
  layout::Index places = 1;
  for (const slots::Instruction& instruction : program.instructions)
    if (const auto* linear = std::get_if<slots::Linear>(&instruction.operation))
      for (const slots::LinearTerm& term : linear->terms)
        if (layout::sample_slots(term.map) && !layout::FewSamples::of(term.map))
          places = std::max(places, term.map.in.within().front().extent);
  return places;
}

// Fills the places without a sample if much smaller weights make the same run. Such places must keep zeros. Weights
// that keep them do not repeat with the samples.
base::Feasible<Batch> in_all_places(SlotsDraft& draft, const WithSeries& series, base::Feasible<Batch> batch) {
  constexpr double kSmaller = 0.5;
  if (!batch) return batch;
  const layout::Index places = outermost_places(batch->lowered.program);
  if (places <= batch->samples()) return batch;
  base::Feasible<Batch> full = batch_of(draft, series, places);
  if (!full) return batch;
  const slots::ProgramCost &cost = full->lowered.cost, &with_free = batch->lowered.cost;
  const bool better = cost.seconds <= with_free.seconds && cost.memory.weights < kSmaller * with_free.memory.weights;
  return better ? std::move(full) : std::move(batch);
}

}  // namespace

base::Feasible<Batch> choose_batch(SlotsDraft& draft, const WithSeries& series,
                                   const std::optional<std::int64_t>& asked) {
  constexpr double kCheaper = 0.95;
  base::Feasible<Batch> best = batch_of(draft, series, asked.value_or(1));
  if (asked) return in_all_places(draft, series, std::move(best));
  tell_batch(draft, 1, best, true);
  for (layout::Index samples = 2; best && samples <= kLargestBatch; samples *= 2) {
    base::Feasible<Batch> next = batch_of(draft, series, samples);
    const bool better = next && next->seconds_each() <= kCheaper * best->seconds_each();
    tell_batch(draft, samples, next, better);
    if (!better) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace tacit::graph::passes
