#include "graph/quant/element_bounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/error.h"
#include "graph/passes/operator_rows.h"
#include "program/visit.h"

namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Value;

std::vector<Range> of_sum(const Network& network, const passes::Affine& sum, std::size_t elements) {
  std::vector<Range> ranges;
  for (std::size_t row = 0; row < elements; ++row) {
    const double bias = sum.bias[static_cast<layout::Index>(row)];
    ranges.push_back({bias, bias});
  }
  for (const passes::AffineTerm& term : sum.terms) {
    const std::vector<Range>& inputs = network.values[term.input].element_ranges;
    passes::each_row(*term.op, [&](layout::Index row, layout::RowEntries& entries) {
      entries.merge();
      Range& range = ranges[static_cast<std::size_t>(row)];
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const Range& input = inputs[static_cast<std::size_t>(entries.columns[k])];
        const double weight = entries.weights[k];
        range.lowest += weight * (weight > 0 ? input.lowest : input.highest);
        range.highest += weight * (weight > 0 ? input.highest : input.lowest);
      }
    });
  }
  return ranges;
}

/// Returns the range of a function on an interval. It is evaluated at more points than the largest table has boxes.
Range image(const Value& value, const passes::ScalarFunction& function, const Range& of) {
  constexpr int kPoints = 1025;
  std::vector<double> points;
  for (int i = 0; i < kPoints; ++i) points.push_back(of.lowest + (of.highest - of.lowest) * i / (kPoints - 1));
  Range range;
  for (const double y : function(points))
    if (std::isfinite(y)) range.include(y);
  if (!range.known())
    base::refuse(
        "node '{}' ({}): the function is finite nowhere on [{:.4g}, {:.4g}], which follows from "
        "--input-range; give calibration data with --calibrate",
        value.node, value.op, of.lowest, of.highest);
  return range;
}

std::vector<Range> of_function(const Network& network, const Value& value, const passes::Function& function) {
  std::map<std::pair<double, double>, Range> known;  // neighbours often share an interval
  std::vector<Range> ranges;
  for (const Range& of : network.values[function.input].element_ranges) {
    const auto [found, added] = known.try_emplace({of.lowest, of.highest});
    if (added) found->second = image(value, function.function, of);
    ranges.push_back(found->second);
  }
  return ranges;
}

std::vector<Range> of_product(const Network& network, const passes::Product& product) {
  const std::vector<Range>&left = network.values[product.left].element_ranges,
        &right = network.values[product.right].element_ranges;
  std::vector<Range> ranges(left.size());
  for (std::size_t e = 0; e < left.size(); ++e) {
    for (const double a : {left[e].lowest, left[e].highest})
      for (const double b : {right[e].lowest, right[e].highest}) ranges[e].include(a * b);
    if (product.left == product.right) ranges[e].lowest = std::max(ranges[e].lowest, 0.0);
  }
  return ranges;
}

/// Returns the ranges of scores. Every tree adds one of its leaves to each target.
std::vector<Range> of_trees(const TreeEnsemble& ensemble) {
  std::vector<Range> ranges;
  for (std::size_t target = 0; target < ensemble.targets(); ++target) {
    Range range{ensemble.base[target], ensemble.base[target]};
    for (const Tree& tree : ensemble.trees) {
      Range leaves;
      for (const TreeNode& node : tree)
        if (node.leaf) leaves.include(node.weight_of(target) * ensemble.factor);
      range = {range.lowest + leaves.lowest, range.highest + leaves.highest};
    }
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

void bound_elements(passes::Network& network, std::pair<double, double> input_range) {
  for (Value& value : network.values) {
    const auto elements = static_cast<std::size_t>(layout::element_count(value.shape));
    value.element_ranges =
        std::visit(program::Overloaded{
                       [&](const passes::Private&) {
                         return std::vector<Range>(elements, {input_range.first, input_range.second});
                       },
                       [&](const passes::Affine& sum) { return of_sum(network, sum, elements); },
                       [&](const passes::Function& function) { return of_function(network, value, function); },
                       [&](const passes::Product& product) { return of_product(network, product); },
                       [&](const passes::Refresh& refresh) { return network.values[refresh.input].element_ranges; },
                       [&](const passes::Trees& trees) { return of_trees(*trees.ensemble); },
                       [&](const auto&) -> std::vector<Range> {
                         throw base::InternalError("node '" + value.node + "': a contraction among integers");
                       }},
                   value.operation);
    value.range = {};
    for (const Range& range : value.element_ranges) value.range.include(range);
  }
}

}  // namespace tacit::graph::quant
