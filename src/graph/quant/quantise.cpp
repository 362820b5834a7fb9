#include "graph/quant/quantise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/error.h"
#include "graph/passes/operator_rows.h"
#include "graph/passes/scalar_function.h"
#include "graph/quant/element_widths.h"
#include "graph/quant/lookup_tables.h"
#include "graph/quant/plan_sums.h"
#include "graph/quant/provenance.h"
#include "graph/quant/row_ranges.h"
#include "graph/quant/tree_program.h"
#include "graph/quant/weight_scan.h"
#include "graph/quant/whole_sums.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "layout/operators/rounded.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::quant {
namespace {

using integers::kMessageBits;
using layout::RepeatedReals;
using passes::Affine;
using passes::AffineTerm;
using passes::Network;
using passes::Private;
using passes::Trees;
using passes::Value;
using passes::ValueId;

/// The largest distance of a table's number from the samples' range of its element, in widths. A function may grow by
/// orders of magnitude where arguments are in their margin. Without a bound, the usual numbers would have no bits.
constexpr double kRoom = 8;
/// log2 of the largest entry of a table, in steps of the torus.
constexpr int kEntryBits = kMessageBits - 3;
/// The largest distance of a ratio of units from a whole number.
constexpr double kWhole = 1e-9;

/// Returns the numbers times 2^power, which is exact.
RepeatedReals times_power_of_two(const RepeatedReals& numbers, int power) {
  return RepeatedReals(std::ldexp(1.0, power)).times(numbers, 1);
}

class Quantisation {
 public:
  Quantisation(const Network& network, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
               const Precision& precision, const std::optional<std::pair<double, double>>& input_range,
               const FeatureGrids& grids)
      : network_(network),
        provenance_(network),
        grids_(grids),
        precision_(precision),
        input_range_(input_range),
        inputs_(inputs),
        outputs_(outputs),
        sums_(network.values.size()),
        torus_(network.values.size(), std::numeric_limits<double>::infinity()),
        units_(network.values.size()),
        looked_up_(network.values.size(), 0),
        read_by_trees_(network.values.size(), 0),
        made_(network.values.size()) {}

  Quantised run() {
    result_.program.bits = precision_.bits;
    find_readers();
    whole_ = whole_sums(network_, precision_.whole_inputs, looked_up_, input_range_);
    for (ValueId id = 0; id < network_.values.size(); ++id)
      if (is_sum(id)) sums_[id] = plan_of(id);
    find_steps();
    align_sums();
    for (ValueId id = 0; id < network_.values.size(); ++id) emit(id);
    for (std::size_t o = 0; o < outputs_.size(); ++o) emit_output(o);
    result_.meanings.resize(result_.program.instructions.size());
    for (auto& [position, input] : client_inputs_) result_.client.inputs.push_back(std::move(input));
    for (ValueId id = 0; id < made_.size(); ++id)
      if (made_[id]) note(id, *made_[id]);
    for (const auto& [id, made] : lookups_) note(id, made);
    for (const auto& [id, made] : rounded_) note(id, made);
    for (auto& [id, grid] : input_grids_) result_.meanings[made_[id]->id].points = std::move(grid.points);
    for (auto& [id, integers] : unrounded_at_) result_.meanings[id].unrounded_at = std::move(integers);
    return std::move(result_);
  }

 private:
  void note(ValueId id, const Made& made) {
    result_.meanings[made.id] = {made.scale, made.offset, value(id).tensor, {}, {}, made.addends};
  }

