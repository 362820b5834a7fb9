#include "graph/quant/tree_leaves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tacit::graph::quant {
namespace {

/// Two numbers are whole multiples of a third number if the rest is at most this share of the larger.
constexpr double kNearWhole = 1e-6;
/// The factor by which the error of a divisor of several steps may exceed that of one step.
constexpr double kSteps = 16;

/// Returns by tree the interval of the leaves in one target, factor included.
std::vector<Range> leaves_of(const TreeEnsemble& ensemble, std::size_t target) {
  std::vector<Range> ranges;
  for (const Tree& tree : ensemble.trees) {
    Range& range = ranges.emplace_back();
    for (const TreeNode& node : tree)
      if (node.leaf) range.include(node.weight_of(target) * ensemble.factor);
  }
  return ranges;
}

/// Returns the sum over all trees of a leaf's total over all targets. None if the leaves of a tree have different
/// totals.
std::optional<double> common_sum(const TreeEnsemble& ensemble) {
  constexpr double kNear = 1e-5;
  double total = 0;
  for (const Tree& tree : ensemble.trees) {
    double of_tree = std::numeric_limits<double>::quiet_NaN();
    for (const TreeNode& node : tree) {
      if (!node.leaf) continue;
      double sum = 0;
      for (const auto& [target, weight] : node.weights) sum += weight;
      if (std::isnan(of_tree)) of_tree = sum;
      if (!(std::abs(sum - of_tree) <= kNear * std::max(1.0, std::abs(of_tree)))) return std::nullopt;
    }
    total += of_tree;
  }
  return total;
}

/// Returns the largest number that both are multiples of, up to rounding.
double common_divisor(double a, double b, double tolerance) {
  while (b > tolerance) {
    double rest = std::fmod(a, b);
    if (b - rest < tolerance) rest = 0;
    a = std::exchange(b, rest);
  }
  return a;
}

/// Returns a number of which all leaves of a target are whole multiples above the least leaf of their tree.
std::optional<double> common_step(const TreeEnsemble& ensemble, std::size_t target, const std::vector<Range>& trees) {
  double step = 0, largest = 0;
  for (const Range& tree : trees) largest = std::max(largest, tree.width());
  const auto each_difference = [&](const auto& visit) {
    for (std::size_t t = 0; t < trees.size(); ++t)
      for (const TreeNode& node : ensemble.trees[t])
        if (node.leaf) visit(node.weight_of(target) * ensemble.factor - trees[t].lowest);
  };
  each_difference([&](double difference) {
    if (difference > kNearWhole * largest)
      step = common_divisor(std::max(step, difference), std::min(step, difference), kNearWhole * largest);
  });
  bool whole = step > 0;
  each_difference([&](double difference) {
    const double multiple = difference / step;
    whole = whole && std::abs(multiple - std::round(multiple)) <= kNearWhole * std::max(1.0, largest / step);
  });
  return whole ? std::optional(step) : std::nullopt;
}

/// True if the unit represents leaves of this step exactly.
bool is_exact(const std::optional<double>& step, double unit) {
  if (!step) return false;
  const double multiple = *step / unit;
  return std::abs(multiple - std::round(multiple)) <= kNearWhole * std::max(1.0, multiple) * kSteps;
}

/// Returns a number that all steps are whole multiples of. None if a target has no step.
std::optional<double> common_unit(const std::vector<std::optional<double>>& steps) {
  double unit = 0;
  for (const std::optional<double>& step : steps) {
    if (!step) return std::nullopt;
    unit = common_divisor(std::max(unit, *step), std::min(unit, *step), kNearWhole * *step);
  }
  // A remainder below the tolerance ends the search for a divisor. The result may then divide nothing.
  const bool whole = unit > 0 && std::ranges::all_of(steps, [&](const auto& step) { return is_exact(step, unit); });
  return whole ? std::optional(unit) : std::nullopt;
}

/// The requirements of the leaves of one target.
struct Target {
  double width = 0;        ///< width of all possible scores
  double noise = 0;        ///< noise of rounding: a unit of 1 changes scores by this share of their range
  double finest = 0;       ///< unit that keeps the error small; 0 if leaves do not differ
  std::size_t moving = 0;  ///< trees whose leaves differ
};

Target target_of(const std::vector<Range>& trees, const Range& seen) {
  constexpr double kError = 1.5e-3;                 // root of the mean square, of the scores' range
  constexpr double kVariance = 12;                  // of rounding
  constexpr double kNarrowest = 0.05, kWidest = 2;  // of the range of independent trees
  Target target;
  double squares = 0;
  for (const Range& leaves : trees) {
    target.width += leaves.width();
    squares += leaves.width() * leaves.width();
    if (leaves.width() > 0) ++target.moving;
  }
  const double independent = std::sqrt(squares);
  const double range =
      seen.known() ? std::clamp(seen.width(), kNarrowest * independent, kWidest * independent) : independent;
  if (target.moving > 0 && range > 0) {
    target.noise = std::sqrt(static_cast<double>(target.moving) / kVariance) / range;
    target.finest = kError / target.noise;
  }
  return target;
}

/// Returns the unit that gives sums of a target `bits` bits.
double unit_of(const Target& target, int bits) {
  // Every leaf may be rounded up or down by a half, and its middle as well.
  const double integers = std::max(1.0, std::ldexp(1.0, bits) - 4 - 2 * static_cast<double>(target.moving));
  return target.width > 0 ? target.width / integers : 1;
}

}  // namespace

