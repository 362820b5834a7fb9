#include "graph/slots/place_bootstraps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "graph/approximate/chebyshev.h"
#include "graph/passes/network_levels.h"
#include "graph/slots/emit.h"
#include "layout/operators/movement.h"
#include "layout/operators/row_band.h"
#include "params/bootstrap_schedule.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

// Changes p(x) to the series in y = result(x) that takes the same values, of the same degree and parity: y differs from
// x by 1e-4 at the most, so that what is cut off is far below the error of p.
std::vector<double> unbent(const std::vector<double>& coefficients, const params::BootstrapSchedule& schedule) {
  const int degree = static_cast<int>(coefficients.size()) - 1;
  const double farthest = schedule.result(1.0);
  const approximate::Samples composed = [&](std::span<const double> points) {
    std::vector<double> values;
    for (const double y : points)
      values.push_back(approximate::evaluate(coefficients, schedule.inverse(std::clamp(y, -farthest, farthest))));
    return values;
  };
  std::vector<double> series = approximate::interpolate(composed, 2 * degree + 16);
  series.resize(coefficients.size());
  for (std::size_t k = 0; k < series.size(); ++k)
    if (coefficients[k] == 0) series[k] = 0;
  return series;
}

/// Of every term of a value.
using Parts = std::vector<std::vector<RowPart>>;

class Placer {
 public:
  Placer(const Network& network, const params::CkksLiteral& literal, int output_level,
         const std::optional<FeatureGrid>& grid, RowSlices& slices)
      : network_(network),
        literal_(literal),
        grid_(grid),
        chain_(params::chain_of(literal)),
        fresh_(params::highest_fresh_level(literal)),
        levels_(network.values.size(), 0),
        refreshed_(network.values.size(), 0) {
    for (const ValueId id : network.outputs) levels_[id] = output_level;
    candidate_ = candidates();
    take_apart(slices);
    for (ValueId id = 0; id < network.values.size(); ++id) rooms_.push_back(room_of(id));
  }

  Refreshed run() {
    for (ValueId id = static_cast<ValueId>(network_.values.size()); id-- > 0;) {
      const Value& value = network_.values[id];
      if (candidate_[id] && levels_[id] > rooms_[id]) {
        check(id, levels_[id], chain_.output);
        refreshed_[id] = 1;
        levels_[id] = chain_.input;
      }
      check(id, levels_[id], std::max(chain_.output, rooms_[id]));
      const int needed = levels_[id] + depth_of_value(value) + (cleaned(id) ? 1 : 0);
      const std::vector<ValueId> read = operands(value);
      for (std::size_t k = 0; k < read.size(); ++k) {
        if (!linear(value)) check(read[k], needed, chain_.output);
        levels_[read[k]] = std::max(levels_[read[k]], needed + (sliced(id, k) ? 1 : 0));
      }
    }
    return rewritten();
  }

 private:
  std::vector<char> candidates() const {
    std::vector<char> result(network_.values.size(), 0);
    bool functions = false;
    for (const Value& value : network_.values)
      if (const auto* function = std::get_if<Function>(&value.operation)) {
        functions = true;
        result[function->input] = 1;
      }
    if (!functions)
      for (const Value& value : network_.values)
        if (const auto* product = std::get_if<Product>(&value.operation))
          for (const ValueId id : {product->left, product->right}) {
            const Value& operand = network_.values[id];
            result[id] = std::holds_alternative<Affine>(operand.operation) && operand.range.known() &&
                         operand.range.bound() <= 1;
          }
    for (const ValueId id : network_.outputs) result[id] = 0;
    return result;
  }

  static bool linear(const Value& value) {
    return std::holds_alternative<Private>(value.operation) || std::holds_alternative<Affine>(value.operation);
  }

  // The highest level that a value can be at without a refresh of its own, where those before it that can be refreshed
  // are. What is linear in inputs may lie above the message levels, as long as no function or product reads it there.
  int room_of(ValueId id) const {
    const Value& value = network_.values[id];
    int room = linear(value) ? fresh_ : chain_.output;
    const std::vector<ValueId> read = operands(value);
    for (std::size_t k = 0; k < read.size(); ++k)
      room = std::min(room, (candidate_[read[k]] ? chain_.output : rooms_[read[k]]) - (sliced(id, k) ? 1 : 0));
    return room - depth_of_value(value) - (cleaned(id) ? 1 : 0);
  }

