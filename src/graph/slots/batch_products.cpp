#include "graph/slots/batch_products.h"

#include <algorithm>
#include <map>
#include <memory>

#include "graph/attribute.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

/// The most elements of products that are joined.
constexpr Index kMostElements = 4096;

/// Rows of sparse matrices, one matrix per input, written from top to bottom.
class RowWriter {
 public:
  void entry(ValueId input, Index column, double weight) { rows_[input][row_].add(column, weight); }
  void end_row(double bias) {
    bias_.push_back(bias);
    ++row_;
  }

  Affine affine(const Network& network, const Shape& shape) && {
    Affine result;
    for (const auto& [input, rows] : rows_) {
      const auto append = [&rows = rows](Index row, layout::RowEntries& entries) {
        if (const auto found = rows.find(row); found != rows.end()) entries = found->second;
      };
      result.terms.push_back({input, std::make_shared<layout::SparseRows>(network.values[input].shape, shape, append)});
    }
    result.bias = layout::RepeatedReals::of(bias_);
    return result;
  }

 private:
  std::map<ValueId, std::map<Index, layout::RowEntries>> rows_;
  std::vector<double> bias_;
  Index row_ = 0;
};

class Batcher {
 public:
  explicit Batcher(const Network& network) : network_(network), uses_(network.uses()) {}

  Network run() {
    names_.resize(network_.values.size());
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const std::vector<ValueId> group = products_of(id);
      if (group.size() < 2) {
        names_[id] = result_.add(renamed(network_.values[id], names_));
      } else {
        add_batched(id, group);
      }
    }
    for (const ValueId id : network_.outputs) result_.outputs.push_back(names_[id]);
    return without_unread(result_);
  }

 private:
  const Affine* affine_of(ValueId id) const { return std::get_if<Affine>(&network_.values[id].operation); }

  /// Returns the products that only this affine value reads and whose operands are affine.
  std::vector<ValueId> products_of(ValueId id) const {
    std::vector<ValueId> group;
    const Affine* affine = affine_of(id);
    if (affine == nullptr) return group;
    Index elements = 0;
    for (const AffineTerm& term : affine->terms) {
      const auto* product = std::get_if<Product>(&network_.values[term.input].operation);
      if (product == nullptr || uses_[term.input] != 1 || !affine_of(product->left) || !affine_of(product->right))
        continue;
      elements += element_count(network_.values[term.input].shape);
      if (elements > kMostElements) break;
      group.push_back(term.input);
    }
    return group;
  }

  /// Adds the operands of one side, one below the other.
  ValueId stacked(const std::vector<ValueId>& group, bool left, const Value& like, const Shape& shape) {
    RowWriter rows;
    for (const ValueId id : group) {
      const auto& product = std::get<Product>(network_.values[id].operation);
      const Affine& operand = *affine_of(left ? product.left : product.right);
      for (Index row = 0; row < element_count(network_.values[id].shape); ++row) {
        for (const AffineTerm& term : operand.terms)
          term.op->row(row, [&](Index column, double weight) { rows.entry(names_[term.input], column, weight); });
        rows.end_row(operand.bias[row]);
      }
    }
    return result_.add({std::move(rows).affine(result_, shape), shape, like.node, like.op, {}});
  }

  void add_batched(ValueId id, const std::vector<ValueId>& group) {
    std::map<ValueId, Index> offsets;
    Index total = 0;
    bool squares = true;
    for (const ValueId product : group) {
      offsets[product] = total;
      total += element_count(network_.values[product].shape);
      const auto& factors = std::get<Product>(network_.values[product].operation);
      squares = squares && factors.left == factors.right;
    }
    const Shape shape{1, total};
    const Value& first = network_.values[group.front()];
    const ValueId left = stacked(group, true, first, shape);
    const ValueId right = squares ? left : stacked(group, false, first, shape);
    const ValueId product = result_.add({Product{left, right}, shape, first.node, first.op, {}});
    Value value = network_.values[id];
    Affine& affine = std::get<Affine>(value.operation);
    RowWriter rows;
    Affine rest;
    for (const AffineTerm& term : affine.terms)
      if (!offsets.contains(term.input)) rest.terms.push_back({names_[term.input], term.op});
    for (Index row = 0; row < element_count(value.shape); ++row) {
      for (const AffineTerm& term : affine.terms)
        if (const auto offset = offsets.find(term.input); offset != offsets.end())
          term.op->row(row, [&](Index column, double weight) { rows.entry(product, offset->second + column, weight); });
      rows.end_row(0);
    }
    Affine batched = std::move(rows).affine(result_, value.shape);
    rest.terms.insert(rest.terms.end(), batched.terms.begin(), batched.terms.end());
    rest.bias = affine.bias;
    value.operation = std::move(rest);
    names_[id] = result_.add(std::move(value));
  }

  const Network& network_;
  const std::vector<int> uses_;
  std::vector<ValueId> names_;  // of the old values in result_
  Network result_;
};

}  // namespace

Network batch_products(const Network& network) { return Batcher(network).run(); }

}  // namespace tacit::graph::passes
