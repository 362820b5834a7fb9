#include "graph/approximate/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"

namespace tacit::graph::approximate {
namespace {

/// Solves the normal equations. None if they are too badly conditioned.
std::optional<std::vector<double>> by_normal_equations(std::span<const double> points, std::span<const double> values,
                                                       std::span<const double> weights, std::size_t columns) {
  const std::size_t rows = points.size();
  // T_j T_k = (T_{j+k} + T_{|j-k|}) / 2, so that the normal equations follow from 2 * columns sums.
  std::vector<double> moments(2 * columns - 1, 0.0), right(columns, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights[i] * weights[i];
    double before = 1, here = points[i];
    for (std::size_t k = 0; k < moments.size(); ++k) {
      moments[k] += weight * before;
      if (k < columns) right[k] += weight * values[i] * before;
      const double after = 2 * points[i] * here - before;
      before = here;
      here = after;
    }
  }
  // Cholesky: the lower triangle, row by row, over the matrix itself.
  std::vector<std::vector<double>> lower(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    lower[j].resize(j + 1);
    for (std::size_t k = 0; k <= j; ++k) {
      double rest = (moments[j + k] + moments[j - k]) / 2;
      for (std::size_t c = 0; c < k; ++c) rest -= lower[j][c] * lower[k][c];
      if (k < j) {
        lower[j][k] = rest / lower[k][k];
      } else if (rest > 1e-12 * moments[0]) {
        lower[j][j] = std::sqrt(rest);
      } else {
        return std::nullopt;
      }
    }
  }
  std::vector<double> coefficients = std::move(right);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t c = 0; c < j; ++c) coefficients[j] -= lower[j][c] * coefficients[c];
    coefficients[j] /= lower[j][j];
  }
  for (std::size_t j = columns; j-- > 0;) {
    for (std::size_t c = j + 1; c < columns; ++c) coefficients[j] -= lower[c][j] * coefficients[c];
    coefficients[j] /= lower[j][j];
  }
  return coefficients;
}

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The same by polynomials that are orthogonal under the weights, which any weights allow. Each is made from the one
/// before and orthogonalised twice. The same steps evaluate them at Chebyshev nodes.
/// (Brubeck, Nakatsukasa, Trefethen 2021)
std::vector<double> by_orthogonal_polynomials(std::span<const double> points, std::span<const double> values,
                                              std::span<const double> weights, std::size_t columns) {
  const std::size_t rows = points.size();
  const std::vector<double> nodes = chebyshev_nodes(static_cast<int>(columns));
  std::vector<std::vector<double>> at_points, at_nodes;  // the former times the weights
  std::vector<double> target(rows), at(weights.begin(), weights.end()), there(columns, 1.0), result(columns, 0.0);
  for (std::size_t i = 0; i < rows; ++i) target[i] = weights[i] * values[i];
  for (std::size_t k = 0; k < columns; ++k) {
    if (k > 0) {
      for (std::size_t i = 0; i < rows; ++i) at[i] = points[i] * at_points.back()[i];
      for (std::size_t i = 0; i < columns; ++i) there[i] = nodes[i] * at_nodes.back()[i];
    }
    const double before = std::sqrt(product(at, at));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < k; ++j) {
        const double share = product(at_points[j], at);
        for (std::size_t i = 0; i < rows; ++i) at[i] -= share * at_points[j][i];
        for (std::size_t i = 0; i < columns; ++i) there[i] -= share * at_nodes[j][i];
      }
    const double norm = std::sqrt(product(at, at));
    if (!(norm > 1e-13 * before))
      throw base::InternalError("least squares: the points do not determine the polynomial");
    for (double& x : at) x /= norm;
    for (double& x : there) x /= norm;
    const double share = product(at, target);
    for (std::size_t i = 0; i < columns; ++i) result[i] += share * there[i];
    at_points.push_back(at);
    at_nodes.push_back(there);
  }
  return interpolate([&](std::span<const double>) { return result; }, static_cast<int>(columns) - 1);
}

}  // namespace

std::vector<double> chebyshev_nodes(int count) {
  std::vector<double> nodes(static_cast<std::size_t>(count));
  for (int j = 0; j < count; ++j) nodes[static_cast<std::size_t>(j)] = std::cos(std::numbers::pi * (j + 0.5) / count);
  return nodes;
}

std::vector<double> interpolate(const Samples& function, int degree) {
  const int count = degree + 1;
  const std::vector<double> values = function(chebyshev_nodes(count));
  std::vector<double> cosines(static_cast<std::size_t>(4 * count));
  for (int i = 0; i < 4 * count; ++i)
    cosines[static_cast<std::size_t>(i)] = std::cos(std::numbers::pi * i / (2.0 * count));
  std::vector<double> coefficients(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    double sum = 0;
    for (int j = 0; j < count; ++j) {
      const long long angle = static_cast<long long>(k) * (2 * j + 1) % (4LL * count);
      sum += values[static_cast<std::size_t>(j)] * cosines[static_cast<std::size_t>(angle)];
    }
    coefficients[static_cast<std::size_t>(k)] = sum * (k == 0 ? 1.0 : 2.0) / count;
  }
  return coefficients;
}

double evaluate(std::span<const double> coefficients, double x) {
  double next = 0, after = 0;
  for (std::size_t k = coefficients.size(); k-- > 1;) {
    const double here = coefficients[k] + 2 * x * next - after;
    after = next;
    next = here;
  }
  return (coefficients.empty() ? 0.0 : coefficients[0]) + x * next - after;
}

std::vector<double> least_squares(std::span<const double> points, std::span<const double> values,
                                  std::span<const double> weights, int degree) {
  const std::size_t rows = points.size(), columns = static_cast<std::size_t>(degree) + 1;
  if (rows < columns || values.size() != rows || weights.size() != rows)
    throw base::InternalError("least squares: fewer points than coefficients, or lists of different lengths");
  // Only ratios of weights count. Sums of squares of larger weights would be infinite.
  constexpr double kLargestWeight = 1e150;
  const double most = *std::ranges::max_element(weights);
  std::vector<double> scaled(weights.begin(), weights.end());
  if (most > kLargestWeight)
    for (double& weight : scaled) weight *= kLargestWeight / most;
  if (auto series = by_normal_equations(points, values, scaled, columns)) return *std::move(series);
  return by_orthogonal_polynomials(points, values, scaled, columns);
}

}  // namespace tacit::graph::approximate