  const Value& value(ValueId id) const { return network_.values[id]; }
  std::size_t count(ValueId id) const { return static_cast<std::size_t>(layout::element_count(value(id).shape)); }
  const Affine* affine(ValueId id) const { return std::get_if<Affine>(&value(id).operation); }
  bool is_sum(ValueId id) const { return affine(id) != nullptr && !provenance_.is_region(id) && !grids_.is_folded(id); }
  bool is_private(ValueId id) const { return std::holds_alternative<Private>(value(id).operation); }
  bool is_output(ValueId id) const { return std::ranges::find(network_.outputs, id) != network_.outputs.end(); }
  bool is_read_by_client_alone(ValueId id) const {
    return std::cmp_equal(std::ranges::count(network_.outputs, id), network_.uses()[id]);
  }
  bool is_trees(ValueId id) const { return std::holds_alternative<Trees>(value(id).operation); }
  /// True if sums can read this value's integers directly. If tables read the value too, sums cannot: its step is then
  /// so large that it leaves weights no bits.
  bool is_whole(ValueId id) const { return is_private(id) || is_trees(id); }
  /// True if a sum that reads this value reads a table's result.
  bool needs_lookup(ValueId id) const { return !is_whole(id) || looked_up_[id]; }
  bool is_exact() const { return precision_.rounding == Rounding::exact; }
  double span() const { return is_exact() ? exact_torus_span(precision_.bits) : torus_span(precision_.bits); }
  /// True if a sum's integers may be fine. Noise and bootstraps then set no bound, or the sum reads only fresh
  /// ciphertexts and is a result.
  bool is_fine(ValueId sum) const {
    return !is_exact() || (!looked_up_[sum] && std::ranges::none_of(affine(sum)->terms, [&](const AffineTerm& term) {
      return needs_lookup(term.input);
    }));
  }
  /// True if an input is only compared. Only its order relative to thresholds then counts.
  bool only_compared(ValueId id) const {
    return read_by_trees_[id] && !is_output(id) &&
           std::ranges::none_of(table_made_, [&](ValueId made) { return provenance_.source(made) == id; });
  }

  /// Marks the values that tables read, and the values that tables make.
  void find_readers() {
    const auto look_up = [&](ValueId id) {
      table_made_.insert(id);
      looked_up_[provenance_.source(id)] = 1;
    };
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      if (is_sum(id))
        for (const AffineTerm& term : affine(id)->terms)
          if (!is_whole(term.input)) look_up(term.input);
      if (const auto* trees = std::get_if<Trees>(&value(id).operation); trees != nullptr && !grids_.covers(id)) {
        looked_up_[provenance_.source(trees->input)] = 1;
        read_by_trees_[provenance_.source(trees->input)] = 1;
      }
      if (std::holds_alternative<passes::Product>(value(id).operation) && !provenance_.is_region(id) &&
          !grids_.is_folded(id))
        throw base::InternalError("a product of two values was not written out as squares");
    }
    for (const ValueId output : network_.outputs)
      if (provenance_.is_region(output)) look_up(output);
    for (ValueId id = 0; id < network_.values.size(); ++id)
      if (is_sum(id))
        for (const AffineTerm& term : affine(id)->terms)
          if (looked_up_[term.input]) look_up(term.input);
  }

  /// Returns the steps of the torus that a sum's interval may fill. The effect of unseen inputs on a result is not
  /// known, and the noise of a result is small. So a result has room.
  double room_of(ValueId sum) const { return looked_up_[sum] ? span() : std::ldexp(1.0, kMessageBits - 1); }

  SumPlan plan_of(ValueId id) const {
    if (whole_.contains(id))
      return {std::vector<Range>(count(id), whole_.sums[id]),
              std::vector<double>(count(id), std::ldexp(1.0, whole_.steps[id])), std::nullopt};
    return plan_sum(network_, id, precision_, looked_up_[id] && !is_exact(), room_of(id));
  }

  /// Returns the bits of a sum's weights on fresh ciphertexts.
  int fresh_weight_bits(ValueId sum) const {
    return is_fine(sum) ? precision_.first_weight_bits : precision_.coarse_weight_bits;
  }

  /// Returns the root of the number of entries of a row times the variance of rounding.
  static double rounding_of_row(const AffineTerm& term) {
    constexpr double kVariance = 12;
    return std::sqrt(static_cast<double>(passes::entries_of_rows(*term.op)) / kVariance);
  }

  /// Returns the bits of a sum's weights on results of tables. If a table reads the sum, they are those of tables. A
  /// result may have fewer bits, as long as rounding stays below a box. Rounding adds up over the entries of a row.
  /// `steps` are the steps of the largest weight times the largest number of its operand.
  int weight_bits(ValueId sum, const AffineTerm& term, double steps) const {
    constexpr double kUsual = 0.5;  // share of the largest number
    if (looked_up_[sum]) return precision_.weight_bits;
    int bits = precision_.result_weight_bits;
    const double most = std::ldexp(room_of(sum), -precision_.bits - 1);
    while (bits < precision_.weight_bits && rounding_of_row(term) * kUsual * steps / most_weight(bits) > most) ++bits;
    return bits;
  }

