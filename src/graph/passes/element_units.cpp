#include "graph/passes/element_units.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/passes/function_intervals.h"
#include "graph/passes/operator_rows.h"
#include "layout/operators/combined.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

// The units of elements that hardly vary are at most 2^16 times the widest element's.
constexpr int kLargestUnitBits = 16;
/// The same for elements of vectors that a function of degree one reads. It computes each element to the precision of
/// its own range, and weights around it become more alike, not less.
constexpr int kLargestStretchBits = 44;
constexpr std::size_t kFewGroups = 1024;

// Returns by value 1 if only affine values read it.
std::vector<char> only_affine_readers(const Network& network) {
  std::vector<char> result(network.values.size(), 1);
  for (const Value& value : network.values)
    if (!std::holds_alternative<Affine>(value.operation))
      for (const ValueId id : operands(value)) result[id] = 0;
  for (const ValueId id : network.outputs) result[id] = 0;
  return result;
}

// Returns the terms that read a value.
std::vector<AffineTerm*> readers_of(Network& network, ValueId id) {
  std::vector<AffineTerm*> terms;
  for (Value& value : network.values)
    if (auto* affine = std::get_if<Affine>(&value.operation))
      for (AffineTerm& term : affine->terms)
        if (term.input == id) terms.push_back(&term);
  return terms;
}

void undo_in_readers(const std::vector<AffineTerm*>& readers, const std::vector<double>& factors) {
  const layout::RepeatedReals inverse = layout::RepeatedReals::of(factors).inverse();
  for (AffineTerm* term : readers) term->op = layout::scaled(term->op, layout::RepeatedReals(), inverse);
}

// Returns the groups of elements that share a factor: channels, if there are spatial dimensions.
std::vector<std::size_t> groups_of(const Shape& shape) {
  std::vector<std::size_t> groups(static_cast<std::size_t>(layout::element_count(shape)));
  std::size_t inner = 1;
  for (std::size_t d = 2; d < shape.size(); ++d) inner *= static_cast<std::size_t>(shape[d]);
  for (std::size_t e = 0; e < groups.size(); ++e) groups[e] = e / inner;
  return groups;
}

// Returns by element how far a vector's weights reach: the sum of |weight| times the bound of what it reads. Empty for
// values with spatial dimensions and for large maps.
std::vector<double> reaches(const Network& network, const Value& value) {
  constexpr double kMostEntries = 1 << 22;
  const auto& affine = std::get<Affine>(value.operation);
  const auto elements = static_cast<std::size_t>(layout::element_count(value.shape));
  if (value.shape.size() > 2 || elements > kFewGroups) return {};
  std::vector<double> result(elements, 0.0);
  for (const AffineTerm& term : affine.terms) {
    const Value& read = network.values[term.input];
    if (static_cast<double>(elements) * static_cast<double>(layout::element_count(read.shape)) > kMostEntries)
      return {};
    each_row(*term.op, [&](Index row, const layout::RowEntries& entries) {
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const auto column = static_cast<std::size_t>(entries.columns[k]);
        const Range& range = read.element_ranges.empty() ? read.range : read.element_ranges[column];
        result[static_cast<std::size_t>(row)] += std::abs(entries.weights[k]) * range.bound();
      }
    });
  }
  return result;
}

// Returns how far each element may be stretched inside [lowest, highest], with its margin and the reach of errors. At
// least 1. An element of a vector may be stretched beyond kLargestUnitBits, unless it is what large numbers leave when
// they cancel: their noise would be stretched as well.
std::vector<double> stretches(const Network& network, const Function& function, const Value& input) {
  const std::vector<std::size_t> groups = groups_of(input.shape);
  std::vector<Range> reached(groups.back() + 1, Range{0, 0});
  for (std::size_t e = 0; e < groups.size(); ++e) {
    Range& range = reached[groups[e]];
    const Range &shown = input.element_ranges[e], reach = reach_of(input, e);
    range.include({(1 + kStretchMargin) * shown.lowest, (1 + kStretchMargin) * shown.highest});
    range.include(reach);
  }
  const std::vector<double> weights = reaches(network, input);
  const double widest = std::max(-function.lowest, function.highest), least = std::exp2(kLargestUnitBits);
  std::vector<double> factors;
  for (std::size_t e = 0; e < groups.size(); ++e) {
    const Range& range = reached[groups[e]];
    const double most = weights.empty() || !(weights[e] > 0)
                            ? least
                            : std::clamp(least * widest / weights[e], least, std::exp2(kLargestStretchBits));
    const double up = range.highest > 0 ? function.highest / range.highest : most;
    const double down = range.lowest < 0 ? function.lowest / range.lowest : most;
    factors.push_back(std::clamp(std::min(up, down), 1.0, most));
  }
  return factors;
}

