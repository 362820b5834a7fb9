#include "graph/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/percent_text.h"
#include "graph/client_guards.h"
#include "graph/labels.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/passes/answers.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/batched.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/calibrated_ranges.h"
#include "graph/passes/check_wrapping.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/element_units.h"
#include "graph/passes/far_rows.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/output_units.h"
#include "graph/passes/recognise.h"
#include "graph/passes/relu_behind_pools.h"
#include "graph/passes/settle_outputs.h"
#include "graph/passes/text_forms.h"
#include "graph/passes/write_out.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/serialize.h"
#include "graph/slots/batch_products.h"
#include "graph/slots/cheapest_lowering.h"
#include "graph/slots/check_magnitudes.h"
#include "graph/slots/check_sharing.h"
#include "graph/slots/choose_degrees.h"
#include "graph/slots/describe_client.h"
#include "graph/slots/describe_sharding.h"
#include "graph/slots/lower.h"
#include "graph/slots/meanings.h"
#include "graph/slots/noise_source.h"
#include "graph/slots/optimise_sharding.h"
#include "graph/slots/propagate_sharding.h"
#include "graph/slots/sharded_layouts.h"
#include "graph/slots/too_deep.h"
#include "layout/diagonals.h"
#include "program/slots/linear_plan.h"
#include "program/slots/operation_prices.h"

