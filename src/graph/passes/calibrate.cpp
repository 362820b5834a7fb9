#include "graph/passes/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/vectorised.h"
#include "graph/attribute.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/function_intervals.h"

namespace tacit::graph::passes {
namespace {

// Computes the range of every element over its kLanes samples. Returns false if a number is not finite.
TACIT_VECTORISED bool ranges_over_lanes(const double* numbers, std::size_t elements, Range* ranges) {
  constexpr std::size_t kSide = 4;
  static_assert(kLanes % kSide == 0);
  double zeros[kSide] = {};  // 0 x is 0, or not a number where x is not finite
  for (std::size_t e = 0; e < elements; ++e, numbers += kLanes) {
    double lowest[kSide], highest[kSide];
    for (std::size_t k = 0; k < kSide; ++k) lowest[k] = highest[k] = numbers[k];
    for (std::size_t i = 0; i < kLanes; i += kSide)
      for (std::size_t k = 0; k < kSide; ++k) {
        const double x = numbers[i + k];
        lowest[k] = x < lowest[k] ? x : lowest[k];
        highest[k] = x > highest[k] ? x : highest[k];
        zeros[k] += 0 * x;
      }
    ranges[e] = {*std::min_element(lowest, lowest + kSide), *std::max_element(highest, highest + kSide)};
  }
  double sum = 0;
  for (const double zero : zeros) sum += zero;
  return sum == 0;
}

// Computes the range of every element over the finite numbers of its kLanes samples.
void ranges_of_finite(std::span<const double> numbers, std::span<Range> ranges) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (std::isfinite(numbers[i])) ranges[i / kLanes].include(numbers[i]);
}

// Returns the first of a block's samples in which a number is not finite.
std::size_t first_not_finite(const SampleRun::BlockOfValue& block) {
  std::size_t first = block.samples - 1;
  for (std::size_t i = 0; i < block.numbers.size(); ++i)
    if (!std::isfinite(block.numbers[i])) first = std::min(first, i % kLanes);
  return first;
}

/// The sums of every element over blocks of samples, without missing values. They are added in the order of blocks, so
/// that the means do not depend on threads.
class ElementMeans {
 public:
  explicit ElementMeans(std::size_t values) : sums_(values) {}

  /// Thread safe if the caller holds a lock.
  void note(const SampleRun::BlockOfValue& block) {
    std::vector<Sum>& sums = sums_[block.id][block.first];
    sums.assign(block.numbers.size() / kLanes, {});
    for (std::size_t e = 0; e < sums.size(); ++e)
      for (std::size_t lane = 0; lane < block.samples; ++lane) sums[e].add(block.numbers[e * kLanes + lane]);
  }

  /// Writes the means. An element that no sample shows has mean 0.
  void write(Network& network) const {
    for (ValueId id = 0; id < sums_.size(); ++id) {
      std::vector<Sum> all;
      for (const auto& [first, sums] : sums_[id]) {
        all.resize(sums.size());
        for (std::size_t e = 0; e < sums.size(); ++e) all[e].add(sums[e]);
      }
      std::vector<double>& means = network.values[id].element_means;
      means.clear();
      for (const Sum& sum : all) means.push_back(sum.count > 0 ? sum.total / static_cast<double>(sum.count) : 0);
    }
  }

 private:
  struct Sum {
    double total = 0;
    std::size_t count = 0;

    void add(double x) {
      if (std::isfinite(x)) add(Sum{x, 1});
    }
    void add(const Sum& other) {
      total += other.total;
      count += other.count;
    }
  };
  std::vector<std::map<std::size_t, std::vector<Sum>>> sums_;  // by value and first sample of a block
};

std::array<double, 4> products_of_ends(const Range& a, const Range& b) {
  return {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest, a.highest * b.highest};
}

[[noreturn]] void refuse_without_samples(const std::string& node, const std::string& op) {
  base::refuse(
      "node '{}' ({}) is not a polynomial and is approximated on the range of its input: give calibration "
      "data (--calibrate FILE.npy): inputs of the training set, never the private ones",
      node, op);
}

}  // namespace

void require_samples(const Recognised& recognised, const std::vector<std::vector<Tensor>>& samples) {
  constexpr std::int64_t kSmallNetwork = std::int64_t{1} << 20;  // elements
  if (!samples.empty()) return;
  std::int64_t elements = 0;
  for (const Node& node : recognised.graph.nodes)
    for (const TensorId id : node.outputs)
      if (id != kNoTensor) elements += element_count(recognised.graph.tensors[id].shape);
  if (elements <= kSmallNetwork) return;
  for (const Node& node : recognised.graph.nodes)
    if (node.op == kFunctionOp) refuse_without_samples(node.name, recognised.functions.at(node.outputs[0]).name());
}

