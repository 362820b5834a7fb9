#include "graph/approximate/chebyshev.h"

#include <cmath>
#include <numbers>

#include "base/error.h"

namespace tacit::graph::approximate {

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
  // Column-major matrix of weighted basis values; the right-hand side is one more column.
  std::vector<std::vector<double>> matrix(columns + 1, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    double before = 1, here = points[i];
    for (std::size_t k = 0; k < columns; ++k) {
      matrix[k][i] = weights[i] * before;
      const double after = 2 * points[i] * here - before;
      before = here;
      here = after;
    }
    matrix[columns][i] = weights[i] * values[i];
  }
  for (std::size_t k = 0; k < columns; ++k) {
    std::vector<double>& pivot = matrix[k];
    double norm = 0;
    for (std::size_t i = k; i < rows; ++i) norm += pivot[i] * pivot[i];
    norm = std::sqrt(norm);
    if (norm == 0) throw base::InternalError("least squares: the points do not determine the polynomial");
    const double diagonal = pivot[k] > 0 ? -norm : norm;
    pivot[k] -= diagonal;  // the Householder vector replaces the column below the diagonal
    double squared = 0;
    for (std::size_t i = k; i < rows; ++i) squared += pivot[i] * pivot[i];
    for (std::size_t c = k + 1; c <= columns; ++c) {
      double dot = 0;
      for (std::size_t i = k; i < rows; ++i) dot += pivot[i] * matrix[c][i];
      const double twice = 2 * dot / squared;
      for (std::size_t i = k; i < rows; ++i) matrix[c][i] -= twice * pivot[i];
    }
    pivot[k] = diagonal;
  }
  std::vector<double> coefficients(columns);
  for (std::size_t k = columns; k-- > 0;) {
    double rest = matrix[columns][k];
    for (std::size_t c = k + 1; c < columns; ++c) rest -= matrix[c][k] * coefficients[c];
    coefficients[k] = rest / matrix[k][k];
  }
  return coefficients;
}

}  // namespace tacit::graph::approximate
