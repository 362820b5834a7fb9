#include "graph/quant/join_sums.h"

#include "graph/passes/operator_rows.h"
#include "graph/quant/provenance.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::AffineTerm;
using passes::Network;
using passes::Product;
using passes::Value;
using passes::ValueId;

constexpr std::size_t kFewEntries = 8;

void add_term(Affine& affine, ValueId input, const layout::LinearOperatorPtr& op) {
  for (AffineTerm& term : affine.terms)
    if (term.input == input) {
      term.op = std::make_shared<layout::Sum>(term.op, op);
      return;
    }
  affine.terms.push_back({input, op});
}

/// The sum in place of the operand.
void join(Affine& into, const layout::LinearOperatorPtr& op, const Affine& operand, layout::Index results) {
  for (const AffineTerm& term : operand.terms) add_term(into, term.input, layout::composed(op, term.op));
  std::vector<double> bias = into.bias.expanded(results);
  op->apply(operand.bias.expanded(layout::element_count(op->in_shape())), bias, 1);
  into.bias = layout::RepeatedReals::of(bias);
}

layout::LinearOperatorPtr factor(const Shape& shape, double value) {
  return layout::scaled(std::make_shared<layout::Identity>(shape), layout::RepeatedReals(value));
}

}  // namespace

Network join_sums(const Network& network) {
  Network result = network;
  for (ValueId id = 0; id < result.values.size(); ++id) {
    const Provenance provenance(result);
    Value& value = result.values[id];
    auto* affine = std::get_if<Affine>(&value.operation);
    if (affine == nullptr || provenance.is_region(id)) continue;
    Affine joined{{}, affine->bias};
    for (const AffineTerm& term : affine->terms) {
      const auto* operand = std::get_if<Affine>(&result.values[term.input].operation);
      bool small = operand != nullptr && !provenance.is_region(term.input);
      for (std::size_t t = 0; small && t < operand->terms.size(); ++t)
        small = passes::entries_of_rows(*operand->terms[t].op) <= kFewEntries;
      if (small)
        join(joined, term.op, *operand, layout::element_count(value.shape));
      else
        add_term(joined, term.input, term.op);
    }
    *affine = std::move(joined);
  }
  return passes::without_unread(result);
}

Network write_out_products(const Network& network) {
  Network result;
  std::vector<ValueId> names;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    Value value = passes::renamed(network.values[id], names);
    names.push_back(0);
    const auto* product = std::get_if<Product>(&value.operation);
    if (product == nullptr || Provenance(result).source(product->left) == Provenance(result).source(product->right)) {
      names[id] = result.add(std::move(value));
      continue;
    }
    const auto [left, right] = *product;
    const auto made = [&](auto operation) {
      return result.add({std::move(operation), value.shape, value.node, value.op, {}});
    };
    std::vector<ValueId> squares;
    for (const double sign : {1.0, -1.0}) {
      const ValueId sum = made(Affine{{{left, factor(value.shape, 1)}, {right, factor(value.shape, sign)}}});
      squares.push_back(made(Product{sum, sum}));
    }
    Value quarters = value;
    quarters.operation = Affine{{{squares[0], factor(value.shape, 0.25)}, {squares[1], factor(value.shape, -0.25)}}};
    names[id] = result.add(std::move(quarters));
  }
  for (const ValueId output : network.outputs) result.outputs.push_back(names[output]);
  return result;
}

}  // namespace tacit::graph::quant
