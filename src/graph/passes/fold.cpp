#include "graph/passes/fold.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/passes/operator_rows.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

// True for an operator that only holds where each element comes from.
bool is_gather(const layout::LinearOperator& op) {
  return dynamic_cast<const layout::Gather*>(&op.pattern()) != nullptr;
}

// True if a row has at most one entry, so that a composition with the operator costs nothing.
bool moves_only(const layout::LinearOperator& op) {
  if (op.diagonal() || is_gather(op)) return true;
  return every_row(op, [](layout::Index, const layout::RowEntries& entries) {
    return std::ranges::count_if(entries.weights, [](double w) { return w != 0; }) <= 1;
  });
}

// Returns one gather in place of two, so that a long chain of them is no deeper than one.
layout::LinearOperatorPtr gathered(const layout::LinearOperator& op) {
  std::vector<layout::Index> source;
  std::vector<double> weights;
  each_row(op, [&](layout::Index, const layout::RowEntries& entries) {
    source.push_back(entries.size() == 0 ? layout::Gather::kNothing : entries.columns[0]);
    weights.push_back(entries.size() == 0 ? 1.0 : entries.weights[0]);
  });
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1; })) weights.clear();
  return std::make_shared<layout::Gather>(op.in_shape(), op.out_shape(), std::move(source), std::move(weights));
}

layout::LinearOperatorPtr chained(const layout::LinearOperatorPtr& outer, const layout::LinearOperatorPtr& inner) {
  const layout::LinearOperatorPtr both = layout::composed(outer, inner);
  return is_gather(*outer) && is_gather(*inner) ? gathered(*both) : both;
}

// Adds two operators. If both only multiply elements, the result multiplies by the sums.
layout::LinearOperatorPtr sum(const layout::LinearOperatorPtr& left, const layout::LinearOperatorPtr& right) {
  const auto a = left->diagonal(), b = right->diagonal();
  if (!a || !b) return std::make_shared<layout::Sum>(left, right);
  return layout::scaled(std::make_shared<layout::Identity>(left->in_shape(), left->out_shape()),
                        a->plus(*b, layout::element_count(left->out_shape())));
}

// True if two maps stay separate, because a composition is streamed entry by entry, however its entries add up.
bool costs_too_much(const layout::LinearOperator& outer, const layout::LinearOperator& inner) {
  constexpr double kMostInRow = 0x1p22, kMostEntries = 0x1p28;
  const double outer_row = static_cast<double>(entries_of_rows(outer)),
               inner_row = static_cast<double>(entries_of_rows(inner));
  if (outer_row <= 1 || inner_row <= 1) return false;
  const double row = outer_row * inner_row;
  return row > kMostInRow || row * static_cast<double>(element_count(outer.out_shape())) > kMostEntries;
}

bool has_entry(const layout::LinearOperator& op) {
  return !every_row(op, [](layout::Index, layout::RowEntries& entries) {
    entries.merge();
    return entries.size() == 0;
  });
}

class Folder {
 public:
  Folder(Network network, const std::set<TensorId>& kept)
      : network_(std::move(network)), kept_(kept), uses_(network_.uses()) {}

  Network run() {
    names_.resize(network_.values.size());
    std::vector<char> outputs(network_.values.size(), 0);
    for (const ValueId id : network_.outputs) outputs[id] = 1;
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      Value value = renamed(network_.values[id], names_);
      if (auto* affine = std::get_if<Affine>(&value.operation)) {
        *affine = folded(*affine, value.shape, value.op);
        const bool only_reshapes =
            affine->terms.size() == 1 && affine->bias.all_equal(0) && is_identity(*affine->terms[0].op);
        if (only_reshapes && !outputs[id] &&
            !kept_.contains(value.tensor)) {  // readers take the input in its own shape
          names_[id] = affine->terms[0].input;
          folded_uses_[names_[id]] += uses_[id] - 1;
          continue;
        }
      } else if (const auto* function = std::get_if<Function>(&value.operation)) {
        value.shape = result_.values[function->input].shape;
      } else if (auto* product = std::get_if<Product>(&value.operation)) {
        value.shape = result_.values[product->left].shape;
        const Shape& right = result_.values[product->right].shape;
        if (right != value.shape) {
          Value reshaped = value;
          reshaped.operation = Affine{{{product->right, std::make_shared<layout::Identity>(right, value.shape)}}};
          reshaped.tensor = result_.values[product->right].tensor;
          product->right = result_.add(std::move(reshaped));
          folded_uses_.push_back(1);
        }
      }
      names_[id] = result_.add(std::move(value));
      folded_uses_.push_back(uses_[id]);
    }
    for (const ValueId id : network_.outputs) result_.outputs.push_back(names_[id]);
    Network folded = without_unread(result_);
    for (const Value& value : folded.values)
      if (const auto* affine = std::get_if<Affine>(&value.operation); affine && affine->terms.empty())
        base::refuse(
            "node '{}' ({}): all its weights are zero or cancel, so that it is a constant and there is "
            "nothing to compute on encrypted values; replace it by that constant",
            value.node, value.op);
    return folded;
  }

 private:
  // Folds an affine value. `op_name` becomes the chain of operators of the result: "Conv+BatchNormalization".
  Affine folded(const Affine& affine, const Shape& shape, std::string& op_name) {
    std::map<ValueId, layout::LinearOperatorPtr> terms;
    const auto add = [&](ValueId input, layout::LinearOperatorPtr op) {
      const auto [at, fresh] = terms.emplace(input, op);
      if (!fresh) at->second = sum(at->second, op);
    };
    Affine result;
    result.bias = affine.bias;
    std::vector<std::string> operators;
    std::set<ValueId> named;
    for (const AffineTerm& term : affine.terms) {
      const Value& input = result_.values[term.input];
      const auto op = layout::reshaped(term.op, input.shape, shape);
      const auto* inner = std::get_if<Affine>(&input.operation);
      const bool compose_inner = inner && !kept_.contains(input.tensor) &&
                                 (inner->terms.empty() || folded_uses_[term.input] == 1 ||
                                  (inner->terms.size() == 1 && moves_only(*inner->terms[0].op)));
      if (!compose_inner || std::any_of(inner->terms.begin(), inner->terms.end(),
                                        [&](const AffineTerm& deeper) { return costs_too_much(*op, *deeper.op); })) {
        add(term.input, op);
        continue;
      }
      if (named.insert(term.input).second) operators.push_back(input.op);
      for (const AffineTerm& deeper : inner->terms) add(deeper.input, chained(op, deeper.op));
      if (inner->bias.all_equal(0)) continue;
      const std::vector<double> constants = inner->bias.expanded(layout::element_count(input.shape));
      result.bias = result.bias.plus(layout::RepeatedReals::of(apply(*op, constants)), layout::element_count(shape));
    }
    std::reverse(operators.begin(), operators.end());
    operators.push_back(op_name);
    op_name = chain_name(operators);
    for (auto& [input, op] : terms)
      if (has_entry(*op)) result.terms.push_back({input, without_repeated_work(op)});
    return result;
  }

  const Network network_;
  const std::set<TensorId>& kept_;
  const std::vector<int> uses_;
  std::vector<int> folded_uses_;  // of the values of result_
  std::vector<ValueId> names_;    // of the old values in result_
  Network result_;
};

}  // namespace

Network fold(const Network& network, const std::set<TensorId>& kept) {
  return Folder(without_unread(network), kept).run();
}

}  // namespace tacit::graph::passes
