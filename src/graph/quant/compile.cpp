#include "graph/quant/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "graph/client_guards.h"
#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/links.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/far_rows.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/relu_behind_pools.h"
#include "graph/passes/settle_outputs.h"
#include "graph/passes/write_out.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/passes/write_out_pieces.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/element_bounds.h"
#include "graph/quant/feature_grids.h"
#include "graph/quant/feature_ranges.h"
#include "graph/quant/fold_into_leaves.h"
#include "graph/quant/join_sums.h"
#include "graph/quant/output_errors.h"
#include "graph/quant/quantise.h"
#include "graph/quant/split_inputs.h"
#include "graph/quant/whole_sums.h"
#include "program/integers/neighbour_rates.h"

namespace tacit::graph::quant {
namespace {

using Interval = std::pair<double, double>;

/// Returns the interval of the integers of a type, if there are few enough for an input to hold them one by one.
std::optional<Interval> interval_of(IntegerType type) {
  constexpr double kMost = 65536;
  const IntegerRange range = range_of(type);
  return range.highest - range.lowest < kMost ? std::optional(Interval{range.lowest, range.highest}) : std::nullopt;
}

/// Returns an interval that a tensor of the client cannot leave before encryption: a Clip saturates it, or its type
/// ends there.
std::optional<Interval> saturated(const Graph& before, TensorId id) {
  const Links links(before);
  while (const std::optional<std::size_t> maker = links.makers[id]) {
    const Node& node = before.nodes[*maker];
    const auto bound = [&](std::size_t i) {
      return i < node.inputs.size() && node.inputs[i] != kNoTensor && before.is_constant(node.inputs[i])
                 ? before.constant(node.inputs[i]).data
                 : std::vector<double>{};
    };
    if (node.op == "Clip" && bound(1).size() == 1 && bound(2).size() == 1 && bound(1) <= bound(2))
      return Interval{bound(1)[0], bound(2)[0]};
    if (!has_trait(node.op, kKeepsOrder) && node.op != "Transpose") return std::nullopt;
    id = node.inputs[0];
  }
  const TensorInfo& info = before.tensors[id];
  return info.integral ? interval_of(info.integers) : std::nullopt;
}

/// Returns public knowledge of all encrypted tensors. It is the user's range of inputs that are only moved before, or
/// the intervals at which quantised models saturate.
std::optional<Interval> known_interval(const ClientParts& client, const std::optional<Interval>& inputs) {
  if (inputs && only_moves(client)) return inputs;
  const Graph& before = client.before;
  std::optional<Interval> all;
  for (const TensorId id : std::span(before.outputs).first(before.outputs.size() - client.kept)) {
    const std::optional<Interval> one = saturated(before, id);
    if (!one) return std::nullopt;
    all = all ? Interval{std::min(all->first, one->first), std::max(all->second, one->second)} : *one;
  }
  return all;
}

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

/// Throws InputError if all samples are the same, because they then show no range.
void require_different(const std::vector<std::vector<Tensor>>& samples, const Graph& encrypted) {
  if (samples.empty() || encrypted.inputs.empty()) return;
  for (std::size_t i = 0; i < encrypted.inputs.size(); ++i)
    for (const std::vector<Tensor>& sample : samples)
      if (sample.at(i).data != samples.front().at(i).data) return;
  base::refuse(
      "node '{}': {}, so that {} not show what range this input and the sums behind it take: give samples "
      "that differ (--calibrate), or --input-range without samples",
      encrypted.tensors[encrypted.inputs.at(0)].name,
      samples.size() == 1 ? std::string("there is one calibration sample")
                          : fmt::format("all {} calibration samples are the same", samples.size()),
      samples.size() == 1 ? "it does" : "they do");
}

ValueRoundings roundings_of(const passes::Network& network, const Graph& graph) {
  ValueRoundings roundings;
  for (const passes::Value& value : network.values)
    roundings.push_back(value.tensor < graph.tensors.size() ? graph.tensors[value.tensor].rounding
                                                            : graph::Rounding::float64);
  return roundings;
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

CompiledIntegers compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  if (options.bits < kFewestBits || options.bits > kMostBits)
    base::refuse("tables of {} bits (--bits): {} to {} are supported", options.bits, kFewestBits, kMostBits);
  passes::Parties parties =
      passes::assign_parties(passes::write_out(graph),
                             {.before = options.client_before, .keep_private = options.keep_private, .tables = true});
  std::vector<std::vector<Tensor>> samples = samples_behind(parties.client, options.calibration);
  require_different(samples, parties.encrypted);
  const std::optional<Interval> input_range = known_interval(parties.client, options.input_range);

  const passes::Recognised recognised = passes::recognise(
      passes::write_out_maxima(passes::write_out_pieces(passes::relu_behind_pools(parties.encrypted))), true);
  const bool by_intervals = samples.empty() && input_range;
  if (!by_intervals) passes::require_samples(recognised, samples);
  passes::Network network = fold_into_leaves(passes::fold(passes::linearise(recognised)));
  const auto grids_of = [&](const passes::Network& of) {
    return FeatureGrids(of, samples, roundings_of(of, parties.encrypted));
  };
  FeatureGrids grids = grids_of(network);
  std::vector<std::string> inputs, outputs;
  for (const TensorId id : parties.encrypted.inputs) inputs.push_back(parties.encrypted.tensors[id].name);
  for (const std::size_t origin : split_shared_inputs(network, grids, roundings_of(network, parties.encrypted))) {
    // The client encrypts the tensor twice.
    inputs.push_back(inputs.at(origin) + " (compared)");
    std::vector<TensorId>& made = parties.client.before.outputs;  // those that are kept come last
    made.insert(made.end() - static_cast<std::ptrdiff_t>(parties.client.kept), TensorId{made.at(origin)});
    parties.encrypted.inputs.push_back(parties.encrypted.inputs.at(origin));
    for (std::vector<Tensor>& sample : samples) sample.push_back(sample.at(origin));
  }
  FarRows far_rows;
  const passes::SampleReading reading{.elements = passes::ToldApart::everything, .may_miss = [&](passes::ValueId id) {
                                        return grids.has(id) || grids.is_folded(id);
                                      }};
  const auto find_ranges = [&] {
    grids = grids_of(network);
    if (by_intervals)
      bound_elements(network, *input_range);
    else
      passes::calibrate(network, samples, progress, reading);
  };
  grids = grids_of(network);
  if (!by_intervals) {
    passes::Network tried = network;  // ranges of `tried` may come from rows that are set aside
    far_rows = passes::calibrate_on_ordinary(tried, samples, options.trim, options.first_sample, input_range, progress,
                                             reading)
                   .far;
  }
  if (has_products_to_write_out(network)) {
    find_ranges();
    network = write_out_products(network);
  }
  network = join_sums(network);
  find_ranges();
  if (!by_intervals) narrow_tree_features(network, samples, grids);

  Precision precision = precision_of(options);
  constexpr std::size_t kManySamples = 256;
  // Bounds hold for all inputs, except for the rounding of weights and tables.
  constexpr double kMarginOfBounds = 1.0 / 32;
  if (samples.size() < kManySamples) precision.margin *= 1.5;
  if (by_intervals) precision.margin = kMarginOfBounds;
  for (const TensorId id : parties.encrypted.outputs) outputs.push_back(parties.encrypted.tensors[id].name);
  for (const TensorId id : parties.encrypted.inputs)
    precision.whole_inputs.push_back(parties.encrypted.tensors[id].integral ? 1 : 0);
  auto [quantised, parameters] = cheapest(
      precision, [&](const Precision& p) { return quantise(network, inputs, outputs, p, input_range, grids); },
      options.log2_failure, options.parameters);
  quantised.program.name = graph.name;
  CompiledIntegers compiled{std::move(quantised),         std::move(parameters), std::move(parties.client),
                            std::move(parties.encrypted), std::move(far_rows),   {}};
  state_borders(compiled);
  for (Meaning& meaning : compiled.meanings)  // maxima that were written out have new tensors
    if (meaning.tensor != kNoTensor && meaning.tensor >= compiled.encrypted.tensors.size()) meaning.tensor = kNoTensor;
  if (by_intervals && integers::lookups(compiled.program) > 0)
    compiled.warnings.emplace_back(
        "the ranges of all sums are bounds that follow from the range of the inputs, and usually far wider than what "
        "inputs reach, so that tables are coarse: calibration data (--calibrate) makes results finer");
  const std::vector<std::vector<integers::Integers>> quantised_inputs = quantised_samples(compiled.client, samples);
  require_whole_outputs(compiled, network, samples, quantised_inputs);
  compiled.parts.after = passes::settle_outputs(std::move(compiled.parts.after), compiled.parts.kept);
  if (wants_errors(compiled.parts.after)) {
    allow_errors(compiled.parts, output_errors(compiled, samples, quantised_inputs));
    settle_answers(compiled.parts, exact_outputs(compiled, samples, quantised_inputs.size()));
  }
  compiled.neighbour_rates =
      integers::neighbour_rates(compiled.program, params::TfheParameters::check(compiled.parameters), quantised_inputs);
  return compiled;
}

}  // namespace tacit::graph::quant
