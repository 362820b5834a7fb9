#include "graph/passes/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/passes/operator_rows.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

// At most one entry a row, so that composing with it costs nothing.
bool moves_only(const layout::LinearOperator& op) {
  const layout::Index rows = element_count(op.out_shape());
  for (layout::Index r = 0; r < rows; ++r) {
    int entries = 0;
    op.row(r, [&](layout::Index, double weight) { entries += weight != 0 ? 1 : 0; });
    if (entries > 1) return false;
  }
  return true;
}

bool has_entry(const layout::LinearOperator& op) {
  const layout::Index rows = element_count(op.out_shape());
  layout::RowEntries entries;
  for (layout::Index r = 0; r < rows; ++r) {
    entries.clear();
    op.append_row(r, entries);
    entries.merge();
    if (entries.size() > 0) return true;
  }
  return false;
}

void add_to(std::vector<double>& bias, const std::vector<double>& more) {
  if (more.empty()) return;
  if (bias.empty()) bias.assign(more.size(), 0.0);
  for (std::size_t i = 0; i < more.size(); ++i) bias[i] += more[i];
}

class Folder {
 public:
  explicit Folder(Network network) : network_(std::move(network)), uses_(network_.uses()) {}

  Network run() {
    names_.resize(network_.values.size());
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      Value value = renamed(network_.values[id], names_);
      const bool output = std::find(network_.outputs.begin(), network_.outputs.end(), id) != network_.outputs.end();
      if (auto* affine = std::get_if<Affine>(&value.operation)) {
        *affine = folded(*affine, value.shape, value.op);
        const bool only_reshapes =
            affine->terms.size() == 1 && affine->bias.empty() && is_identity(*affine->terms[0].op);
        if (only_reshapes && !output) {  // readers take the input in its own shape
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
          reshaped.operation = Affine{{{product->right, std::make_shared<layout::Identity>(right, value.shape)}}, {}};
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
        throw base::InputError(fmt::format(
            "node '{}' ({}): all its weights are zero or cancel, so that it is a constant and there is nothing to "
            "compute on encrypted values; replace it by that constant",
            value.node, value.op));
    return folded;
  }

 private:
  // `op_name` becomes the chain of operators that the result stands for: "Conv+BatchNormalization".
  Affine folded(const Affine& affine, const Shape& shape, std::string& op_name) {
    std::map<ValueId, layout::LinearOperatorPtr> terms;
    const auto add = [&](ValueId input, layout::LinearOperatorPtr op) {
      const auto [at, fresh] = terms.emplace(input, op);
      if (!fresh) at->second = std::make_shared<layout::Sum>(at->second, std::move(op));
    };
    Affine result;
    result.bias = affine.bias;
    for (const AffineTerm& term : affine.terms) {
      const Value& input = result_.values[term.input];
      const auto op = layout::reshaped(term.op, input.shape, shape);
      const auto* inner = std::get_if<Affine>(&input.operation);
      const bool compose_inner = inner && (inner->terms.empty() || folded_uses_[term.input] == 1 ||
                                           (inner->terms.size() == 1 && moves_only(*inner->terms[0].op)));
      if (!compose_inner) {
        add(term.input, op);
        continue;
      }
      op_name = input.op + "+" + op_name;
      for (const AffineTerm& deeper : inner->terms) add(deeper.input, layout::composed(op, deeper.op));
      if (!inner->bias.empty()) add_to(result.bias, apply(*op, inner->bias));
    }
    for (auto& [input, op] : terms)
      if (has_entry(*op)) result.terms.push_back({input, without_repeated_work(op)});
    return result;
  }

  const Network network_;
  const std::vector<int> uses_;
  std::vector<int> folded_uses_;  // of the values of result_
  std::vector<ValueId> names_;    // of the old values in result_
  Network result_;
};

}  // namespace

Network fold(const Network& network) { return Folder(without_unread(network)).run(); }

}  // namespace tacit::graph::passes