  /// Returns the most steps of the torus for the largest number of a term's operand. With these, the sum changes by at
  /// most a quarter of a box, however its weights are rounded. Weights that hardly count then get no extra bits, which
  /// would leave other sums of the operand too many.
  double coarsest_step(ValueId sum, const AffineTerm& term) const {
    constexpr double kShare = 0.25;
    const double box = std::ldexp(room_of(sum), -(looked_up_[sum] ? precision_.bits : precision_.result_bits));
    return kShare * box / std::max(1.0, rounding_of_row(term));
  }

  /// Returns the largest stored magnitude of every element of a table's result that sums read.
  std::vector<double> reaches_of(ValueId id) const { return reaches(seen_ranges(value(id))); }

  /// Returns the most steps of the torus for weight times `of_column` in any row.
  double largest_steps(const SumPlan& sum, const AffineTerm& term,
                       const std::function<double(layout::Index)>& of_column) const {
    const std::vector<double> largest = largest_of_rows(*term.op, of_column);
    double steps = 0;
    for (std::size_t row = 0; row < largest.size(); ++row) steps = std::max(steps, largest[row] * sum.torus[row]);
    return steps;
  }

  /// Finds the steps of the torus per real 1 of every operand of a sum, so that weights have their bits. For an input
  /// it is the step of an integer 1 of all elements. For a table's result it is by element.
  void find_steps() {
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      if (!is_sum(id) || whole_.contains(id)) continue;
      for (const AffineTerm& term : affine(id)->terms)
        if (needs_lookup(term.input))
          find_units(id, term);
        else
          find_step(id, term);
    }
  }

  void find_step(ValueId sum, const AffineTerm& term) {
    const bool fresh = is_private(term.input);
    const RepeatedReals units = fresh ? input_scale(term.input) : RepeatedReals(1);
    const double steps = largest_steps(*sums_[sum], term, [&](layout::Index column) { return units[column]; });
    const double demand = steps / most_weight(fresh ? fresh_weight_bits(sum) : precision_.weight_bits);
    if (demand > 0) torus_[term.input] = std::min(torus_[term.input], demand);
  }

  /// Finds the units of a table's result. The largest numbers of all elements have equally many steps, as the widths of
  /// fresh inputs have. The rounding of weights then costs all elements alike.
  void find_units(ValueId id, const AffineTerm& term) {
    const SumPlan& sum = *sums_[id];
    std::vector<double>& units = units_[term.input];
    if (units.empty()) units.assign(count(term.input), std::numeric_limits<double>::infinity());
    if (sum.divisor) {
      const std::vector<double> least = least_units(*term.op, sum.torus);
      for (std::size_t e = 0; e < units.size(); ++e) units[e] = std::min(units[e], *sum.divisor * least[e]);
      return;
    }
    const std::vector<double> reach = reaches_of(term.input);
    const double steps =
        largest_steps(sum, term, [&](layout::Index column) { return reach[static_cast<std::size_t>(column)]; });
    if (!(steps > 0)) return;
    const double demand = std::max(steps / most_weight(weight_bits(id, term, steps)), coarsest_step(id, term));
    for (std::size_t e = 0; e < units.size(); ++e) units[e] = std::min(units[e], demand / reach[e]);
  }

  static double most_weight(int bits) { return std::ldexp(1.0, bits - 1) - 1; }

  /// Makes the weights of sums with a divisor whole numbers. First the units of a sum shrink, and then the units of
  /// operands that another sum made smaller.
  void align_sums() {
    std::vector<std::vector<char>> settled(network_.values.size());
    for (ValueId id = 0; id < sums_.size(); ++id) {
      if (!sums_[id] || !sums_[id]->divisor) continue;
      SumPlan& sum = *sums_[id];
      const auto ratios = [&](const AffineTerm& term) {
        std::vector<double> result = least_units(*term.op, sum.torus);
        for (std::size_t e = 0; e < result.size(); ++e)
          if (std::isfinite(result[e])) result[e] *= *sum.divisor / units_[term.input][e];
        return result;
      };
      double least = std::numeric_limits<double>::infinity();
      for (const AffineTerm& term : affine(id)->terms)
        if (needs_lookup(term.input)) least = std::min(least, std::ranges::min(ratios(term)));
      if (std::isinf(least)) continue;
      for (double& torus : sum.torus) torus *= std::floor(least * (1 + kWhole)) / least;
      for (const AffineTerm& term : affine(id)->terms) {
        if (!needs_lookup(term.input)) continue;
        const std::vector<double> own = ratios(term);
        std::vector<char>& done = settled[term.input];
        done.resize(own.size(), 0);
        for (std::size_t e = 0; e < own.size(); ++e) {
          if (done[e] || !std::isfinite(own[e])) continue;
          units_[term.input][e] *= own[e] / std::ceil(own[e] * (1 - kWhole));
          done[e] = 1;
        }
      }
    }
  }

  // -- inputs ---------------------------------------------------------------------------------------------------------

  /// Returns the interval of every element of an input.
  std::vector<Range> input_ranges(ValueId id) const {
    constexpr double kMargin = 0.5;
    if (whole_.contains(id)) return std::vector<Range>(count(id), whole_.inputs[id]);
    if (input_range_ && !only_compared(id))
      return std::vector<Range>(count(id), Range{input_range_->first, input_range_->second});
    if (!only_compared(id) || !value(id).range.known())
      return row_ranges(value(id), kMargin);  // refuses if no range is known
    return value(id).element_ranges.empty() ? std::vector<Range>(count(id), value(id).range) : value(id).element_ranges;
  }

  int input_bits(ValueId id) const {
    if (read_by_trees_[id] || (is_exact() && looked_up_[id])) return precision_.bits;
    for (ValueId sum = 0; sum < network_.values.size(); ++sum)
      if (is_sum(sum) && !is_fine(sum) &&
          std::ranges::any_of(affine(sum)->terms, [&](const AffineTerm& term) { return term.input == id; }))
        return precision_.coarse_input_bits;
    return precision_.input_bits;
  }

  /// Returns the highest integer of an input. Integers that are finer than the boxes of a table leave the same room as
  /// sums.
  std::int64_t input_highest(ValueId id) const {
    if (whole_.contains(id)) return std::llround(std::max(1.0, whole_.inputs[id].width()));
    const std::int64_t all = std::int64_t{1} << input_bits(id);
    const int finer = input_bits(id) - precision_.bits;
    return looked_up_[id] && finer > 0 ? all - (std::int64_t{2} << finer) : all - 1;
  }

  RepeatedReals input_scale(ValueId id) const {
    std::vector<double> scales;
    for (const Range& range : input_ranges(id)) {
      const double width = range.width();
      scales.push_back((width > 0 ? width : 1) / static_cast<double>(input_highest(id)));
    }
    return RepeatedReals::of(scales);
  }

  /// Adds an input whose integers are places between borders.
  void emit_grid(ValueId id) {
    const std::size_t index = std::get<Private>(value(id).operation).input;
    FeatureGrid& grid = input_grids_.emplace(id, grids_.grid(id, precision_.bits)).first->second;
    const std::int64_t highest = (std::int64_t{1} << precision_.bits) - 1;
    const int step = kMessageBits - precision_.bits;
    made_[id] = Made{add(integers::Input{inputs_.at(index)}, id, step, 0, highest, true), step};
    integers::ClientInput& input = client_inputs_[index];
    input.name = inputs_.at(index);
    input.shape = value(id).shape;
    input.step = step;
    input.quantiser.highest = highest;
    input.saturates = true;
    input.borders = grid.borders;
  }

  void emit_input(ValueId id) {
    if (grids_.has(id)) return emit_grid(id);
    const std::size_t index = std::get<Private>(value(id).operation).input;
    integers::ClientInput input;
    input.name = inputs_.at(index);
    input.shape = value(id).shape;
    std::vector<double> offsets;
    for (const Range& range : input_ranges(id)) offsets.push_back(range.lowest);
    input.quantiser = {input_scale(id), RepeatedReals::of(offsets), 0, input_highest(id)};
    input.saturates = only_compared(id);
    // If a table reads the input, its integers fill the boxes.
    const int most = kMessageBits - input_bits(id);
    input.step = looked_up_[id] || std::isinf(torus_[id])
                     ? most
                     : std::clamp(static_cast<int>(std::floor(std::log2(torus_[id]))), 0, most);
    if (whole_.contains(id)) input.step = whole_.steps[id];
    made_[id] = Made{add(integers::Input{input.name}, id, input.step, 0, input.quantiser.highest, true), input.step,
                     input.quantiser.scale, input.quantiser.offset};
    client_inputs_[index] = std::move(input);
  }

  // -- sums -----------------------------------------------------------------------------------------------------------

  /// Returns the numbers of a sum's operand for which its rounded weights are to be right. They are the means, or
  /// without samples the middle of an input's range.
  std::vector<double> usual_numbers(ValueId id, const Made& made) const {
    if (!value(id).element_means.empty()) return value(id).element_means;
    const integers::Instruction& of = result_.program.value(made.id);
    const double middle = static_cast<double>(of.lowest) / 2 + static_cast<double>(of.highest) / 2;
    std::vector<double> numbers = made.offset.expanded(static_cast<layout::Index>(count(id)));
    if (is_private(id))
      for (std::size_t e = 0; e < numbers.size(); ++e) numbers[e] += made.scale[static_cast<layout::Index>(e)] * middle;
    return numbers;
  }

  /// Adds to the constants of a sum the error of rounded weights at its operand's usual numbers. The rounding error
  /// then has no part that is the same for all inputs.
  void add_rounding(const layout::LinearOperator& rounded, const AffineTerm& term, const Made& operand,
                    const SumPlan& sum, std::vector<double>& constants) {
    std::vector<double> numbers = usual_numbers(term.input, operand), integers(numbers.size());
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      const auto at = static_cast<layout::Index>(e);
      numbers[e] -= operand.offset[at];
      integers[e] = numbers[e] / operand.scale[at];
    }
    std::vector<double> sums(constants.size(), 0.0);
    rounded.apply(integers, sums, 1);
    term.op->apply(numbers, constants, 1);
    for (std::size_t e = 0; e < sums.size(); ++e) constants[e] -= std::ldexp(sums[e], operand.step) / sum.torus[e];
    unrounded_at_[operand.id] = std::move(integers);
  }

  void emit_sum(ValueId id) {
    const SumPlan& sum = *sums_[id];
    integers::Linear linear;
    int step = kMessageBits;
    std::vector<double> constants = affine(id)->bias.expanded(static_cast<layout::Index>(count(id)));
    for (const AffineTerm& term : affine(id)->terms) {
      const Made& operand = needs_lookup(term.input) ? lookup(term.input) : *made_[term.input];
      // An integer 1 of the operand is 2^step steps of the torus.
      const RepeatedReals columns = operand.scale;
      std::vector<double> rows = sum.torus;
      for (double& row : rows) row = std::ldexp(row, -operand.step);
      linear.terms.push_back(
          {operand.id, std::make_shared<layout::Rounded>(layout::scaled(term.op, RepeatedReals::of(rows), columns))});
      step = std::min(step, operand.step);
      if (!whole_.contains(id)) add_rounding(*linear.terms.back().op, term, operand, sum, constants);
      if (!operand.offset.all_equal(0))
        term.op->apply(operand.offset.expanded(layout::element_count(value(term.input).shape)), constants, 1);
    }
    std::int64_t highest = 0;
    std::vector<double> scales, lows;
    for (std::size_t e = 0; e < constants.size(); ++e) {
      const double unit = std::ldexp(sum.torus[e], -step);
      linear.bias.push_back(std::llround((constants[e] - sum.rows[e].lowest) * unit));
      highest = std::max(highest, std::int64_t{std::llround((sum.rows[e].highest - sum.rows[e].lowest) * unit)});
      scales.push_back(1 / unit);
      lows.push_back(sum.rows[e].lowest);
    }
    // Rounding must not leave the guard.
    const auto most = static_cast<std::int64_t>(std::ldexp(span(), -step));
    if (looked_up_[id]) highest = std::min(highest, most);
    made_[id] = Made{add(std::move(linear), id, step, 0, highest, false), step, RepeatedReals::of(scales),
                     RepeatedReals::of(lows)};
  }

  /// Returns the argument of tables for a value. With exact rounding, it has no more bits than tables.
  const Made& argument(ValueId id) {
    const Made& whole = *made_[id];
    const int dropped = kMessageBits - precision_.bits - whole.step;
    if (!is_exact() || dropped <= 0) return whole;
    if (const auto found = rounded_.find(id); found != rounded_.end()) return found->second;
    const integers::Instruction of = result_.program.value(whole.id);
    const integers::ValueId made =
        add(integers::Round{whole.id, dropped}, id, whole.step + dropped, integers::rounded(of.lowest, dropped),
            integers::rounded(of.highest, dropped), of.exact);
    const Made rounded{made, whole.step + dropped, times_power_of_two(whole.scale, dropped), whole.offset};
    return rounded_.emplace(id, rounded).first->second;
  }

  // -- tables ---------------------------------------------------------------------------------------------------------

  /// Returns the offsets that are subtracted from the numbers of a table, by element. They are the centres of the
  /// numbers that samples lead to. Only distances from the centre then need bits.
  RepeatedReals centres(ValueId source, const std::vector<double>& points, const std::vector<double>& numbers) const {
    if (!value(source).range.known()) return RepeatedReals(0);
    const std::vector<Range> seen = seen_ranges(value(source));
    const std::size_t boxes = std::size_t{1} << precision_.bits;
    std::vector<double> middles;
    for (std::size_t e = 0; e < seen.size(); ++e) {
      const double box = std::abs(points[e * boxes + 1] - points[e * boxes]);
      Range made;
      for (std::size_t i = e * boxes; i < (e + 1) * boxes; ++i)
        if (points[i] >= seen[e].lowest - box && points[i] <= seen[e].highest + box) made.include(numbers[i]);
      if (!made.known()) return RepeatedReals(0);
      middles.push_back(centre_of(made));
    }
    return RepeatedReals::of(middles);
  }

  /// Returns the numbers of a table of `source` for every box. If arguments are rounded, it is the mean of the function
  /// over the box, so that sums of many results have no bias. If the function has only two values in a box, it jumps
  /// there. The box then has the value at its centre.
  std::vector<double> numbers_of_boxes(ValueId id, const Made& source, const std::vector<double>& points) const {
    const std::size_t boxes = std::size_t{1} << precision_.bits;
    const auto numbers_at = [&](const std::vector<double>& at) {
      return finite(evaluate_region(network_, provenance_, id, at, boxes), boxes, value(id).node);
    };
    std::vector<double> centres = numbers_at(points);
    if (is_exact() || !rounds_in_boxes(result_.program, source)) return centres;
    constexpr double kShifts[] = {-3.0 / 8, -1.0 / 8, 1.0 / 8, 3.0 / 8};
    std::vector<double> sums(centres.size(), 0.0);
    std::vector<std::set<double>> distinct(centres.size());
    for (const double shift : kShifts) {
      const std::vector<double> numbers = numbers_at(box_points(result_.program, source, count(id), shift));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += numbers[i];
        distinct[i].insert(numbers[i]);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (distinct[i].size() > 2) centres[i] = sums[i] / std::size(kShifts);
    return centres;
  }

  /// Returns the value as a table's result, for sums to read. It is made once.
  const Made& lookup(ValueId id) {
    if (const auto found = lookups_.find(id); found != lookups_.end()) return found->second;
    const Made& source = argument(provenance_.source(id));
    const std::vector<double> points = box_points(result_.program, source, count(id));
    const std::size_t boxes = std::size_t{1} << precision_.bits;
    std::vector<double> numbers = numbers_of_boxes(id, source, points);
    if (value(id).range.known())
      keep_near(seen_ranges(value(id)), is_exact() ? precision_.margin : kRoom, boxes, numbers);
    const RepeatedReals offsets = centres(provenance_.source(id), points, numbers);
    std::vector<double> reach(count(id), 0.0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] -= offsets[static_cast<layout::Index>(i / boxes)];
      reach[i / boxes] = std::max(reach[i / boxes], std::abs(numbers[i]));
    }
    const std::vector<double> units = entry_units(id, reach);
    double most = 0;  // most steps of an entry
    for (std::size_t e = 0; e < units.size(); ++e) most = std::max(most, units[e] * reach[e]);
    const double fine = std::ldexp(std::max(most, 1.0), -precision_.result_bits);
    const int step = std::clamp(static_cast<int>(std::floor(std::log2(fine))), 0, kMessageBits - 2);
    std::vector<double> scales;
    for (const double unit : units) scales.push_back(std::ldexp(1.0, step) / unit);
    std::vector<std::int64_t> entries;
    for (std::size_t i = 0; i < numbers.size(); ++i) entries.push_back(std::llround(numbers[i] / scales[i / boxes]));
    auto [tables, table_of] = distinct_tables(entries, boxes);
    const auto [lowest, highest] = std::ranges::minmax(entries);
    const Made made{
        add(integers::Lookup{source.id, std::move(tables), std::move(table_of)}, id, step, lowest, highest, true), step,
        RepeatedReals::of(scales), offsets};
    std::vector<std::string> fused;
    for (const ValueId part : values_of_region(network_, provenance_, id)) fused.push_back(value(part).op);
    if (!fused.empty())
      result_.program.instructions.back().source = fmt::format("{} '{}'", passes::chain_name(fused), value(id).node);
    return lookups_.emplace(id, made).first->second;
  }

  /// Returns the steps of the torus per real 1 of every element of a table's result. The sums that read it determine
  /// them. An element that no sum reads fills the torus. No entry exceeds the torus. `reach` is the largest magnitude
  /// by element.
  std::vector<double> entry_units(ValueId id, const std::vector<double>& reach) const {
    const double full = std::ldexp(1.0, kEntryBits);
    std::vector<double> units = units_[id];
    units.resize(reach.size(), std::numeric_limits<double>::infinity());
    for (std::size_t e = 0; e < units.size(); ++e) {
      if (std::isinf(units[e]))
        units[e] = reach[e] > 0 ? full / reach[e] : 1;
      else if (const double steps = units[e] * reach[e]; steps > full)
        units[e] = std::ldexp(units[e], -std::ilogb(steps / full) - 1);  // so that weights stay whole
    }
    return units;
  }

  void emit(ValueId id) {
    if (is_private(id)) {
      emit_input(id);
    } else if (is_sum(id)) {
      emit_sum(id);
    } else if (const auto* trees = std::get_if<Trees>(&value(id).operation)) {
      made_[id] =
          add_trees(result_.program, *trees->ensemble,
                    grids_.covers(id) ? features_on_grids(id) : features_of(trees->input), value(id).element_ranges,
                    {.tables = looked_up_[id] != 0, .client_alone = is_read_by_client_alone(id), .torus = torus_[id]},
                    value(id).node, result_.warnings);
    }
  }

  /// Returns the features of trees for integers of numbers at even distances.
  TreeFeatures features_of(ValueId operand) {
    const Made& source = argument(provenance_.source(operand));
    const std::vector<double> points = box_points(result_.program, source, count(operand));
    return {source.id, evaluate_region(network_, provenance_, operand, points, std::size_t{1} << precision_.bits)};
  }

  /// Returns the features of trees for inputs with borders: the elements of one input, or a selection of several.
  TreeFeatures features_on_grids(ValueId trees) {
    TreeFeatures features;
    features.exact = true;
    const std::vector<std::optional<FeatureGrids::Place>> places = grids_.places(trees);
    const std::size_t boxes = std::size_t{1} << precision_.bits;
    std::map<ValueId, std::vector<std::pair<layout::Index, layout::Index>>> selected;  // by input: feature and element
    for (std::size_t f = 0; f < places.size(); ++f) {
      features.points.resize((f + 1) * boxes);
      features.elements.push_back(places[f] ? static_cast<std::uint32_t>(places[f]->element) : 0);
      if (!places[f]) continue;
      const std::span<const double> of_input = input_grids_.at(places[f]->input).points;
      std::ranges::copy(grids_.feature_numbers(trees, f, of_input.subspan(places[f]->element * boxes, boxes)),
                        features.points.begin() + static_cast<std::ptrdiff_t>(f * boxes));
      selected[places[f]->input].emplace_back(f, places[f]->element);
    }
    features.id = made_[selected.begin()->first]->id;
    if (selected.size() == 1) return features;
    integers::Linear linear;
    const layout::Shape shape{1, static_cast<layout::Index>(places.size())};
    for (const auto& [input, pairs] : selected) {
      const auto add_feature = [&](layout::Index row, layout::RowEntries& entries) {
        for (const auto& [feature, element] : pairs)
          if (feature == row) entries.add(element, 1);
      };
      linear.terms.push_back(
          {made_[input]->id, std::make_shared<layout::SparseRows>(value(input).shape, shape, add_feature)});
    }
    features.elements.clear();
    result_.program.instructions.push_back({std::move(linear), shape, made_[selected.begin()->first]->step, 0,
                                            static_cast<std::int64_t>(boxes) - 1, true, value(trees).node,
                                            fmt::format("features of '{}'", value(trees).node)});
    features.id = static_cast<integers::ValueId>(result_.program.instructions.size() - 1);
    return features;
  }

  void emit_output(std::size_t index) {
    const ValueId id = network_.outputs[index];
    const Made& made = provenance_.is_region(id) ? lookup(id) : *made_[id];
    integers::Instruction out = result_.program.value(made.id);
    out.operation = integers::Output{made.id, outputs_.at(index)};
    result_.program.instructions.push_back(out);
    result_.client.outputs.push_back({outputs_.at(index),
                                      value(id).shape,
                                      out.step,
                                      {made.scale, made.offset, out.lowest, out.highest},
                                      static_cast<std::uint32_t>(made.addends)});
    // Sums of leaves are whole and few. The entries of a table and inputs are finer than their noise.
    result_.whole_outputs.push_back(whole_.contains(id));
    if (whole_.contains(id)) return;
    if (!is_exact() && (!is_trees(id) || looked_up_[id] || !std::isinf(torus_[id])))
      round_output(result_, index, std::max(out.step, kMessageBits - output_bits(precision_.bits)));
  }

  template <class Operation>
  integers::ValueId add(Operation operation, ValueId id, int step, std::int64_t lowest, std::int64_t highest,
                        bool exact) {
    const Value& of = value(id);
    result_.program.instructions.push_back({std::move(operation), of.shape, step, lowest, highest, exact, of.node,
                                            fmt::format("{} '{}'", of.op, of.node)});
    return static_cast<integers::ValueId>(result_.program.instructions.size() - 1);
  }

  const Network& network_;
  Provenance provenance_;
  const FeatureGrids& grids_;
  std::map<ValueId, FeatureGrid> input_grids_;
  std::map<program::ValueId, std::vector<double>> unrounded_at_;  // for the meanings of the operands of sums
  const Precision& precision_;
  std::optional<std::pair<double, double>> input_range_;
  const std::vector<std::string>&inputs_, &outputs_;
  WholeSums whole_;
  std::vector<std::optional<SumPlan>> sums_;
  std::vector<double> torus_;               ///< by value that sums read directly: steps of the torus per integer 1
  std::vector<std::vector<double>> units_;  ///< by table's result that sums read: steps per real 1, by element
  std::vector<char> looked_up_, read_by_trees_;
  std::set<ValueId> table_made_;
  std::vector<std::optional<Made>> made_;
  std::map<ValueId, Made> lookups_, rounded_;
  std::map<std::size_t, integers::ClientInput> client_inputs_;
  Quantised result_;
};

}  // namespace

int output_bits(int bits) {
  constexpr int kFiner = 2;
  return std::max(kLeastOutputBits, bits + kFiner);
}

void round_output(Quantised& quantised, std::size_t index, int step) {
  std::size_t place = 0;
  for (integers::Instruction& made : quantised.program.instructions) {
    const auto* output = std::get_if<integers::Output>(&made.operation);
    if (output == nullptr || place++ != index) continue;
    integers::ClientOutput& client = quantised.client.outputs.at(index);
    client.quantiser.scale = times_power_of_two(client.quantiser.scale, step - made.step);
    const integers::Instruction& operand = quantised.program.value(output->input);
    const auto rounded = [&](std::int64_t end) {
      return static_cast<std::int64_t>(std::llround(std::ldexp(static_cast<double>(end), operand.step - step)));
    };
    made.step = client.step = step;
    made.lowest = client.quantiser.lowest = rounded(operand.lowest);
    made.highest = client.quantiser.highest = rounded(operand.highest);
  }
}

Quantised quantise(const Network& network, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const Precision& precision,
                   const std::optional<std::pair<double, double>>& input_range, const FeatureGrids& grids) {
  return Quantisation(network, inputs, outputs, precision, input_range, grids).run();
}

}  // namespace tacit::graph::quant
