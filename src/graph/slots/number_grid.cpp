#include "graph/slots/number_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "graph/attribute.h"
#include "graph/integers.h"
#include "graph/links.h"
#include "graph/passes/operator_rows.h"
#include "graph/range.h"

namespace tacit::graph::passes {
namespace {

/// Weights and scales are 32-bit reals, so that multiples of a step are off by 2^-24 of themselves.
constexpr double kRoundingOfReals = 0x1p-18;
/// A number is on the grid if it is within this share of the step. A lookup is as exact there as its noise.
constexpr double kOffGrid = 0x1p-7;
/// The largest multiple of a step that is a grid and not chance.
constexpr double kMostSteps = 0x1p14;
constexpr std::int64_t kNoBound = std::int64_t{1} << 53;

bool is_multiple(double number, double step) {
  return std::abs(number - step * std::nearbyint(number / step)) <= kOffGrid * step;
}

std::int64_t steps_of(double number, double step) { return std::llround(number / step); }

std::optional<double> scalar(const Graph& graph, TensorId id) {
  if (id == kNoTensor || !graph.is_constant(id)) return std::nullopt;
  const Tensor& tensor = graph.constant(id);
  if (tensor.data.empty() || !std::ranges::all_of(tensor.data, [&](double x) { return x == tensor.data[0]; }))
    return std::nullopt;
  return tensor.data[0];
}

NumberGrid scaled(NumberGrid grid, double factor) {
  if (factor < 0) grid = {grid.step, -grid.highest, -grid.lowest};
  grid.step *= std::abs(factor);
  return grid;
}

std::optional<NumberGrid> shifted(NumberGrid grid, double by) {
  if (!is_multiple(by, grid.step)) return std::nullopt;
  const std::int64_t steps = steps_of(by, grid.step);
  return NumberGrid{grid.step, grid.lowest + steps, grid.highest + steps};
}

NumberGrid clipped(NumberGrid grid, std::optional<double> lowest, std::optional<double> highest) {
  const auto inside = [&](double bound) { return std::clamp(steps_of(bound, grid.step), grid.lowest, grid.highest); };
  const std::int64_t least = lowest ? inside(*lowest) : grid.lowest, most = highest ? inside(*highest) : grid.highest;
  return {grid.step, least, most};
}

std::optional<NumberGrid> bounded(std::optional<NumberGrid> grid) {
  if (!grid || grid->lowest <= -kNoBound / 2 || grid->highest >= kNoBound / 2) return std::nullopt;
  return grid;
}

/// Follows the client's operators from a tensor back to a rounding.
class ClientGrids {
 public:
  explicit ClientGrids(const Graph& graph) : graph_(graph), links_(graph) {}

  std::optional<NumberGrid> of(TensorId id) const {
    const TensorInfo& info = graph_.tensors.at(id);
    const std::optional<std::size_t> maker = links_.makers[id];
    if (!maker || info.integral) return maker ? narrowed(info, made_by(graph_.nodes[*maker])) : typed(info);
    return made_by(graph_.nodes[*maker]);
  }

 private:
  std::optional<NumberGrid> typed(const TensorInfo& info) const {
    if (!info.integral) return std::nullopt;
    const IntegerRange range = range_of(info.integers);
    return NumberGrid{1, static_cast<std::int64_t>(range.lowest), static_cast<std::int64_t>(range.highest)};
  }

  std::optional<NumberGrid> narrowed(const TensorInfo& info, std::optional<NumberGrid> grid) const {
    return grid ? grid : typed(info);
  }

  std::optional<NumberGrid> made_by(const Node& node) const {
    const TensorId first = node.inputs.at(0);
    const auto constant = [&](std::size_t i) {
      return i < node.inputs.size() ? scalar(graph_, node.inputs[i]) : std::nullopt;
    };
    if (node.op == "Round") {
      const Range range = range_of_reals(first);
      return NumberGrid{1, steps_within(range.lowest), steps_within(range.highest)};
    }
    static const std::set<std::string> kKeep{"Cast",      "Identity", "Reshape",  "Flatten",
                                             "Transpose", "Squeeze",  "Unsqueeze"};
    if (kKeep.contains(node.op)) return of(first);
    const std::optional<double> by = constant(1);
    if (node.op == "Clip") {
      const auto grid = of(first);
      return grid ? std::optional(clipped(*grid, by, constant(2))) : std::nullopt;
    }
    const auto grid = graph_.is_constant(first) ? std::nullopt : of(first);
    if (!grid || !by) return std::nullopt;
    if (node.op == "Add") return shifted(*grid, *by);
    if (node.op == "Sub") return shifted(*grid, -*by);
    if (node.op == "Mul" && *by != 0) return scaled(*grid, *by);
    if (node.op == "Div" && *by != 0) return scaled(*grid, 1 / *by);
    return std::nullopt;
  }

  static std::int64_t steps_within(double bound) {
    return std::llround(
        std::clamp(std::nearbyint(bound), static_cast<double>(-kNoBound), static_cast<double>(kNoBound)));
  }

