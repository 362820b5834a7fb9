#include "graph/quant/whole_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "graph/client_parts.h"
#include "graph/quant/row_ranges.h"
#include "program/integers/program.h"

namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::AffineTerm;
using passes::Network;
using passes::Private;
using passes::Value;
using passes::ValueId;

/// Doubles hold all whole numbers up to this one.
constexpr double kMost = 9007199254740992.0;

bool is_whole(double x) { return x == std::floor(x) && std::abs(x) <= kMost; }

bool has_whole_weights(const layout::LinearOperator& op) {
  layout::RowEntries entries;
  for (layout::Index row = 0; row < layout::element_count(op.out_shape()); ++row) {
    entries.clear();
    op.append_row(row, entries);
    if (!std::ranges::all_of(entries.weights, is_whole)) return false;
  }
  return true;
}

class WholeNumbers {
 public:
  WholeNumbers(const Network& network, const std::vector<char>& whole_inputs, const std::vector<char>& looked_up)
      : network_(network), whole_(network.values.size(), 0) {
    for (ValueId id = 0; id < whole_.size(); ++id) {
      if (looked_up[id]) continue;
      if (const auto* input = std::get_if<Private>(&network.values[id].operation))
        whole_[id] = input->input < whole_inputs.size() && whole_inputs[input->input] && input->units.empty();
      if (std::holds_alternative<Affine>(network.values[id].operation)) whole_[id] = reads_whole_inputs(id);
    }
    while (drop_shared()) {
    }
  }

  const std::vector<char>& all() const { return whole_; }

 private:
  const Affine* sum(ValueId id) const { return std::get_if<Affine>(&network_.values[id].operation); }

  bool reads_whole_inputs(ValueId id) const {
    const auto reads_input = [&](const AffineTerm& term) {
      return whole_[term.input] && std::holds_alternative<Private>(network_.values[term.input].operation);
    };
    return !sum(id)->terms.empty() && std::ranges::all_of(sum(id)->terms, reads_input) &&
           std::ranges::all_of(sum(id)->terms, [](const AffineTerm& term) { return has_whole_weights(*term.op); }) &&
           std::ranges::all_of(sum(id)->bias.values(), is_whole);
  }

  /// Drops inputs that other values read, too, and sums that read dropped inputs. Returns true if there were some.
  bool drop_shared() {
    bool dropped = false;
    const auto drop = [&](ValueId id) {
      dropped = dropped || whole_[id];
      whole_[id] = 0;
    };
    for (ValueId id = 0; id < whole_.size(); ++id)
      for (const ValueId read : passes::operands(network_.values[id])) {
        if (!whole_[id]) drop(read);
        if (!whole_[read] && sum(id) != nullptr) drop(id);
      }
    return dropped;
  }

  const Network& network_;
  std::vector<char> whole_;
};

/// Returns the range of all elements of an input, with whole ends.
Range range_of_input(const Value& value, const std::optional<std::pair<double, double>>& input_range) {
  constexpr double kMargin = 0.5;
  Range range;
  if (input_range) {
    range = {input_range->first, input_range->second};
  } else {
    for (const Range& element : row_ranges(value, kMargin)) range.include(element);
  }
  return {std::floor(range.lowest), std::ceil(range.highest)};
}

/// Returns the range that a sum may reach.
Range range_of_sum(const Affine& sum, layout::Index count, const std::vector<Range>& inputs) {
  std::vector<double> lowest = sum.bias.expanded(count), highest = lowest;
  for (const AffineTerm& term : sum.terms) {
    const auto [positive, negative] = term.op->signed_sums();
    const Range& of = inputs[term.input];
    for (std::size_t e = 0; e < lowest.size(); ++e) {
      lowest[e] += positive[e] * of.lowest + negative[e] * of.highest;
      highest[e] += positive[e] * of.highest + negative[e] * of.lowest;
    }
  }
  return {*std::ranges::min_element(lowest), *std::ranges::max_element(highest)};
}

}  // namespace

WholeSums whole_sums(const Network& network, const std::vector<char>& whole_inputs, const std::vector<char>& looked_up,
                     const std::optional<std::pair<double, double>>& input_range) {
  const std::size_t count = network.values.size();
  WholeSums result{std::vector<int>(count, -1), std::vector<Range>(count), std::vector<Range>(count)};
  if (std::ranges::none_of(whole_inputs, [](char whole) { return whole != 0; })) return result;
  const WholeNumbers numbers(network, whole_inputs, looked_up);
  double widest = 1;
  for (ValueId id = 0; id < count; ++id) {
    if (!numbers.all()[id]) continue;
    const Value& value = network.values[id];
    const auto* sum = std::get_if<Affine>(&value.operation);
    Range& range = sum != nullptr ? result.sums[id] : result.inputs[id];
    range = sum != nullptr ? range_of_sum(*sum, layout::element_count(value.shape), result.inputs)
                           : range_of_input(value, input_range);
    widest = std::max(widest, range.width());
  }
  // Half of the torus is for messages. The choice of parameters refuses numbers that noise hides.
  const int step = std::max(0, static_cast<int>(std::floor(integers::kMessageBits - 1 - std::log2(widest + 1))));
  for (ValueId id = 0; id < count; ++id)
    if (numbers.all()[id]) result.steps[id] = step;
  return result;
}

void require_whole(const Network& network, const Graph& encrypted, const std::vector<double>& steps,
                   const std::vector<std::vector<std::vector<double>>>& exact,
                   const std::vector<std::vector<std::vector<double>>>& found) {
  constexpr double kMostMissed = 0.01;
  for (std::size_t o = 0; o < network.outputs.size(); ++o) {
    const TensorInfo& info = encrypted.tensors[encrypted.outputs.at(o)];
    if (!info.integral) continue;
    std::size_t missed = 0;
    double worst = 0;
    for (std::size_t s = 0; s < std::min(exact.size(), found.size()); ++s) {
      double off = 0;
      for (std::size_t e = 0; e < exact[s].at(o).size(); ++e)
        off = std::max(off, std::abs(exact[s][o][e] - found[s].at(o).at(e)));
      missed += off > kMostNoiseOfIntegers ? 1 : 0;
      worst = std::max(worst, off);
    }
    const Range& range = network.values[network.outputs[o]].range;
    const bool misses = static_cast<double>(missed) > kMostMissed * static_cast<double>(exact.size());
    if (steps.at(o) <= 1 && !misses) continue;
    base::refuse(
        "output '{}' holds integers from {:.6g} to {:.6g}, and its results come back in steps of {:.3g}{}: other whole "
        "numbers would be shown; use integers of a smaller range, more bits (--bits), --scheme ckks, or floating-point "
        "numbers",
        info.name, range.lowest, range.highest, steps[o],
        misses ? fmt::format(", up to {:.3g} off on {} of {} calibration samples", worst, missed, exact.size())
               : std::string());
  }
}

}  // namespace tacit::graph::quant
