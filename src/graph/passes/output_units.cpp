#include "graph/passes/output_units.h"

#include <algorithm>
#include <cmath>

#include "graph/passes/element_units.h"
#include "layout/operators/combined.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

/// The largest stretch, in powers of two. Narrower elements may be constant up to rounding.
constexpr int kMostBits = 40;

/// Returns the factors by element. Empty if all elements may share one unit.
std::vector<double> stretches(const Value& value) {
  const std::vector<std::size_t> groups = stretched_together(value.shape);
  if (groups.empty() || value.element_ranges.size() != groups.size()) return {};
  std::vector<double> bounds(groups.back() + 1, 0.0);
  for (std::size_t e = 0; e < groups.size(); ++e)
    bounds[groups[e]] = std::max(bounds[groups[e]], value.element_ranges[e].bound());
  const double widest = *std::ranges::max_element(bounds);
  double narrowest = widest;
  for (const double bound : bounds)
    if (bound > 0) narrowest = std::min(narrowest, bound);
  if (!(widest >= kUnlikeElements * narrowest)) return {};
  std::vector<double> factors;
  for (const std::size_t group : groups) {
    const double bound = std::max(bounds[group], std::ldexp(widest, -kMostBits));
    factors.push_back(bounds[group] > 0 ? std::exp2(std::floor(std::log2(widest / bound))) : 1.0);
  }
  return factors;
}

}  // namespace

void tell_outputs_apart(Network& network, const SampleOutputs& outputs) {
  for (std::size_t o = 0; o < network.outputs.size() && !outputs.empty(); ++o) {
    std::vector<Range>& ranges = network.values[network.outputs[o]].element_ranges;
    if (!ranges.empty()) continue;
    ranges.resize(outputs[0][o].size());
    for (const auto& of_sample : outputs)
      for (std::size_t e = 0; e < ranges.size(); ++e) ranges[e].include(of_sample[o][e]);
  }
}

Network with_output_units(Network network) {
  const std::vector<int> uses = network.uses();
  for (const ValueId id : network.outputs) {
    Value& value = network.values[id];
    auto* affine = std::get_if<Affine>(&value.operation);
    if (affine == nullptr || uses[id] != 1) continue;
    const std::vector<double> factors = stretches(value);
    if (factors.empty()) continue;
    const auto elements = static_cast<Index>(factors.size());
    const layout::RepeatedReals rows = layout::RepeatedReals::of(factors);
    for (AffineTerm& term : affine->terms) term.op = layout::scaled(term.op, rows);
    affine->bias = affine->bias.times(rows, elements);
    value.stretch = value.stretch.times(rows, elements);
    value.range = {0, 0};
    for (std::size_t e = 0; e < factors.size(); ++e) {
      Range& range = value.element_ranges[e];
      range = {range.lowest * factors[e], range.highest * factors[e]};
      value.range.include(range);
    }
  }
  return network;
}

}  // namespace tacit::graph::passes