LeafIntegers leaf_integers(const TreeEnsemble& ensemble, const std::vector<Range>& seen, const SumBits& sum_bits) {
  const int most_bits = sum_bits.most;
  const std::size_t targets = ensemble.targets();
  std::vector<std::vector<Range>> leaves;
  std::vector<Target> of_target;
  std::vector<std::optional<double>> steps;
  int bits = 1, bits_of_rounded = 1;
  for (std::size_t t = 0; t < targets; ++t) {
    leaves.push_back(leaves_of(ensemble, t));
    of_target.push_back(target_of(leaves[t], t < seen.size() ? seen[t] : Range{}));
    steps.push_back(common_step(ensemble, t, leaves[t]));
    const Target& of = of_target[t];
    if (of.moving == 0) continue;
    int rounded = std::min(sum_bits.cheap, most_bits), exact = 1;
    while (rounded < most_bits && unit_of(of, rounded) > of.finest) ++rounded;
    bits_of_rounded = std::max(bits_of_rounded, rounded);
    if (steps[t] && *steps[t] < unit_of(of, most_bits)) steps[t].reset();
    while (steps[t] && unit_of(of, exact) > *steps[t]) ++exact;
    bits = std::max(bits, steps[t] ? exact : rounded);
  }
  LeafIntegers result;
  for (std::size_t t = 0; t < targets; ++t) result.units.push_back(steps[t] ? *steps[t] : unit_of(of_target[t], bits));

  result.looked_up = targets;
  constexpr double kSimilar = 8;  // the widest target over the narrowest
  const auto [narrow, wide] = std::ranges::minmax(of_target, {}, &Target::width);
  const std::optional<double> total =
      sum_bits.rest && targets > 1 && wide.width <= kSimilar * narrow.width ? common_sum(ensemble) : std::nullopt;
  if (total) {
    result.looked_up = targets - 1;
    // All targets have one unit, so that the rest is a sum of integers.
    const std::optional<double> common = common_unit(steps);
    double unit = common && *common >= unit_of(wide, most_bits) ? *common : unit_of(wide, bits_of_rounded);
    // If the common sum is whole, too, equal shares stay equal to the last bit.
    constexpr double kSame = 1e-5;
    const double all = std::abs(*total * ensemble.factor), count = std::round(all / unit);
    if (count > 0 && std::abs(all / unit - count) <= kSame * count) unit = all / count;
    result.units.assign(targets, unit);
  }

  for (std::size_t t = 0; t < targets; ++t)
    result.errors.push_back(is_exact(steps[t], result.units[t]) ? 0 : of_target[t].noise * result.units[t]);

  constexpr double kAlmost = 1e-6;  // of a unit: rounding of doubles
  result.offsets = ensemble.base;
  double all_middles = 0;
  for (std::size_t tree = 0; tree < ensemble.trees.size(); ++tree) {
    std::vector<double>& middles = result.middles.emplace_back();
    for (std::size_t t = 0; t < result.looked_up; ++t) {
      const Range& range = leaves[t][tree];
      // A leaf that is a whole multiple up to its rounding counts as one.
      const double unit = result.units[t], places = std::round(range.lowest / unit);
      const bool whole = std::abs(range.lowest / unit - places) <= kAlmost * std::clamp(std::abs(places), 1.0, 1e3);
      middles.push_back((whole ? unit * places : range.lowest) + unit * std::floor(range.width() / 2 / unit + kAlmost));
      result.offsets[t] += middles.back();
      all_middles += middles.back();
    }
  }
  if (total) result.offsets.back() += *total * ensemble.factor - all_middles;

  result.lowest.assign(targets, 0);
  result.highest.assign(targets, 0);
  for (std::size_t tree = 0; tree < ensemble.trees.size(); ++tree)
    for (std::size_t t = 0; t < targets; ++t) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
      for (const TreeNode& leaf : ensemble.trees[tree]) {
        if (!leaf.leaf) continue;
        std::int64_t added = 0;
        if (t < result.looked_up) added = leaf_integer(result, ensemble, tree, leaf, t);
        for (std::size_t other = 0; t >= result.looked_up && other < result.looked_up; ++other)
          added -= leaf_integer(result, ensemble, tree, leaf, other);
        least = std::min(least, added);
        most = std::max(most, added);
      }
      result.lowest[t] += least;
      result.highest[t] += most;
    }
  return result;
}

std::int64_t leaf_integer(const LeafIntegers& integers, const TreeEnsemble& ensemble, std::size_t tree,
                          const TreeNode& leaf, std::size_t target) {
  const double weight = leaf.weight_of(target) * ensemble.factor;
  return std::llround((weight - integers.middles[tree][target]) / integers.units[target]);
}

}  // namespace tacit::graph::quant
