#include "graph/passes/network.h"

namespace tacit::graph::passes {

std::vector<ValueId> operands(const Value& value) {
  if (const auto* affine = std::get_if<Affine>(&value.operation)) {
    std::vector<ValueId> inputs;
    for (const AffineTerm& term : affine->terms) inputs.push_back(term.input);
    return inputs;
  }
  if (const auto* function = std::get_if<Function>(&value.operation)) return {function->input};
  if (const auto* product = std::get_if<Product>(&value.operation)) return {product->left, product->right};
  if (const auto* refresh = std::get_if<Refresh>(&value.operation)) return {refresh->input};
  if (const auto* trees = std::get_if<Trees>(&value.operation)) return {trees->input};
  return {};
}

Value renamed(const Value& value, const std::vector<ValueId>& names) {
  Value copy = value;
  if (auto* affine = std::get_if<Affine>(&copy.operation)) {
    for (AffineTerm& term : affine->terms) term.input = names.at(term.input);
  } else if (auto* function = std::get_if<Function>(&copy.operation)) {
    function->input = names.at(function->input);
  } else if (auto* product = std::get_if<Product>(&copy.operation)) {
    product->left = names.at(product->left);
    product->right = names.at(product->right);
  } else if (auto* refresh = std::get_if<Refresh>(&copy.operation)) {
    refresh->input = names.at(refresh->input);
  } else if (auto* trees = std::get_if<Trees>(&copy.operation)) {
    trees->input = names.at(trees->input);
  }
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
  for (Value& value : network.values) {
    value.reached = {};
    if (!std::holds_alternative<Private>(value.operation)) value.element_ranges = {};
  }
}

std::vector<int> Network::uses() const {
  std::vector<int> counts(values.size(), 0);
  for (const Value& value : values)
    for (const ValueId id : operands(value)) ++counts[id];
  for (const ValueId id : outputs) ++counts[id];
  return counts;
}

}  // namespace tacit::graph::passes
