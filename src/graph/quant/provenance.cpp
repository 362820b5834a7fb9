#include "graph/quant/provenance.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "graph/passes/clear_network.h"

namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::AffineTerm;
using passes::Function;
using passes::Network;
using passes::Product;
using passes::ValueId;

/// Returns the one source of a value's operands, if they have one.
std::optional<ValueId> common_source(const std::vector<ValueId>& operands, const std::vector<ValueId>& source) {
  for (const ValueId operand : operands)
    if (source[operand] != source[operands.front()]) return std::nullopt;
  return operands.empty() ? std::nullopt : std::optional(source[operands.front()]);
}

}  // namespace

Provenance::Provenance(const Network& network) {
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const passes::Value& value = network.values[id];
    source_.push_back(id);
    const std::optional<ValueId> common = common_source(operands(value), source_);
    if (!common) continue;
    if (std::holds_alternative<Function>(value.operation) || std::holds_alternative<Product>(value.operation)) {
      source_[id] = *common;
    } else if (const auto* affine = std::get_if<Affine>(&value.operation)) {
      const bool alone =
          std::ranges::all_of(affine->terms, [](const AffineTerm& t) { return t.op->diagonal().has_value(); });
      // Scaling alone needs no table.
      const bool fuses = std::ranges::any_of(affine->terms, [&](const AffineTerm& t) { return is_region(t.input); });
      if (alone && fuses) source_[id] = *common;
    }
  }
}

std::vector<ValueId> values_of_region(const Network& network, const Provenance& provenance, ValueId id) {
  const ValueId source = provenance.source(id);
  std::set<ValueId> needed{id};
  std::vector<ValueId> backwards;
  for (ValueId at = id; at > source; --at) {
    if (!needed.contains(at)) continue;
    backwards.push_back(at);
    for (const ValueId operand : operands(network.values[at])) needed.insert(operand);
  }
  return {backwards.rbegin(), backwards.rend()};
}

std::vector<double> evaluate_region(const Network& network, const Provenance& provenance, ValueId id,
                                    const std::vector<double>& points, std::size_t count) {
  const ValueId source = provenance.source(id);
  std::map<ValueId, std::vector<double>> made;
  made[source] = points;
  for (const ValueId at : values_of_region(network, provenance, id)) {
    const passes::Value& value = network.values[at];
    std::vector<double> numbers;
    if (const auto* function = std::get_if<Function>(&value.operation)) {
      numbers = made.at(function->input);
      passes::apply_in_place(function->function, numbers);
    } else if (const auto* product = std::get_if<Product>(&value.operation)) {
      numbers = made.at(product->left);
      const std::vector<double>& right = made.at(product->right);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= right[i];
    } else {
      const auto& affine = std::get<Affine>(value.operation);
      for (std::size_t i = 0; i < points.size(); ++i)
        numbers.push_back(affine.bias[static_cast<layout::Index>(i / count)]);
      for (const AffineTerm& term : affine.terms) {
        const layout::RepeatedReals factors = *term.op->diagonal();
        const std::vector<double>& operand = made.at(term.input);
        for (std::size_t i = 0; i < numbers.size(); ++i)
          numbers[i] += factors[static_cast<layout::Index>(i / count)] * operand[i];
      }
    }
    made[at] = std::move(numbers);
  }
  return made.at(id);
}

}  // namespace tacit::graph::quant
