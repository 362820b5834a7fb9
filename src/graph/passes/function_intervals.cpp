#include "graph/passes/function_intervals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>

#include "graph/passes/clear_network.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fit_functions.h"

namespace tacit::graph::passes {
namespace {

/// The shares of the measured width by which an interval may be wider on one side, for inputs not seen. The second
/// number is the factor by which the function may become larger for it. A steep function pays with precision.
constexpr double kMargins[] = {0.25, 0.1, 0.05, 0.02, 0.005};
constexpr double kMostGrowth = 1.6;
constexpr double kDivisors[] = {1.6, 1.25, 1.1, 1.02};

/// The degree of the series that errors are taken from, and the largest error as a share of the function's largest
/// value. If a function jumps, a series is off by half of the jump, but only near it.
constexpr int kModerateDegree = 30;
constexpr double kMostShare = 1.0 / 50;

/// The number of deviations that an error is expected to reach.
constexpr double kDeviations = 4;

/// Returns the largest |f|. Infinite if a value is not finite. A range around 0 includes 0, where functions of positive
/// numbers have a pole.
double largest_on(const Function& function, double lowest, double highest) {
  constexpr std::size_t kPoints = 33;
  std::vector<double> points(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i)
    points[i] = lowest + (highest - lowest) * static_cast<double>(i) / (kPoints - 1);
  if (lowest < 0 && highest > 0) points.push_back(0);
  double largest = 0;
  for (const double value : function.function(points))
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : HUGE_VAL;
  return largest;
}

/// Returns 1 or -1 with equal probability. Each sign takes one bit of a draw.
class RandomSigns {
 public:
  double next() {
    if (left_ == 0) bits_ = random_();
    left_ = (left_ == 0 ? kBits : left_) - 1;
    const double sign = bits_ % 2 == 0 ? 1 : -1;
    bits_ >>= 1;
    return sign;
  }

 private:
  static constexpr int kBits = 64;
  std::mt19937_64 random_{1};
  std::uint64_t bits_ = 0;
  int left_ = 0;
};

double error_of_series(Function function, const Value& value) {
  fit_function(function, kModerateDegree, value.node);
  return std::min(error_share(function), kMostShare) * largest_on(function, function.lowest, function.highest);
}

/// Returns the deviation of every element, over the samples side by side.
std::vector<double> deviations(std::span<const double> numbers, std::span<const double> exact) {
  std::vector<double> result(exact.size() / kLanes);
  for (std::size_t e = 0; e < result.size(); ++e) {
    double squares = 0;
    for (std::size_t i = e * kLanes; i < (e + 1) * kLanes; ++i)
      squares += (numbers[i] - exact[i]) * (numbers[i] - exact[i]);
    result[e] = std::sqrt(squares / kLanes);
  }
  return result;
}

std::vector<Range> reached(const std::vector<Range>& ranges, const std::vector<double>& deviations) {
  std::vector<Range> result;
  for (std::size_t e = 0; e < ranges.size(); ++e)
    result.push_back({ranges[e].lowest - kDeviations * deviations[e], ranges[e].highest + kDeviations * deviations[e]});
  return result;
}

Shown shown(const Value& input) {
  Shown result{input.range, input.range};
  for (std::size_t e = 0; e < input.element_ranges.size(); ++e) result.with_errors.include(reach_of(input, e));
  return result;
}

}  // namespace

Range widened(const Range& range) {
  double margin = kCalibrationMargin * range.width();
  if (margin <= 1e-9 * range.bound()) margin = std::max(1e-3, 0.1 * range.bound());
  return {range.lowest - margin, range.highest + margin};
}

Range interval_of(const Function& function, const Shown& shown, std::size_t samples, std::size_t functions) {
  const Range &measured = shown.range, &wished = shown.with_errors;
  const Range least = widened(measured);
  const double width = measured.width();
  const bool constant = !(width > 1e-9 * measured.bound());
  const bool degree_one = has_degree_one(function.function, measured.bound());
  const auto with_stretch = [&](Range range) {
    if (!degree_one) return range;
    if (functions > kFewFunctions && !constant)
      range.include({(1 + kStretchMargin) * measured.lowest, (1 + kStretchMargin) * measured.highest});
    range.include(wished);
    return range;
  };
  if (degree_one && (constant || samples >= kManySamples)) return with_stretch(least);
  const double largest = largest_on(function, measured.lowest, measured.highest);
  const auto reach = [&](double from, double direction, double errors) {
    std::vector<double> distances{errors};
    for (const double share : kMargins) distances.push_back(share * width);
    std::ranges::sort(distances, std::greater<>());
    // Next to a pole at 0, the width of a range says nothing: numbers are divided instead.
    if (from * direction < 0 && !constant)
      for (const double divisor : kDivisors) distances.push_back((1 - 1 / divisor) * std::abs(from));
    for (const double distance : distances) {
      if (distance <= 0) continue;  // there are no errors
      const double to = from + direction * distance;
      if (largest_on(function, std::min(from, to), std::max(from, to)) <= (1 + 1e-12) * kMostGrowth * largest)
        return to;
    }
    return from;
  };
  Range reached{reach(measured.lowest, -1, measured.lowest - wished.lowest),
                reach(measured.highest, 1, wished.highest - measured.highest)};
  if (!constant) return with_stretch(reached);
  reached.include(least);
  return reached;
}

const Range& reach_of(const Value& input, std::size_t element) {
  return input.reached.empty() ? input.element_ranges[element] : input.reached[element];
}

void choose_intervals(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress) {
  const std::size_t functions = functions_of(network).size();
  if (functions == 0) return;
  const auto some = std::span(samples).first(std::min(samples.size(), kLanes));
  const auto exactly = [&](ValueId id, std::span<double> numbers) {
    apply_in_place(std::get<Function>(network.values[id].operation).function, numbers);
  };
  const std::vector<char> affine_only = only_affine_readers(network);
  RandomSigns signs;
  progress.begin("choose intervals", functions);
  evaluate_in_step(network, some, exactly, [&](ValueId id, std::span<double> numbers, std::span<const double> exact) {
    auto& function = std::get<Function>(network.values[id].operation);
    Value& read = network.values[function.input];
    read.reached = reached(read.element_ranges, deviations(numbers, exact));
    const Range interval = interval_of(function, shown(read), samples.size(), functions);
    function.lowest = interval.lowest;
    function.highest = interval.highest;
    for (double& x : numbers) x = std::clamp(x, interval.lowest, interval.highest);
    apply_in_place(function.function, numbers);
    const double error = error_of_series(function, network.values[id]);
    // Elements of vectors are stretched to their own errors. Channels keep the room that errors of the widest one ask
    // for, because inputs not seen leave the range of a narrow channel more often.
    const bool by_element = affine_only[id] != 0 && network.values[id].shape.size() <= 2;
    const std::vector<double> stretch = by_element ? stretch_of(network, id) : std::vector<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] += signs.next() * (stretch.empty() ? error : error / stretch[i / kLanes]);
    progress.advance();
  });
  progress.end();
}

}  // namespace tacit::graph::passes
