#include "graph/slots/bootstrap_placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacit::graph::passes {
namespace {

bool linear(const Value& value) {
  return std::holds_alternative<Private>(value.operation) || std::holds_alternative<Affine>(value.operation);
}

}  // namespace

BootstrapPlacer::BootstrapPlacer(const Network& network, const params::CkksLiteral& literal, int output_level,
                                 const std::optional<FeatureGrid>& grid, RowSlices& slices, Refreshable refreshable)
    : network_(network),
      literal_(literal),
      grid_(grid),
      output_level_(output_level),
      chain_(params::chain_of(literal)),
      fresh_(params::highest_fresh_level(literal)),
      read_by_function_(network.values.size(), 0),
      cleaned_(network.values.size(), 0),
      parts_(network.values.size()) {
  for (const Value& value : network.values)
    if (const auto* function = std::get_if<Function>(&value.operation)) read_by_function_[function->input] = 1;
  candidate_ = candidates(refreshable);
  take_apart(slices);
  for (ValueId id = 0; id < network.values.size(); ++id) rooms_.push_back(room_of(id));
}

base::Feasible<BootstrapPlacement> BootstrapPlacer::place(const std::set<ValueId>& early) const {
  BootstrapPlacement placement{.refreshed = std::vector<char>(network_.values.size(), 0),
                               .levels = std::vector<int>(network_.values.size(), 0),
                               .ends = {}};
  std::vector<int>& levels = placement.levels;
  for (const ValueId id : network_.outputs) levels[id] = output_level_;
  placement.ends = levels;
  for (auto id = static_cast<ValueId>(network_.values.size()); id-- > 0;) {
    const Value& value = network_.values[id];
    placement.ends[id] = levels[id];
    if (can_be_refreshed(id) && (levels[id] > rooms_[id] || early.contains(id))) {
      if (auto problem = lacking(id, levels[id], chain_.output)) return *std::move(problem);
      placement.refreshed[id] = 1;
      levels[id] = chain_.input;
    }
    if (auto problem = lacking(id, levels[id], std::max(chain_.output, rooms_[id]))) return *std::move(problem);
    const bool tabulated = std::holds_alternative<Tabulated>(value.operation);
    if (tabulated)
      if (auto problem = lacking(id, levels[id] + depth_of_value(value), chain_.output)) return *std::move(problem);
    // A lookup reads its operand where bootstraps begin.
    const int needed = tabulated ? chain_.input : levels[id] + depth_of_value(value) + (cleaned(id) ? 1 : 0);
    const std::vector<ValueId> read = operands(value);
    for (std::size_t k = 0; k < read.size(); ++k) {
      if (!linear(value))
        if (auto problem = lacking(read[k], needed, chain_.output)) return *std::move(problem);
      levels[read[k]] = std::max(levels[read[k]], needed + (sliced(id, k) ? 1 : 0));
    }
  }
  return placement;
}

std::vector<char> BootstrapPlacer::candidates(Refreshable refreshable) const {
  std::vector<char> result = read_by_function_;
  const auto is_affine_within_one = [&](ValueId id) {
    const Value& value = network_.values[id];
    return std::holds_alternative<Affine>(value.operation) && value.range.known() && value.range.bound() <= 1;
  };
  if (refreshable == Refreshable::affine_values) {
    for (ValueId id = 0; id < result.size(); ++id)
      if (is_affine_within_one(id)) result[id] = 1;
  } else if (std::ranges::none_of(result, [](char read) { return read != 0; })) {
    for (const Value& value : network_.values)
      if (const auto* product = std::get_if<Product>(&value.operation))
        for (const ValueId id : {product->left, product->right}) result[id] = is_affine_within_one(id);
  }
  for (const ValueId id : network_.outputs) result[id] = 0;
  return result;
}

// Returns the highest level that a value can have if it is not refreshed, and if all values before it that can be
// refreshed are. Values that are linear in the inputs may be above the message levels, as long as no function or
// product reads them there.
int BootstrapPlacer::room_of(ValueId id) const {
  const Value& value = network_.values[id];
  if (std::holds_alternative<Tabulated>(value.operation)) return chain_.output - depth_of_value(value);
  int room = linear(value) ? fresh_ : chain_.output;
  const std::vector<ValueId> read = operands(value);
  for (std::size_t k = 0; k < read.size(); ++k)
    room = std::min(room, (can_be_refreshed(read[k]) ? chain_.output : rooms_[read[k]]) - (sliced(id, k) ? 1 : 0));
  return room - depth_of_value(value) - (cleaned(id) ? 1 : 0);
}

// Computes by value the parts of each of its terms, and which values are cleaned.
void BootstrapPlacer::take_apart(RowSlices& slices) {
  if (!grid_) return;
  for (ValueId id = 0; id < network_.values.size(); ++id) {
    const auto* affine = std::get_if<Affine>(&network_.values[id].operation);
    if (affine == nullptr) continue;
    const auto whole = [](const std::vector<RowPart>& parts) { return parts.size() == 1; };
    const Parts zeros = parts_of(id, *affine, slices, Beside::zeros),
                unknown = parts_of(id, *affine, slices, Beside::unknown);
    if (can_be_refreshed(id) && is_feature_map(network_.values[id].shape))
      cleaned_[id] =
          wants_cleaning(id, *affine, std::ranges::all_of(zeros, whole), std::ranges::all_of(unknown, whole));
    parts_[id] = cleaned(id) ? unknown : zeros;
  }
}

// Decides whether the slots around the elements of a map are cleaned. On a guarded grid they are. On a tight grid,
// cleaning costs a level, as slices do. It is done in three cases:
// - It may save all slices.
// - An operator has no output row for some input rows. Its weights then cannot both repeat and leave zeros.
// - Channels share rows. Weights then repeat sooner before cleaning.
bool BootstrapPlacer::wants_cleaning(ValueId id, const Affine& affine, bool whole_to_zeros,
                                     bool whole_to_unknown) const {
  const FeatureMap& out = grid_->maps[id];
  if (grid_->kind == GridKind::guarded) return true;
  const bool covered = std::ranges::all_of(affine.terms, [&](const AffineTerm& term) {
    const FeatureMap& in = grid_->maps[term.input];
    return !is_feature_map(in.shape) || covers_rows(in, out);
  });
  return !covered || (whole_to_unknown && (!whole_to_zeros || grid_->channels_share_rows(out)));
}

BootstrapPlacer::Parts BootstrapPlacer::parts_of(ValueId id, const Affine& affine, RowSlices& slices,
                                                 Beside beside) const {
  Parts result;
  for (const AffineTerm& term : affine.terms)
    result.push_back(slices.parts(term.op, grid_->maps[term.input], grid_->maps[id], *grid_, beside));
  return result;
}

// Returns the problem of a value that is needed at `level` if it can have at most `highest`.
std::optional<base::Infeasible> BootstrapPlacer::lacking(ValueId id, int level, int highest) const {
  if (level <= highest) return std::nullopt;
  const Value& value = network_.values[id];
  return base::Infeasible{.what = fmt::format("what follows node '{}' ({}) needs {} levels before the next bootstrap",
                                              value.node, value.op, level),
                          .bound = fmt::format("parameter set {} has {} after one", literal_.name, chain_.output),
                          .way_out = std::holds_alternative<Tabulated>(value.operation)
                                         ? "use a set with more levels, or fewer bits, which make smaller tables"
                                         : "use a set with more levels, or lower degrees (--max-degree)",
                          .lack = base::Infeasible::Lack::levels};
}

}  // namespace tacit::graph::passes
