#include "graph/quant/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
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
#include "graph/passes/write_out.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/passes/write_out_pieces.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/element_bounds.h"
#include "graph/quant/feature_ranges.h"
#include "graph/quant/join_sums.h"
#include "graph/quant/quantise.h"
#include "program/integers/neighbour_rates.h"

namespace tacit::graph::quant {
namespace {

using Interval = std::pair<double, double>;

/// Of the integers of a type, where they are so few that an input's integers stand for them one by one.
std::optional<Interval> interval_of(IntegerType type) {
  constexpr double kMost = 65536;
  const IntegerRange range = range_of(type);
  return range.highest - range.lowest < kMost ? std::optional(Interval{range.lowest, range.highest}) : std::nullopt;
}

/// What a tensor cannot leave that the client makes before it encrypts: it saturates it, or its type ends there.
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

/// Public knowledge of all that is encrypted: what the user says of inputs that are only moved before, or where
/// quantised models saturate what they make of them.
std::optional<Interval> known_interval(const ClientParts& client, const std::optional<Interval>& inputs) {
  if (inputs && only_moves(client)) return inputs;
  const Graph& before = client.before;
  std::optional<Interval> all;
  for (const TensorId id : before.outputs) {
    const std::optional<Interval> one = saturated(before, id);
    if (!one) return std::nullopt;
    all = all ? Interval{std::min(all->first, one->first), std::max(all->second, one->second)} : *one;
  }
  return all;
}

/// The first of them as integers: so many show how far sums lie from borders of boxes.
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

/// Throws InputError where samples show no range: all of them are one.
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

Precision precision_of(const CompileOptions& options) {
  Precision precision;
  precision.bits = options.bits;
  precision.weight_bits = std::max(options.bits, 4);
  precision.rounding = options.rounding;
  if (options.rounding == Rounding::approximate) return precision;
  // Sums of so many bits that noise stays below the lowest, also where nothing is rounded. From 6 bits of each on a sum
  // of a few terms has 15, which is about what the noise of bootstraps leaves room for.
  constexpr int kMostCoarse = 6;
  precision.input_bits = 12;
  precision.first_weight_bits = 8;
  precision.weight_bits = std::min(precision.weight_bits, kMostCoarse);
  precision.result_bits = std::min(options.bits, kMostCoarse) - 1;
  precision.coarse_weight_bits = precision.weight_bits;
  precision.coarse_input_bits = precision.weight_bits + 2;
  return precision;
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
  passes::Network network = write_out_products(passes::fold(passes::linearise(recognised)));
  network = join_sums(network);
  FarRows far_rows;
  if (by_intervals) {
    bound_elements(network, *input_range);
  } else {
    far_rows =
        passes::calibrate_on_ordinary(network, samples, options.trim, options.first_sample, input_range, progress).far;
    narrow_tree_features(network, samples);
  }

  Precision precision = precision_of(options);
  constexpr std::size_t kManySamples = 256;
  // Bounds hold whatever comes in, but for the rounding of weights and tables.
  constexpr double kMarginOfBounds = 1.0 / 32;
  if (samples.size() < kManySamples) precision.margin *= 1.5;
  if (by_intervals) precision.margin = kMarginOfBounds;
  std::vector<std::string> inputs, outputs;
  for (const TensorId id : parties.encrypted.inputs) inputs.push_back(parties.encrypted.tensors[id].name);
  for (const TensorId id : parties.encrypted.outputs) outputs.push_back(parties.encrypted.tensors[id].name);
  auto [quantised, parameters] = cheapest(
      precision, [&](const Precision& p) { return quantise(network, inputs, outputs, p, input_range); },
      options.log2_failure, options.parameters);
  quantised.program.name = graph.name;
  CompiledIntegers compiled{std::move(quantised),         std::move(parameters), std::move(parties.client),
                            std::move(parties.encrypted), std::move(far_rows),   {}};
  for (Meaning& meaning : compiled.meanings)  // maxima that were written out have tensors of their own
    if (meaning.tensor != kNoTensor && meaning.tensor >= compiled.encrypted.tensors.size()) meaning.tensor = kNoTensor;
  if (by_intervals && integers::lookups(compiled.program) > 0)
    compiled.warnings.emplace_back(
        "the ranges of all sums are bounds that follow from the range of the inputs, and usually far wider than what "
        "inputs reach, so that tables are coarse: calibration data (--calibrate) makes results finer");
  compiled.neighbour_rates =
      integers::neighbour_rates(compiled.program, params::TfheParameters::check(compiled.parameters),
                                quantised_samples(compiled.client, samples));
  return compiled;
}

}  // namespace tacit::graph::quant
