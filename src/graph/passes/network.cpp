#include "graph/passes/network.h"

#include <algorithm>
#include <cmath>

namespace tacit::graph::passes {

double Range::bound() const { return known() ? std::max(std::abs(lowest), std::abs(highest)) : 0.0; }

std::vector<ValueId> operands(const Value& value) {
  if (const auto* affine = std::get_if<Affine>(&value.operation)) {
    std::vector<ValueId> inputs;
    for (const AffineTerm& term : affine->terms) inputs.push_back(term.input);
    return inputs;
  }
  if (const auto* function = std::get_if<Function>(&value.operation)) return {function->input};
  if (const auto* product = std::get_if<Product>(&value.operation)) return {product->left, product->right};
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
  }
  return copy;
}

std::vector<int> Network::uses() const {
  std::vector<int> counts(values.size(), 0);
  for (const Value& value : values)
    for (const ValueId id : operands(value)) ++counts[id];
  for (const ValueId id : outputs) ++counts[id];
  return counts;
}

}  // namespace tacit::graph::passes