std::vector<char> told_apart(const Network& network) {
  std::vector<char> result(network.values.size(), 0);
  for (ValueId id = 0; id < network.values.size(); ++id) {
    if (std::holds_alternative<Private>(network.values[id].operation)) result[id] = 1;
    if (const auto* function = std::get_if<Function>(&network.values[id].operation)) result[function->input] = 1;
    if (const auto* product = std::get_if<Product>(&network.values[id].operation))
      result[product->left] = result[product->right] = 1;
  }
  return result;
}

Calibrated calibrate(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress,
                     const SampleReading& reading) {
  for (const Value& value : network.values)
    if (std::holds_alternative<Function>(value.operation) && samples.empty())
      refuse_without_samples(value.node, value.op);
  Calibrated result{SampleOutputs(samples.size(), SampleOutputs::value_type(network.outputs.size())),
                    FunctionInputs(network, samples.size())};
  if (samples.empty()) return result;
  const std::vector<char> apart =
      reading.elements == ToldApart::everything ? std::vector<char>(network.values.size(), 1) : told_apart(network);
  ElementMeans means(network.values.size());
  std::mutex mutex;
  progress.begin("calibrate", samples.size());
  SampleRun(network, samples, Functions::exact).each_value([&](const SampleRun::BlockOfValue& block) {
    Value& value = network.values[block.id];
    std::vector<Range> ranges(block.numbers.size() / kLanes);
    if (reading.may_miss && reading.may_miss(block.id)) {
      ranges_of_finite(block.numbers, ranges);
    } else if (!ranges_over_lanes(block.numbers.data(), ranges.size(), ranges.data())) {
      const std::size_t sample = block.first + first_not_finite(block);
      base::refuse(
          "calibration sample {}: node '{}' ({}) gives a value that is not finite; leave that sample out, "
          "or clip what the node reads to where it is defined (Clip)",
          reading.numbers.empty() ? sample : reading.numbers[sample], value.node, value.op);
    }
    for (std::size_t o = 0; o < network.outputs.size(); ++o)
      if (network.outputs[o] == block.id)
        for (std::size_t lane = 0; lane < block.samples; ++lane)
          result.outputs[block.first + lane][o] = lane_of(block.numbers, lane);
    result.inputs.note(block);
    if (reading.also) reading.also(block);
    if (block.id + 1 == network.values.size()) progress.advance(block.samples);
    const std::lock_guard lock(mutex);
    for (const Range& range : ranges)
      if (range.known()) value.range.include(range);
    if (reading.elements == ToldApart::everything) means.note(block);
    if (apart[block.id] == 0) return;
    value.element_ranges.resize(ranges.size());
    for (std::size_t e = 0; e < ranges.size(); ++e)
      if (ranges[e].known()) value.element_ranges[e].include(ranges[e]);
  });
  progress.end();
  if (reading.elements == ToldApart::everything) means.write(network);
  choose_intervals(network, samples, progress);
  return result;
}

void measure(Network& network, const FunctionInputs& inputs) {
  for (Value& value : network.values)
    if (auto* function = std::get_if<Function>(&value.operation))
      function->histogram = inputs.histogram(network, *function);
}

void bound_by_intervals(Network& network, std::pair<double, double> input_range) {
  for (Value& value : network.values) {
    if (std::holds_alternative<Private>(value.operation)) {
      value.range = {input_range.first, input_range.second};
    } else if (value.range.known()) {
      continue;
    } else if (const auto* affine = std::get_if<Affine>(&value.operation)) {
      std::vector<double> lowest = affine->bias.expanded(element_count(value.shape)), highest = lowest;
      for (const AffineTerm& term : affine->terms) {
        const Range& input = network.values[term.input].range;
        const layout::LinearOperator::SignedSums sums = term.op->signed_sums();
        for (std::size_t r = 0; r < lowest.size(); ++r) {
          lowest[r] +=
              product_of_ends(sums.positive[r], input.lowest) + product_of_ends(sums.negative[r], input.highest);
          highest[r] +=
              product_of_ends(sums.positive[r], input.highest) + product_of_ends(sums.negative[r], input.lowest);
        }
      }
      for (const double x : lowest) value.range.include(x);
      for (const double x : highest) value.range.include(x);
    } else if (const auto* product = std::get_if<Product>(&value.operation)) {
      const Range &a = network.values[product->left].range, &b = network.values[product->right].range;
      for (const double x : products_of_ends(a, b)) value.range.include(x);
      if (product->left == product->right) value.range.lowest = std::max(value.range.lowest, 0.0);
    } else if (const auto* parts = std::get_if<PartsProduct>(&value.operation)) {
      const Value& input = network.values[parts->input];
      const auto elements = static_cast<double>(parts->summed ? input.shape.back() : 1);
      const double most =
          elements * std::abs(parts->factor) * std::pow(input.range.bound(), static_cast<double>(parts->parts));
      value.range.include(Range{-most, most});
    } else if (const auto* contraction = std::get_if<Contraction>(&value.operation)) {
      const auto terms = static_cast<double>(contraction->inner);
      for (const double x :
           products_of_ends(network.values[contraction->left].range, network.values[contraction->right].range))
        value.range.include(terms * x);
    }
  }
}

}  // namespace tacit::graph::passes
