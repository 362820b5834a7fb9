#include "graph/slots/choose_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "graph/slots/contraction_plan.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using ContractionForm = Contraction::Form;

// Contractions with equal extents and steps.
struct ContractionGroup {
  std::vector<std::size_t> members;    // numbers of contractions
  std::vector<ContractionForm> forms;  // that they can take
};

// Returns by value the number of contractions up to the latest one that it depends on, itself included.
std::vector<std::size_t> latest_contractions(const Network& network) {
  std::vector<std::size_t> latest;
  std::size_t seen = 0;
  for (const Value& value : network.values) {
    std::size_t last = 0;
    for (const ValueId operand : operands(value)) last = std::max(last, latest[operand]);
    latest.push_back(std::holds_alternative<Contraction>(value.operation) ? ++seen : last);
  }
  return latest;
}

// Scores and weighted sums of attention may have equal extents. Both operands of the former depend on the same
// contractions, and those of the latter do not.
std::vector<ContractionGroup> groups_of(const Network& network, Index slots) {
  using Extents = std::array<Index, 10>;
  std::map<std::pair<Extents, bool>, ContractionGroup> groups;
  const std::vector<std::size_t> latest = latest_contractions(network);
  std::size_t next = 0;
  for (const Value& value : network.values) {
    const auto* c = std::get_if<Contraction>(&value.operation);
    if (c == nullptr) continue;
    const Contraction::Steps &left = c->left_steps, &right = c->right_steps;
    const Extents extents{c->stack, c->rows,     c->inner,     c->columns, left.matrix,
                          left.row, left.column, right.matrix, right.row,  right.column};
    ContractionGroup& group = groups[{extents, latest[c->left] == latest[c->right]}];
    group.members.push_back(next++);
    if (!group.forms.empty()) continue;
    for (const ContractionForm form : {ContractionForm::rows_first, ContractionForm::columns_first,
                                       ContractionForm::shifted_columns, ContractionForm::shifted_inner})
      if (can_take(*c, form, slots)) group.forms.push_back(form);
  }
  std::vector<ContractionGroup> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

// The cheapest forms so far, and the prices of all that were tried.
class FormSearch {
 public:
  FormSearch(std::vector<ContractionGroup> groups, std::size_t contractions,
             const std::function<double(const ContractionForms&)>& price)
      : groups_(std::move(groups)), price_(price), best_(contractions, ContractionForm::rows_first) {}

  std::optional<ContractionForms> run() {
    least_ = priced(best_);
    consider(ContractionForms(best_.size(), ContractionForm::columns_first));
    for (double before = INFINITY; least_ < before;) {
      before = least_;
      for (const ContractionGroup& group : groups_)
        for (const ContractionForm form : group.forms) {
          ContractionForms forms = best_;
          for (const std::size_t member : group.members) forms[member] = form;
          consider(forms);
        }
    }
    if (!std::isfinite(least_)) return std::nullopt;
    return best_;
  }

 private:
  double priced(const ContractionForms& forms) {
    const auto [known, fresh] = prices_.try_emplace(forms);
    if (fresh) known->second = price_(forms);
    return known->second;
  }

  void consider(const ContractionForms& forms) {
    const double found = priced(forms);
    if (found >= least_) return;
    least_ = found;
    best_ = forms;
  }

  std::vector<ContractionGroup> groups_;
  const std::function<double(const ContractionForms&)>& price_;
  ContractionForms best_;
  double least_ = INFINITY;
  std::map<ContractionForms, double> prices_;
};

}  // namespace

void take_forms(Network& network, const ContractionForms& forms, Index slots) {
  auto form = forms.begin();
  for (Value& value : network.values)
    if (auto* contraction = std::get_if<Contraction>(&value.operation)) {
      contraction->form = *form++;
      contraction->expansions = expansions_of(*contraction, slots);
    }
}

std::optional<ContractionForms> choose_forms(const Network& network, Index slots,
                                             const std::function<double(const ContractionForms&)>& price) {
  std::size_t contractions = 0;
  for (const Value& value : network.values)
    if (std::holds_alternative<Contraction>(value.operation)) ++contractions;
  return FormSearch(groups_of(network, slots), contractions, price).run();
}

}  // namespace tacit::graph::passes