void note_stretch(Value& value, const std::vector<double>& factors) {
  value.stretch = value.stretch.times(layout::RepeatedReals::of(factors), static_cast<Index>(factors.size()));
}

// Multiplies the elements of an affine value and their ranges.
void stretch_affine(Value& value, const std::vector<double>& factors) {
  const layout::RepeatedReals rows = layout::RepeatedReals::of(factors);
  auto& affine = std::get<Affine>(value.operation);
  for (AffineTerm& term : affine.terms) term.op = layout::scaled(term.op, rows);
  affine.bias = affine.bias.times(rows, static_cast<Index>(factors.size()));
  note_stretch(value, factors);
  value.range = {0, 0};
  for (std::size_t e = 0; e < factors.size(); ++e) {
    Range& range = value.element_ranges[e];
    range = {range.lowest * factors[e], range.highest * factors[e]};
    value.range.include(range);
  }
  for (std::size_t e = 0; e < value.reached.size(); ++e)
    value.reached[e] = {value.reached[e].lowest * factors[e], value.reached[e].highest * factors[e]};
}

// Returns the factors, powers of two, that bring every element of an operand to the bound of the widest.
std::vector<double> towards_the_widest(const Value& operand) {
  const std::vector<std::size_t> groups = stretched_together(operand.shape);
  std::vector<double> bounds(groups.back() + 1, 0.0);
  for (std::size_t e = 0; e < groups.size(); ++e)
    bounds[groups[e]] = std::max(bounds[groups[e]], operand.element_ranges[e].bound());
  const double widest = *std::max_element(bounds.begin(), bounds.end());
  std::vector<double> factors;
  for (const std::size_t group : groups) {
    const double least = std::ldexp(widest, -kLargestUnitBits);
    factors.push_back(widest > 0 ? std::exp2(std::floor(std::log2(widest / std::max(bounds[group], least)))) : 1.0);
  }
  return factors;
}

struct Side {
  ValueId id;
  std::vector<double> factors;
};

// Lowers the factors to useful ones. The noise of an element counts by the weights that read it. Beyond the largest
// weight that stays, more stretching only lets the rounding of smaller weights meet larger values.
void keep_what_helps(std::vector<Side>& sides, int times, const std::vector<AffineTerm*>& readers,
                     const std::vector<std::size_t>& groups) {
  std::vector<double> weights(groups.back() + 1, 0.0), both(groups.back() + 1, 1.0);
  for (const AffineTerm* reader : readers)
    each_row(*reader->op, [&](Index, const layout::RowEntries& entries) {
      for (std::size_t k = 0; k < entries.size(); ++k) {
        double& weight = weights[groups[static_cast<std::size_t>(entries.columns[k])]];
        weight = std::max(weight, std::abs(entries.weights[k]));
      }
    });
  for (std::size_t e = 0; e < groups.size(); ++e) {
    both[groups[e]] = 1;
    for (const Side& side : sides) both[groups[e]] *= std::pow(side.factors[e], times);
  }
  double largest = 0;
  for (std::size_t g = 0; g < weights.size(); ++g) largest = std::max(largest, weights[g] / both[g]);
  for (std::size_t e = 0; e < groups.size(); ++e) {
    const double weight = weights[groups[e]];
    double needed = weight > largest ? std::exp2(std::ceil(std::log2(weight / largest) / times)) : 1.0;
    for (Side& side : sides) {
      side.factors[e] = std::min(side.factors[e], needed);
      needed /= side.factors[e];
    }
  }
}

