#include "graph/quant/join_sums.h"

#include <algorithm>
#include <cmath>

#include "graph/passes/operator_rows.h"
#include "graph/quant/element_widths.h"
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

/// Puts the operand's sum in its place.
void join(Affine& into, const layout::LinearOperatorPtr& op, const Affine& operand, layout::Index results) {
  for (const AffineTerm& term : operand.terms) add_term(into, term.input, layout::composed(op, term.op));
  std::vector<double> bias = into.bias.expanded(results);
  op->apply(operand.bias.expanded(layout::element_count(op->in_shape())), bias, 1);
  into.bias = layout::RepeatedReals::of(bias);
}

layout::LinearOperatorPtr factor(const Shape& shape, const std::vector<double>& values) {
  return layout::scaled(std::make_shared<layout::Identity>(shape), layout::RepeatedReals::of(values));
}

/// An operand of a product by element: middle + half a width times a number from -1 to 1.
struct Balanced {
  std::vector<double> middles, halves;
};

/// Balances an operand. The middle is subtracted from an element whose range is narrower than the distance of its
/// middle from 0. Other elements keep 0, because a middle costs sums of the other operand. Without ranges nothing
/// changes.
Balanced balanced(const Value& operand) {
  const auto elements = static_cast<std::size_t>(layout::element_count(operand.shape));
  Balanced result{std::vector<double>(elements, 0.0), std::vector<double>(elements, 1.0)};
  if (!operand.range.known()) return result;
  const std::vector<Range> seen = seen_ranges(operand);
  for (std::size_t e = 0; e < elements; ++e) {
    const double middle = (seen[e].lowest + seen[e].highest) / 2;
    if (std::abs(middle) > seen[e].width()) result.middles[e] = middle;
    result.halves[e] = std::max(seen[e].highest - result.middles[e], result.middles[e] - seen[e].lowest);
    if (seen[e].width() == 0) result.halves[e] = std::max(std::abs(middle), usual_width(seen) / 2);
  }
  return result;
}

std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b, double factor) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] * b[i] * factor);
  return result;
}

/// The product of left = m + h l and right = n + g r, where l and r are between -1 and 1:
///   left right = h g l r + n left + m right - m n
///   l r = ((l + r)^2 - (l - r)^2) / 4
ValueId add_product(Network& network, const Value& value, ValueId left, ValueId right) {
  const Balanced of_left = balanced(network.values[left]), of_right = balanced(network.values[right]);
  const auto inverse = [](std::vector<double> numbers, double sign) {
    for (double& x : numbers) x = sign / x;
    return numbers;
  };
  std::vector<ValueId> squares;
  for (const double sign : {1.0, -1.0}) {
    const std::vector<double> of_l = inverse(of_left.halves, 1), of_r = inverse(of_right.halves, sign);
    std::vector<double> bias;
    for (std::size_t e = 0; e < of_l.size(); ++e)
      bias.push_back(-of_left.middles[e] * of_l[e] - of_right.middles[e] * of_r[e]);
    const ValueId sum = network.add({Affine{{{left, factor(value.shape, of_l)}, {right, factor(value.shape, of_r)}},
                                            layout::RepeatedReals::of(bias)},
                                     value.shape,
                                     value.node,
                                     value.op,
                                     {}});
    squares.push_back(network.add({Product{sum, sum}, value.shape, value.node, value.op, {}}));
  }
  constexpr double kQuarter = 0.25;
  Affine quarters{{{squares[0], factor(value.shape, times(of_left.halves, of_right.halves, kQuarter))},
                   {squares[1], factor(value.shape, times(of_left.halves, of_right.halves, -kQuarter))}}};
  const auto any = [](const std::vector<double>& numbers) {
    return std::ranges::any_of(numbers, [](double x) { return x != 0; });
  };
  if (any(of_right.middles)) add_term(quarters, left, factor(value.shape, of_right.middles));
  if (any(of_left.middles)) add_term(quarters, right, factor(value.shape, of_left.middles));
  quarters.bias = layout::RepeatedReals::of(times(of_left.middles, of_right.middles, -1));
  Value made = value;
  made.operation = std::move(quarters);
  return network.add(std::move(made));
}

bool depends_on_one(const Network& network, const Product& product) {
  const Provenance provenance(network);
  return provenance.source(product.left) == provenance.source(product.right);
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

bool has_products_to_write_out(const Network& network) {
  return std::ranges::any_of(network.values, [&](const Value& value) {
    const auto* product = std::get_if<Product>(&value.operation);
    return product != nullptr && !depends_on_one(network, *product);
  });
}

Network write_out_products(const Network& network) {
  Network result;
  std::vector<ValueId> names;
  for (const Value& original : network.values) {
    Value value = passes::renamed(original, names);
    const auto* found = std::get_if<Product>(&value.operation);
    if (found == nullptr || depends_on_one(result, *found)) {
      names.push_back(result.add(std::move(value)));
    } else {
      const Product product = *found;
      names.push_back(add_product(result, value, product.left, product.right));
    }
  }
  for (const ValueId output : network.outputs) result.outputs.push_back(names[output]);
  return result;
}

}  // namespace tacit::graph::quant
