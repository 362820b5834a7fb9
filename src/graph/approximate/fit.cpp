#include "graph/approximate/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace tacit::graph::approximate {
namespace {

constexpr int kExpansionDegree = 511;  // long enough to tell a kink from a steep smooth function
constexpr int kFitPoints = 2048;
constexpr int kGridPoints = 4096;

Samples on_unit_interval(const Samples& function, double lowest, double highest) {
  return [&function, lowest, highest](std::span<const double> points) {
    std::vector<double> mapped(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) mapped[i] = lowest + (highest - lowest) * (points[i] + 1) / 2;
    return function(mapped);
  };
}

// Relative weight of a point: 1 for the Chebyshev measure plus the measured density over the Chebyshev density.
std::vector<double> point_weights(std::span<const double> points, const Histogram& histogram) {
  std::vector<double> weights(points.size(), 1.0);
  const double total = std::accumulate(histogram.begin(), histogram.end(), 0.0);
  if (total <= 0) return weights;
  const double bins = static_cast<double>(histogram.size());
  double norm = 0;
  std::vector<double> density(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto bin = static_cast<std::size_t>(std::clamp((points[i] + 1) / 2 * bins, 0.0, bins - 1));
    density[i] = histogram[bin] * std::sqrt(1 - points[i] * points[i]);
    norm += density[i];
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    weights[i] = std::sqrt(0.5 + 0.5 * density[i] * static_cast<double>(points.size()) / norm);
  return weights;
}

void require_interval(double lowest, double highest, std::string_view what) {
  if (!(lowest < highest)) base::refuse("{}: the interval [{}, {}] to approximate on is empty", what, lowest, highest);
}

void require_finite(std::span<const double> numbers, double lowest, double highest, std::string_view what) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    base::refuse(
        "{}: not finite everywhere on [{}, {}], the calibrated range with its margin, so that no "
        "polynomial can stand for it; keep its input inside the function's domain",
        what, lowest, highest);
}

}  // namespace

double max_error(std::span<const double> coefficients, const Samples& function, double lowest, double highest) {
  std::vector<double> grid(kGridPoints);
  for (int i = 0; i < kGridPoints; ++i) grid[static_cast<std::size_t>(i)] = -1 + 2.0 * i / (kGridPoints - 1);
  const std::vector<double> exact = on_unit_interval(function, lowest, highest)(grid);
  double worst = 0;
  for (std::size_t i = 0; i < grid.size(); ++i)
    worst = std::max(worst, std::abs(evaluate(coefficients, grid[i]) - exact[i]));
  return worst;
}

bool has_pole_below(const Samples& function, double lowest, double highest) {
  constexpr double kApart = 4, kGrowth = 1.8;
  if (!(lowest > 0) || !(highest >= kApart * lowest) || !std::isfinite(highest)) return false;
  const std::vector<double> at = function(std::vector<double>{lowest, kApart * lowest, highest / kApart, highest});
  return at[3] > 0 && at[0] >= kGrowth * at[1] && at[2] >= kGrowth * at[3];
}

bool is_exponential(const Samples& function, double lowest, double highest) {
  constexpr double kGrowth = 64, kNear = 1.1;
  const std::vector<double> at = function(std::vector<double>{lowest, (lowest + highest) / 2, highest});
  if (!(at[0] > 0) || !(at[2] >= kGrowth * at[0]) || !std::isfinite(at[2])) return false;
  const double bend = at[1] / std::sqrt(at[0] * at[2]);
  return bend < kNear && bend > 1 / kNear;
}

std::vector<double> fit_relative(const Samples& function, double lowest, double highest, double floor, double tolerance,
                                 int max_degree, std::string_view what) {
  require_interval(lowest, highest, what);
  const std::vector<double> points = chebyshev_nodes(kFitPoints);
  const std::vector<double> values = on_unit_interval(function, lowest, highest)(points);
  require_finite(values, lowest, highest, what);
  std::vector<double> weights;
  for (const double value : values) weights.push_back(1 / std::max(std::abs(value), floor));
  const auto series_of = [&](int degree) { return least_squares(points, values, weights, degree); };
  const auto is_close = [&](std::span<const double> series) {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!(std::abs(evaluate(series, points[i]) - values[i]) * weights[i] <= tolerance)) return false;
    return true;
  };
  int too_low = 0, enough = max_degree;
  std::vector<double> result = series_of(max_degree);
  if (!is_close(result)) return result;
  while (enough - too_low > 1) {
    const int degree = (too_low + enough) / 2;
    std::vector<double> series = series_of(degree);
    if (is_close(series)) {
      result = std::move(series);
      enough = degree;
    } else {
      too_low = degree;
    }
  }
  return result;
}

std::vector<double> fit(const Samples& function, double lowest, double highest, double tolerance, int max_degree,
                        const Histogram& histogram, std::string_view what) {
  require_interval(lowest, highest, what);
  const Samples mapped = on_unit_interval(function, lowest, highest);
  const std::vector<double> expansion = interpolate(mapped, kExpansionDegree);
  require_finite(expansion, lowest, highest, what);
  double tail = 0;
  int first = kExpansionDegree;
  while (first > 1 && tail + std::abs(expansion[static_cast<std::size_t>(first)]) <= tolerance)
    tail += std::abs(expansion[static_cast<std::size_t>(first--)]);
  // The tail's sum bounds the truncation error from above; the grid may allow a few degrees less.
  const int last =
      first < kExpansionDegree / 2 ? std::min(first, max_degree) : 0;  // none for an expansion that goes on
  for (int degree = std::max(1, first / 2); degree <= last; ++degree) {
    const std::span<const double> series(expansion.data(), static_cast<std::size_t>(degree) + 1);
    const double error = max_error(series, function, lowest, highest);
    // At the last degree rounding may leave a little more; a kink, whose expansion goes on behind the last term that
    // was looked at, leaves much more.
    if (error <= tolerance || (degree == first && error <= 1.01 * tolerance)) return {series.begin(), series.end()};
  }
  const std::vector<double> points = chebyshev_nodes(kFitPoints);
  return least_squares(points, mapped(points), point_weights(points, histogram), max_degree);
}

}  // namespace tacit::graph::approximate