namespace tacit::graph {
namespace {

using layout::Index;
using passes::Lowered;
using passes::Network;
using passes::NoiseLimits;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// An output that wraps around modulo the first prime is told by slots that should be zero. Where there are none, and
// in linear models, whose inputs may come in any unit, outputs keep one prime more: values that wrap around two primes
// do not come about from inputs that encrypt accepts. Nor do outputs fit into one prime whose bound by intervals is too
// large for it (`bounded` is the network with such bounds). Functions need no such care: outside their interval their
// polynomials blow up the imaginary parts.
Lowered with_visible_overflow(const Network& network, const Network& bounded, const CompileOptions& options,
                              const passes::ProgramNames& names, const std::optional<NoiseLimits>& limits,
                              base::Progress& progress, passes::PlannedMaps& planned) {
  const auto cheapest = [&](int output_level) {
    return passes::cheapest_lowering(network, options, names, limits, std::max(output_level, options.output_level),
                                     progress, &planned);
  };
  // Scales that leave room for sharing leave none between them and the first prime.
  if (options.sharing && !options.parameters) return cheapest(1);
  const bool may_spare = !passes::has_functions(network) && passes::is_leveled(network, options);
  if (may_spare && passes::depth_of(network) <= 1) return cheapest(1);
  Lowered lowered = cheapest(0);
  if (!may_spare || !(passes::hides_overflow(lowered.program) || passes::first_overflow(bounded, lowered)))
    return lowered;
  return cheapest(1);
}

// What sharing and the answers of the samples say about noise, once the series are chosen. `outputs` are those of the
// samples by the series.
std::optional<NoiseLimits> noise_limits(const Network& network, const passes::Answers& answers,
                                        const passes::SampleOutputs& outputs, const CompileOptions& options,
                                        const passes::NoiseSource& noise, Calibration* record) {
  if (!options.calibrated() || options.parameters) return std::nullopt;
  const double shared = options.sharing ? passes::most_noise_to_share(*options.sharing) : kNoLimit;
  if (options.samples() < passes::kFewestSamples) {
    if (!options.sharing) return std::nullopt;
    return NoiseLimits{&noise, std::vector<double>(network.outputs.size(), shared)};
  }
  NoiseLimits limits{&noise, options.measured ? options.measured->allowed_noise : answers.allowed_noise(outputs)};
  if (record) record->allowed_noise = limits.deviations;
  if (limits.deviations.size() != network.outputs.size())
    throw base::InputError("the ranges do not say how much noise every output may carry: run 'tacit calibrate' again");
  for (double& deviation : limits.deviations) deviation = std::min(deviation, shared);
  return limits;
}

// The client tells noise from garbage by what the model says about it.
void note_noise(program::ClientInterface& client, const Graph& after, const Lowered& lowered,
                const CompileOptions& options, const passes::NoiseSource& source, base::Progress& progress) {
  constexpr double kDeviations = 6;
  if (!options.calibrated()) return;
  progress.begin("simulate noise", 0);
  const std::vector<double> noise = source.of(lowered);
  progress.end();
  for (program::ClientOutput& output : client.outputs) {
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

// How far the decrypted tensors may be from the exact ones, by output: noise and, on the samples, the errors of series.
void allow_output_errors(CompiledModel& model, const passes::SampleOutputs& exact, const passes::SampleOutputs& series,
                         const Calibration* measured, Calibration* record) {
  constexpr double kDeviations = 8, kUnseen = 1.5, kOfCapacity = 0x1p-20;
  std::vector<double> errors = measured != nullptr ? measured->series_errors : usual_differences(exact, series);
  if (record != nullptr) record->series_errors = errors;
  errors.resize(model.client.outputs.size(), 0.0);
  for (const program::ClientOutput& output : model.client.outputs) {
    double& error = errors[output.program_output];
    const double noise = output.noise > 0 ? kDeviations * output.noise : kOfCapacity * (output.highest - output.lowest);
    error = kUnseen * error + noise * output.unit;
  }
  allow_errors(model.parts, errors);
  if (measured != nullptr) return settle_answers_by(model.parts, measured->answer_moves);
  std::vector<double> moves = settle_answers(model.parts, exact);
  if (record != nullptr) record->answer_moves = std::move(moves);
}

// The nodes that annotations speak of: those that are computed, before maxima are taken apart.
struct ShardedNodes {
  Graph graph;
  passes::ShardingAnalysis analysis;
};

ShardedNodes sharded_nodes(const Graph& encrypted, const Graph& model, const CompileOptions& options) {
  ShardedNodes nodes{options.passes.runs("relu-behind-pools") ? passes::relu_behind_pools(encrypted) : encrypted, {}};
  nodes.analysis = passes::analyse_sharding(nodes.graph, model, options.shardings);
  return nodes;
}

// Annotations, handed on to the values of a network. Reshards are priced in the slots of the parameters that were
// given, or else of the largest ring.
Network with_shardings(const Network& network, const ShardedNodes& nodes, const CompileOptions& options) {
  const PassControl& control = options.passes;
  passes::Propagated propagated =
      passes::propagate_sharding(network, nodes.graph, nodes.analysis, control.runs("propagate-sharding"));
  control.tell("propagate-sharding", [&] { return propagated.decisions; });
  if (!control.runs("optimise-sharding")) return std::move(propagated.network);
  const params::CkksLiteral literal = options.parameters.value_or(params::named_literal("S14"));
  const auto slots = static_cast<Index>(params::CkksParameters::check(literal).slots());
  passes::require_blocks_fit(propagated.network, slots);
  const slots::OperationPrices prices(literal, options.costs);
  passes::OptimisedSharding optimised =
      passes::optimise_sharding(std::move(propagated.network), slots, [&](const layout::LinearMap& map) {
        const slots::LinearSplits splits(layout::diagonal_set(map), map.in.ciphertexts(), map.out.ciphertexts());
        return splits.seconds(prices.linear(1));
      });
  control.tell("optimise-sharding", [&] { return optimised.decisions; });
  return std::move(optimised.network);
}

// So many samples a run, on the cheapest parameters.
struct Batch {
  Network bounded;         // with interval bounds, where nothing was measured
  CompileOptions options;  // with calibration samples side by side
  Lowered lowered;
  Index samples() const { return *options.batch; }
  double seconds_each() const { return lowered.cost.seconds / static_cast<double>(samples()); }
};

// The batch that was asked for, or, from 1 on in powers of two, the last that makes a sample cheaper by a twentieth and
// fits the memory.
Batch chosen_batch(const std::optional<Index>& asked, const std::function<Batch(Index)>& make) {
  constexpr double kCheaper = 0.95;
  if (asked && (*asked < 1 || *asked > kLargestBatch))
    base::refuse("a batch of {} samples (--batch): it takes 1 to {}", *asked, kLargestBatch);
  Batch best = make(asked.value_or(1));
  for (Index samples = 2; !asked && samples <= kLargestBatch; samples *= 2) try {
      Batch next = make(samples);
      if (next.seconds_each() > kCheaper * best.seconds_each()) break;
      best = std::move(next);
    } catch (const base::InputError&) {  // it does not fit the memory
      break;
    }
  return best;
}

bool costs_at_most(double times, const Batch& finer, const Batch& coarser) {
  const slots::ProgramCost &fine = finer.lowered.cost, &coarse = coarser.lowered.cost;
  return fine.seconds <= times * coarse.seconds && fine.memory.peak() <= times * coarse.memory.peak();
}

// What samples show, without rows that lie far from all others, which are dropped from `options`; or what a file says.
passes::OrdinaryCalibration calibrated(Network& network, CompileOptions& options, base::Progress& progress) {
  if (options.measured) return {{passes::restore_ranges(network, *options.measured)}, options.measured->far_rows, {}};
  passes::OrdinaryCalibration shown = passes::calibrate_on_ordinary(
      network, options.calibration, options.trim, options.first_sample, options.input_range, progress);
  passes::tell_outputs_apart(network, shown.calibrated.outputs);
  return shown;
}

void note(Calibration& record, const Network& network, const FarRows& far, std::size_t samples) {
  passes::record_ranges(network, record);
  record.samples = samples;
  record.far_rows = far;
}

// What is said of series that are lower than samples ask for. `why` is the refusal of higher ones.
std::string lowered_degrees(const passes::ChosenDegrees& chosen, const std::string& why) {
  const auto worst = std::ranges::max_element(chosen.approximations, {}, &Approximation::share);
  std::string text = fmt::format(
      "polynomials have lower degrees than the samples ask for, so that a parameter set fits: the worst, of degree {} "
      "for {} '{}', is off by up to {} of the function's largest value",
      worst->degree, worst->op, worst->node, base::percent_text(worst->share));
  if (chosen.changed > 0) text += fmt::format(", and {} of the answers change", base::percent_text(chosen.changed));
  return text + ". With the degrees asked for: " + why;
}

// What is known of the tensors that are encrypted: the samples as the client's first part leaves them. A public range
// of the inputs holds for them where that part only moves elements.
CompileOptions behind_client(const CompileOptions& options, const ClientParts& client) {
  CompileOptions inner = options;
  inner.calibration = samples_behind(client, std::move(inner.calibration));
  if (!only_moves(client)) inner.input_range.reset();
  return inner;
}

}  // namespace

CompiledModel compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  if (options.measured) {
    if (!options.calibration.empty())
      throw base::InputError("give calibration samples or the ranges that were measured on some, not both");
    require_fits(*options.measured, graph, options);
  }
  check(options.passes);
  if (!options.passes.skipped.empty() && (options.measured || options.keep_calibration))
    throw base::InputError("ranges in a file are those of networks that all passes have seen: leave out no pass");
  if (!options.shardings.empty() && (options.measured || options.keep_calibration))
    throw base::InputError(
        "ranges in a file are those of networks without annotations, whose values may be others: shard no node "
        "(--shard), or give calibration data instead (--calibrate FILE.npy)");
  if (options.sharing) {
    params::check(*options.sharing);
    if (!options.calibrated())
      throw base::InputError(
          "results are shared by the noise that the model leaves in them, which is measured on samples: give "
          "calibration data, such as training rows (--calibrate FILE.npy), or ranges (--ranges FILE.json)");
  }
  CompiledModel model;
  if (options.keep_calibration)
    model.calibration = Calibration{
        .model = digest(graph), .choices = options, .samples = options.samples(), .input_range = options.input_range};
  Calibration* const record = model.calibration ? &*model.calibration : nullptr;
  const PassControl& control = options.passes;
  const auto told = [&](const char* pass, auto&& made) -> decltype(auto) {
    control.tell(pass, [&] { return passes::to_text(made); });
    return std::forward<decltype(made)>(made);
  };
  const auto run = [&](const char* pass, auto value, const auto& function) {
    return control.runs(pass) ? told(pass, function(std::move(value))) : std::move(value);
  };
  passes::Parties parties = passes::assign_parties(told("write-out", passes::write_out(told("import", graph))),
                                                   {options.client_before, options.client_after, options.keep_private});
  CompileOptions inner = behind_client(options, parties.client);
  Graph encrypted = run("relu-behind-pools", told("assign-parties", parties.encrypted), passes::relu_behind_pools);
  encrypted = run("write-out-maxima", std::move(encrypted), passes::write_out_maxima);
  const passes::Recognised recognised = passes::recognise(encrypted);
  if (!inner.measured) passes::require_samples(recognised, inner.calibration);
  Network network = told("linearise", passes::linearise(recognised));
  if (!inner.measured) passes::check_wrapping(network, recognised.graph, inner.calibration, inner.input_range);
  std::set<TensorId> kept;
  std::optional<ShardedNodes> sharded;
  if (!options.shardings.empty()) {
    sharded = sharded_nodes(parties.encrypted, graph, options);
    control.tell("analyse-sharding", [&] { return passes::to_text(sharded->analysis, sharded->graph); });
    kept = passes::tensors_to_keep(passes::fold(network), sharded->graph, sharded->analysis);
  }
  network = run("fold", std::move(network), [&](const Network& whole) { return passes::fold(whole, kept); });
  network = run("batch-products", std::move(network), passes::batch_products);
  if (sharded) network = with_shardings(network, *sharded, options);
  network = run("isolate-functions", std::move(network), passes::isolate_function_inputs);
  const passes::OrdinaryCalibration exact = calibrated(network, inner, progress);
  if (record) note(*record, network, exact.far, inner.samples());
  passes::centre_functions(network);
  told("calibrate", network);
  network = run("input-units", std::move(network), passes::with_input_units);
  network = run("stretch", std::move(network), passes::with_stretched_elements);
  passes::measure(network, exact.calibrated.inputs);
  passes::forget_element_ranges(network);
  const passes::Answers answers(without_kept(parties.client), exact.calibrated.outputs, exact.stays_far);

  passes::ChosenDegrees chosen = inner.measured ? passes::restore_degrees(network, inner)
                                                : passes::choose_degrees(network, answers, inner, progress);
  control.tell("degrees", [&] { return passes::to_text(chosen.approximations); });
  passes::ProgramNames names{graph.name, {}, {}};
  for (const TensorId id : parties.encrypted.inputs) names.inputs.push_back(parties.encrypted.tensors[id].name);
  for (const TensorId id : parties.encrypted.outputs) names.outputs.push_back(parties.encrypted.tensors[id].name);
  // Interval bounds are safe but far from tight: they serve the checks, not the units of the values.
  std::optional<Network> by_intervals;
  if (!inner.calibrated() && inner.input_range)
    passes::bound_by_intervals(by_intervals.emplace(network), *inner.input_range);
  const Network& bounded = by_intervals ? *by_intervals : network;
  passes::PlannedMaps planned;
  const auto lowered_for = [&](const Network& of, const passes::SampleOutputs& outputs, const Network& within,
                               Index samples) {
    const auto in_units = [&](const Network& made_of) {
      return inner.sharing ? made_of : passes::with_output_units(made_of);  // bits are promised of every element alike
    };
    Batch made{passes::batched(in_units(within), samples), inner, {}};
    made.options.batch = samples;
    made.options.calibration = passes::batched(inner.calibration, samples);
    const passes::NoiseSource noise(made.options, record);
    made.lowered = with_visible_overflow(
        passes::batched(in_units(of), samples), made.bounded, made.options, names,
        noise_limits(of, answers, outputs.empty() ? exact.calibrated.outputs : outputs, inner, noise, record), progress,
        planned);
    return made;
  };
  std::optional<passes::Sharper> sharper;
  if (control.runs("sharper-degrees")) sharper = passes::sharper(network, chosen, answers, inner, progress);
  const auto lower_finer = [&](const std::optional<Index>& samples) -> std::optional<Batch> {
    try {
      return chosen_batch(samples, [&](Index some) {
        return lowered_for(sharper->network, sharper->chosen.outputs, sharper->network, some);
      });
    } catch (const base::InputError&) {  // it does not fit the memory, or no set is deep enough
      return std::nullopt;
    }
  };
  // Where the coarse series are of no use, they are lowered only if the finer ones cannot be.
  const bool alone = sharper && !passes::is_of_use(chosen);
  std::optional<Batch> finer = alone ? lower_finer(inner.batch) : std::nullopt, batch;
  while (!finer && !batch) try {
      batch = chosen_batch(inner.batch,
                           [&](Index samples) { return lowered_for(network, chosen.outputs, bounded, samples); });
    } catch (const passes::TooDeep& error) {
      std::optional<passes::Sharper> coarser;
      if (inner.calibrated() && !inner.measured && !inner.parameters)
        coarser = passes::coarser(network, chosen, answers, inner);
      if (!coarser) throw;
      network = std::move(coarser->network);
      chosen = std::move(coarser->chosen);
      model.degree_warning = lowered_degrees(chosen, error.what());
    }
  const std::vector<double> allowed = record ? record->allowed_noise : std::vector<double>();
  if (sharper && !alone) finer = lower_finer(batch->samples());
  if (sharper) {
    const bool worth =
        finer && (!batch || costs_at_most(passes::price_of_answers(sharper->chosen, chosen), *finer, *batch));
    control.tell("sharper-degrees", [&] {
      return fmt::format(
          "{}{} of answers changed instead of {}, {}: {}\n", passes::to_text(sharper->chosen.approximations),
          base::percent_text(sharper->chosen.changed, 3), base::percent_text(chosen.changed, 3),
          !finer  ? "too deep, or too large"
          : batch ? fmt::format("{:.4g} s instead of {:.4g}", finer->lowered.cost.seconds, batch->lowered.cost.seconds)
                  : fmt::format("{:.4g} s", finer->lowered.cost.seconds),
          worth ? "taken" : "left");
    });
    if (worth) {
      batch = std::move(finer);
      network = std::move(sharper->network);
      chosen = std::move(sharper->chosen);
    } else if (record) {
      record->allowed_noise = allowed;
    }
  }
  if (inner.measured) model.degree_warning = inner.measured->degree_warning;
  if (record) {
    passes::record_degrees(network, chosen, *record);
    record->degree_warning = model.degree_warning;
  }
  model.approximations = chosen.approximations;
  model.answers_changed = chosen.changed;
  model.far_rows = exact.far;
  Lowered& lowered = batch->lowered;
  model.memory = lowered.cost.memory;
  model.encoded_anew = slots::encoded_anew(lowered.cost, static_cast<double>(inner.memory.available()));
  for (const auto& [pass, text] : lowered.decisions) control.tell(pass, [&] { return text; });
  control.tell("sharding", [&] {
    if (!sharded) sharded = sharded_nodes(parties.encrypted, graph, options);
    return passes::to_text(passes::described_sharding(sharded->graph, sharded->analysis, lowered));
  });
  passes::check_magnitudes(batch->bounded, lowered, inner.calibrated());
  model.client = passes::describe_client(parties.encrypted, batch->bounded, lowered, inner);
  model.client.batch = batch->samples();
  note_noise(model.client, parties.client.after, lowered, inner, passes::NoiseSource(batch->options, record), progress);
  if (inner.sharing) passes::check_sharing(model.client, *inner.sharing, has_labels(parties.client));
  model.meanings = passes::meanings(parties.encrypted, lowered);
  model.parameters = std::move(lowered.literal);
  model.program = std::move(lowered.program);
  model.parts = std::move(parties.client);
  model.encrypted = std::move(parties.encrypted);
  model.parts.after = passes::settle_outputs(std::move(model.parts.after), model.parts.kept);
  if (wants_errors(model.parts.after))
    allow_output_errors(model, exact.calibrated.outputs, chosen.outputs, inner.measured.get(), record);
  return model;
}

}  // namespace tacit::graph