  /// Returns the range of the reals before a rounding, which follows from a Clip and the arithmetic after it.
  Range range_of_reals(TensorId id) const {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const Range any{-kNone, kNone};
    const std::optional<std::size_t> maker = links_.makers.at(id);
    if (!maker) return any;
    const Node& node = graph_.nodes[*maker];
    const auto constant = [&](std::size_t i) {
      return i < node.inputs.size() ? scalar(graph_, node.inputs[i]) : std::nullopt;
    };
    const std::optional<double> by = constant(1);
    if (node.op == "Clip") return {by.value_or(-kNone), constant(2).value_or(kNone)};
    if (!by || graph_.is_constant(node.inputs.at(0))) return any;
    const Range before = range_of_reals(node.inputs[0]);
    if (node.op == "Add") return {before.lowest + *by, before.highest + *by};
    if (node.op == "Sub") return {before.lowest - *by, before.highest - *by};
    if (node.op == "Mul" && *by > 0) return {before.lowest * *by, before.highest * *by};
    if (node.op == "Div" && *by > 0) return {before.lowest / *by, before.highest / *by};
    return any;
  }

  const Graph& graph_;
  const Links links_;
};

}  // namespace

std::optional<double> common_step(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  if (!(largest > 0) || !std::isfinite(largest)) return std::nullopt;
  // Euclid's algorithm on numbers that are rounded.
  const double zero = std::max(largest / kMostSteps / 2, largest * kRoundingOfReals);
  double step = 0;
  for (double a : numbers) {
    a = std::abs(a);
    while (a > zero) {
      step = std::abs(step - a * std::nearbyint(step / a));
      std::swap(step, a);
    }
    if (step > 0 && step < zero) return std::nullopt;
  }
  // The sums of all numbers and of all multiples average the roundings.
  double sum = 0, steps = 0;
  for (const double x : numbers) {
    sum += std::abs(x);
    steps += std::nearbyint(std::abs(x) / step);
  }
  step = sum / steps;
  if (largest / step > kMostSteps || !std::ranges::all_of(numbers, [&](double x) { return is_multiple(x, step); }))
    return std::nullopt;
  return step;
}

std::optional<NumberGrid> grid_of(const std::vector<double>& numbers) {
  if (std::ranges::all_of(numbers, [](double x) { return x == 0; })) return NumberGrid{1, 0, 0};
  const std::optional<double> step = common_step(numbers);
  if (!step) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(numbers);
  double off = 0;
  for (const double x : numbers) off = std::max(off, std::abs(x / *step - std::nearbyint(x / *step)));
  return NumberGrid{*step, steps_of(least, *step), steps_of(most, *step), off};
}

std::optional<NumberGrid> grid_of(const Graph& client, TensorId id) { return bounded(ClientGrids(client).of(id)); }

std::optional<NumberGrid> grid_of(const Affine& affine, layout::Index elements,
                                  const std::vector<std::optional<NumberGrid>>& grids) {
  constexpr std::size_t kMostWeights = std::size_t{1} << 22;
  std::vector<double> weights;
  for (const AffineTerm& term : affine.terms) {
    const std::optional<NumberGrid>& grid = grids.at(term.input);
    if (!grid) return std::nullopt;
    bool few = true;
    each_row(*term.op, [&](layout::Index, layout::RowEntries& entries) {
      entries.merge();
      few = few && weights.size() + entries.size() <= kMostWeights;
      if (!few) return;
      for (const double weight : entries.weights)
        if (weight != 0) weights.push_back(weight * grid->step);
    });
    if (!few) return std::nullopt;
  }
  const std::optional<double> step = common_step(weights);
  if (!step) return std::nullopt;
  std::vector<std::int64_t> lowest, highest;
  std::vector<double> off;  // of sums, as shares of the step
  for (layout::Index e = 0; e < elements; ++e) {
    if (!is_multiple(affine.bias[e], *step)) return std::nullopt;
    lowest.push_back(steps_of(affine.bias[e], *step));
    off.push_back(std::abs(affine.bias[e] / *step - static_cast<double>(lowest.back())));
  }
  highest = lowest;
  for (const AffineTerm& term : affine.terms) {
    const NumberGrid& grid = *grids[term.input];
    each_row(*term.op, [&](layout::Index row, layout::RowEntries& entries) {
      entries.merge();
      for (const double weight : entries.weights) {
        const double exact = weight * grid.step / *step;
        const std::int64_t times = std::llround(exact);
        off[static_cast<std::size_t>(row)] += std::abs(exact - static_cast<double>(times)) * grid.largest() +
                                              static_cast<double>(std::abs(times)) * grid.off;
        lowest[static_cast<std::size_t>(row)] += times * (times > 0 ? grid.lowest : grid.highest);
        highest[static_cast<std::size_t>(row)] += times * (times > 0 ? grid.highest : grid.lowest);
      }
    });
  }
  return NumberGrid{*step, std::ranges::min(lowest), std::ranges::max(highest), std::ranges::max(off)};
}

}  // namespace tacit::graph::passes
