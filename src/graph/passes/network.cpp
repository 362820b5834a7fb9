#include "graph/passes/network.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "params/lookup_schedule.h"
#include "params/schedule.h"

namespace tacit::graph::passes {

namespace {

/// Calls visit(operand) for every operand of the operation, in order.
template <class SomeValue, class Visit>
void each_operand(SomeValue& value, const Visit& visit) {
  if (auto* affine = std::get_if<Affine>(&value.operation))
    for (auto& term : affine->terms) visit(term.input);
  if (auto* function = std::get_if<Function>(&value.operation)) visit(function->input);
  const auto both = [&](auto* product) {
    if (product == nullptr) return;
    visit(product->left);
    visit(product->right);
  };
  both(std::get_if<Product>(&value.operation));
  both(std::get_if<Contraction>(&value.operation));
  both(std::get_if<SummedProduct>(&value.operation));
  if (auto* refresh = std::get_if<Refresh>(&value.operation)) visit(refresh->input);
  if (auto* product = std::get_if<PartsProduct>(&value.operation)) visit(product->input);
  if (auto* tabulated = std::get_if<Tabulated>(&value.operation)) visit(tabulated->input);
  if (auto* trees = std::get_if<Trees>(&value.operation)) visit(trees->input);
}

}  // namespace

std::size_t Tabulated::nearest(double x) const {
  const auto last = static_cast<double>(entries.size() - 1);
  const double place = std::floor((x - lowest) / (highest - lowest) * static_cast<double>(entries.size()));
  return static_cast<std::size_t>(std::clamp(place, 0.0, last));
}

std::vector<ValueId> operands(const Value& value) {
  std::vector<ValueId> inputs;
  each_operand(value, [&](ValueId operand) { inputs.push_back(operand); });
  return inputs;
}

Value renamed(const Value& value, const std::vector<ValueId>& names) {
  Value copy = value;
  each_operand(copy, [&](ValueId& operand) { operand = names.at(operand); });
  return copy;
}

Network without_unread(const Network& network) {
  std::vector<char> live(network.values.size(), 0);
  for (const ValueId id : network.outputs) live[id] = 1;
  for (std::size_t id = network.values.size(); id-- > 0;) {
    if (std::holds_alternative<Private>(network.values[id].operation)) live[id] = 1;
    if (!live[id]) continue;
    for (const ValueId operand : operands(network.values[id])) live[operand] = 1;
  }
  Network result;
  std::vector<ValueId> names(network.values.size());
  for (std::size_t id = 0; id < network.values.size(); ++id)
    if (live[id]) names[id] = result.add(renamed(network.values[id], names));
  for (const ValueId id : network.outputs) result.outputs.push_back(names[id]);
  return result;
}

void forget_element_ranges(Network& network) {
  std::vector<char> kept(network.values.size(), 0);
  for (const ValueId id : network.outputs) kept[id] = 1;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    Value& value = network.values[id];
    value.reached = {};
    if (kept[id] == 0 && !std::holds_alternative<Private>(value.operation)) value.element_ranges = {};
  }
}

std::vector<int> Network::uses() const {
  std::vector<int> counts(values.size(), 0);
  for (const Value& value : values)
    for (const ValueId id : operands(value)) ++counts[id];
  for (const ValueId id : outputs) ++counts[id];
  return counts;
}

int depth_of_value(const Value& value) {
  if (const auto* function = std::get_if<Function>(&value.operation))
    return params::PolynomialSchedule::choose(static_cast<int>(function->coefficients.size()) - 1).depth;
  if (const auto* tabulated = std::get_if<Tabulated>(&value.operation))
    return params::lookup_depth(tabulated->form, static_cast<int>(tabulated->entries.size()));
  if (const auto* contraction = std::get_if<Contraction>(&value.operation)) return 1 + contraction->expansions;
  if (const auto* product = std::get_if<PartsProduct>(&value.operation))
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(product->parts - 1)));
  return std::holds_alternative<Private>(value.operation) || std::holds_alternative<Refresh>(value.operation) ? 0 : 1;
}

std::vector<int> levels_of(const Network& network) {
  std::vector<int> levels(network.values.size(), 0);
  for (std::size_t id = levels.size(); id-- > 0;) {
    const Value& value = network.values[id];
    const auto* refresh = std::get_if<Refresh>(&value.operation);
    const auto* tabulated = std::get_if<Tabulated>(&value.operation);
    const int needed = refresh     ? refresh->from_level
                       : tabulated ? tabulated->from_level
                                   : levels[id] + depth_of_value(value);
    for (const ValueId operand : operands(value)) levels[operand] = std::max(levels[operand], needed);
  }
  return levels;
}

int depth_of(const Network& network) {
  const std::vector<int> levels = levels_of(network);
  return levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
}

}  // namespace tacit::graph::passes