  // Whether a value is cleaned before a function, or a refresh, reads it.
  bool cleaned(ValueId id) const { return cleaned_[id] != 0; }

  // By value, the parts of each of its terms; and which values are cleaned.
  void take_apart(RowSlices& slices) {
    parts_.resize(network_.values.size());
    cleaned_.resize(network_.values.size());
    if (!grid_) return;
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const auto* affine = std::get_if<Affine>(&network_.values[id].operation);
      if (affine == nullptr) continue;
      const auto whole = [](const std::vector<RowPart>& parts) { return parts.size() == 1; };
      const Parts zeros = parts_of(id, *affine, slices, Beside::zeros),
                  unknown = parts_of(id, *affine, slices, Beside::unknown);
      if (candidate_[id] != 0 && is_feature_map(network_.values[id].shape))
        cleaned_[id] =
            wants_cleaning(id, *affine, std::ranges::all_of(zeros, whole), std::ranges::all_of(unknown, whole));
      parts_[id] = cleaned_[id] != 0 ? unknown : zeros;
    }
  }

  // What a linear operator may leave beside the elements of a map is cleaned between guards. On a tight grid that is as
  // dear as slices, a level. It is taken in three cases. It may save all slices. An operator may have no output row for
  // some input rows: then its weights cannot both repeat and leave zeros. And weights repeat sooner before channels
  // share rows.
  bool wants_cleaning(ValueId id, const Affine& affine, bool whole_to_zeros, bool whole_to_unknown) const {
    const FeatureMap& out = grid_->maps[id];
    if (grid_->kind == GridKind::guarded) return true;
    const bool covered = std::ranges::all_of(affine.terms, [&](const AffineTerm& term) {
      const FeatureMap& in = grid_->maps[term.input];
      return !is_feature_map(in.shape) || covers_rows(in, out);
    });
    return !covered || (whole_to_unknown && (!whole_to_zeros || grid_->channels_share_rows(out)));
  }

  Parts parts_of(ValueId id, const Affine& affine, RowSlices& slices, Beside beside) const {
    Parts result;
    for (const AffineTerm& term : affine.terms)
      result.push_back(slices.parts(term.op, grid_->maps[term.input], grid_->maps[id], *grid_, beside));
    return result;
  }
  // Whether the k-th operand of a value is read as slices.
  bool sliced(ValueId id, std::size_t k) const { return k < parts_[id].size() && parts_[id][k].size() > 1; }

  // The parts of the terms of a value, on slices of what the terms read.
  Affine on_slices(ValueId id, Affine affine, Refreshed& to) {
    std::vector<AffineTerm> terms;
    for (std::size_t k = 0; k < affine.terms.size(); ++k) {
      const AffineTerm& term = affine.terms[k];
      if (!sliced(id, k)) {
        terms.push_back(term);
        continue;
      }
      for (const RowPart& part : parts_[id][k])
        terms.push_back({slice(term.input, part.begin, part.rows, to), part.op});
    }
    affine.terms = std::move(terms);
    return affine;
  }

  ValueId slice(ValueId read, Index begin, Index rows, Refreshed& to) {
    const Shape whole = to.network.values[read].shape;
    if (rows == whole[2]) return read;
    const auto [made, fresh] = slices_.try_emplace({read, begin, rows});
    if (fresh) {
      const Value& from = to.network.values[read];
      Value value{Affine{{{read, layout::kept_rows(whole, begin, rows)}}}, whole, from.node, from.op, from.range};
      value.shape[2] = rows;
      made->second = add(to, std::move(value), to.grid->maps[read].gaps);
    }
    return made->second;
  }

  static ValueId add(Refreshed& to, Value value, layout::Layout::Gaps gaps) {
    if (to.grid) to.grid->maps.push_back({value.shape, gaps});
    return to.network.add(std::move(value));
  }

  // A sum of maps of a batch, by the widths of what they read. Each of the parts leaves the samples in the rows where
  // it finds them, and their sum is where they meet. One sample has no rows to share.
  static std::vector<Affine> by_width(const Value& value, const Network& network) {
    const auto& whole = std::get<Affine>(value.operation);
    if (value.shape[0] == 1) return {whole};
    std::map<Index, Affine> parts;
    for (const AffineTerm& term : whole.terms) parts[network.values[term.input].shape.back()].terms.push_back(term);
    std::vector<Affine> result;
    for (auto& [width, part] : parts) result.push_back(std::move(part));
    if (result.empty()) return {whole};
    result.front().bias = whole.bias;
    return result;
  }

  // Of a value that is needed at this level and can be at `highest`.
  void check(ValueId id, int level, int highest) const {
    if (level <= highest) return;
    const Value& value = network_.values[id];
    throw base::InputError(
        fmt::format("what follows node '{}' ({}) needs {} levels before the next bootstrap, and parameter set {} has "
                    "{} after one: use a "
                    "set with more levels, or lower degrees (--max-degree)",
                    value.node, value.op, level, literal_.name, chain_.output));
  }

  Refreshed rewritten() {
    const params::BootstrapSchedule folded = params::plan_bootstrap(literal_, {.form = params::BootstrapForm::folded});
    Refreshed result{{}, {}, grid_};
    if (grid_) result.grid->maps.clear();
    std::vector<char> read_by_function(network_.values.size(), 0);
    for (const Value& value : network_.values)
      if (const auto* function = std::get_if<Function>(&value.operation)) read_by_function[function->input] = 1;
    std::vector<ValueId> readable;  // what readers of a value read
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const layout::Layout::Gaps gaps = grid_ ? grid_->maps[id].gaps : layout::Layout::Gaps{};
      Value value = renamed(network_.values[id], readable);
      auto* function = std::get_if<Function>(&value.operation);
      if (function && refreshed_[std::get<Function>(network_.values[id].operation).input])
        function->coefficients = unbent(function->coefficients, folded);
      if (auto* affine = std::get_if<Affine>(&value.operation); affine && grid_)
        *affine = on_slices(id, std::move(*affine), result);
      ValueId made = 0;
      if (cleaned(id)) {
        Value clean = value;
        Affine sum;
        for (Affine& part : by_width(value, result.network)) {
          value.operation = std::move(part);
          made = add(result, value, gaps);
          sum.terms.push_back({made, std::make_shared<layout::Identity>(clean.shape)});
        }
        const bool whole = sum.terms.size() == 1;
        clean.operation = std::move(sum);
        const ValueId cleaned_value = add(result, std::move(clean), gaps);
        result.names.push_back(whole ? made : cleaned_value);
        made = cleaned_value;
      } else {
        made = add(result, std::move(value), gaps);
        result.names.push_back(made);
      }
      if (refreshed_[id]) {
        Value refresh = result.network.values[made];
        refresh.operation = Refresh{made, read_by_function[id] != 0, chain_.input};
        made = add(result, std::move(refresh), gaps);
      }
      readable.push_back(made);
    }
    for (const ValueId id : network_.outputs) result.network.outputs.push_back(readable[id]);
    return result;
  }

  const Network& network_;
  const params::CkksLiteral& literal_;
  const std::optional<FeatureGrid>& grid_;
  params::BootstrapChain chain_;
  int fresh_;
  std::vector<int> levels_;
  std::vector<char> refreshed_, candidate_;
  std::vector<int> rooms_;
  std::vector<Parts> parts_;  // by value
  std::vector<char> cleaned_;
  std::map<std::tuple<ValueId, Index, Index>, ValueId> slices_;  // of values of the new network: value, first row, rows
};

}  // namespace

Refreshed place_bootstraps(const Network& network, const params::CkksLiteral& literal, int output_level,
                           const std::optional<FeatureGrid>& grid, RowSlices& slices) {
  if (literal.bootstrap) return Placer(network, literal, output_level, grid, slices).run();
  Refreshed same{network, std::vector<ValueId>(network.values.size()), grid};
  std::iota(same.names.begin(), same.names.end(), ValueId{0});
  return same;
}

}  // namespace tacit::graph::passes