void stretch_product(Network& network, ValueId id) {
  const auto [left, right] = std::get<Product>(network.values[id].operation);
  const std::vector<AffineTerm*> readers = readers_of(network, id);
  const int times = left == right ? 2 : 1;
  std::vector<Side> sides;
  for (const ValueId operand : left == right ? std::vector{left} : std::vector{left, right}) {
    const Value& value = network.values[operand];
    sides.push_back({operand, towards_the_widest(value)});
  }
  keep_what_helps(sides, times, readers, stretched_together(network.values[id].shape));
  std::vector<double> both(static_cast<std::size_t>(layout::element_count(network.values[id].shape)), 1.0);
  double bound = 1;
  for (const Side& side : sides) {
    Value& operand = network.values[side.id];
    stretch_affine(operand, side.factors);
    for (int time = 0; time < times; ++time) {
      for (std::size_t e = 0; e < both.size(); ++e) both[e] *= side.factors[e];
      bound *= operand.range.bound();
    }
  }
  undo_in_readers(readers, both);
  note_stretch(network.values[id], both);
  network.values[id].range = {left == right ? 0.0 : -bound, bound};
}

// True for an affine value with calibrated elements that only one product reads, on one side or on both.
bool is_operand_of_one_product(const Network& network, const std::vector<int>& uses, ValueId id, int times) {
  const Value& value = network.values[id];
  return uses[id] == times && !value.element_ranges.empty() && std::holds_alternative<Affine>(value.operation);
}

void stretch(Network& network, ValueId id, const std::vector<double>& factors) {
  Value& value = network.values[id];
  auto& function = std::get<Function>(value.operation);
  Value& input = network.values[function.input];
  undo_in_readers(readers_of(network, id), factors);
  stretch_affine(input, factors);
  note_stretch(value, factors);
  const std::vector<double> ends = function.function(std::vector<double>{input.range.lowest, input.range.highest});
  value.range = {std::min({ends[0], ends[1], 0.0}), std::max({ends[0], ends[1], 0.0})};
}

}  // namespace

std::vector<std::size_t> stretched_together(const Shape& shape) {
  std::vector<std::size_t> groups = groups_of(shape);
  if (groups.size() <= kFewGroups) std::iota(groups.begin(), groups.end(), std::size_t{0});
  return groups;
}

std::vector<double> stretch_of(const Network& network, ValueId id) {
  const auto* function = std::get_if<Function>(&network.values[id].operation);
  if (!function || !(function->lowest < 0 && function->highest > 0)) return {};
  const Value& input = network.values[function->input];
  if (input.element_ranges.empty() || !std::holds_alternative<Affine>(input.operation)) return {};
  if (!has_degree_one(function->function, std::max(-function->lowest, function->highest))) return {};
  return stretches(network, *function, input);
}

Network with_input_units(Network network) {
  const std::vector<char> affine_only = only_affine_readers(network);
  for (ValueId id = 0; id < network.values.size(); ++id) {
    Value& value = network.values[id];
    auto* input = std::get_if<Private>(&value.operation);
    if (!input || !affine_only[id] || value.element_ranges.empty() || value.range.bound() == 0) continue;
    std::vector<double> units;
    for (const Range& range : value.element_ranges) {
      const double bound = value.shape.size() > 2 ? value.range.bound() : range.bound();
      const double least = std::ldexp(value.range.bound(), -kLargestUnitBits);
      units.push_back(std::exp2(std::floor(-std::log2(std::max(bound, least)))));
    }
    undo_in_readers(readers_of(network, id), units);
    input->units = std::move(units);
  }
  return network;
}

Network with_stretched_elements(Network network) {
  const std::vector<char> affine_only = only_affine_readers(network);
  const std::vector<int> uses = network.uses();
  for (ValueId id = 0; id < network.values.size(); ++id) {
    if (const auto* product = std::get_if<Product>(&network.values[id].operation); product && affine_only[id]) {
      const int times = product->left == product->right ? 2 : 1;
      if (is_operand_of_one_product(network, uses, product->left, times) &&
          is_operand_of_one_product(network, uses, product->right, times))
        stretch_product(network, id);
    }
    if (!affine_only[id]) continue;
    if (const std::vector<double> factors = stretch_of(network, id); !factors.empty()) stretch(network, id, factors);
  }
  return network;
}

}  // namespace tacit::graph::passes
