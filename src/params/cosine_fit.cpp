#include "params/cosine_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/error.h"

namespace tacit::params {
namespace {

using Real = long double;
constexpr int kPointsOfInterval = 9;
constexpr int kRounds = 60;
constexpr Real kToleranceOfNext = 4;

/// Columns T_0, T_2, … of one row.
std::vector<Real> even_chebyshev(Real x, std::size_t terms) {
  std::vector<Real> row(terms);
  const Real y = 2 * x * x - 1;  // T_(2k)(x) = T_k(y)
  for (std::size_t k = 0; k < terms; ++k) row[k] = k == 0 ? 1 : k == 1 ? y : 2 * y * row[k - 1] - row[k - 2];
  return row;
}

/// min |A c - b|, by Householder reflections.
std::vector<Real> least_squares(std::vector<std::vector<Real>> a, std::vector<Real> b) {
  const std::size_t rows = a.size(), columns = a[0].size();
  std::vector<Real> v(rows);
  for (std::size_t k = 0; k < columns; ++k) {
    Real norm = 0;
    for (std::size_t i = k; i < rows; ++i) norm += a[i][k] * a[i][k];
    norm = std::copysign(std::sqrt(norm), -a[k][k]);
    Real length = 0;
    for (std::size_t i = k; i < rows; ++i) {
      v[i] = a[i][k] - (i == k ? norm : 0);
      length += v[i] * v[i];
    }
    const auto reflect = [&](auto&& entry) {
      Real dot = 0;
      for (std::size_t i = k; i < rows; ++i) dot += v[i] * entry(i);
      for (std::size_t i = k; i < rows; ++i) entry(i) -= 2 * dot / length * v[i];
    };
    for (std::size_t j = k; j < columns; ++j) reflect([&](std::size_t i) -> Real& { return a[i][j]; });
    reflect([&](std::size_t i) -> Real& { return b[i]; });
  }
  std::vector<Real> c(columns);
  for (std::size_t k = columns; k-- > 0;) {
    c[k] = b[k];
    for (std::size_t j = k + 1; j < columns; ++j) c[k] -= a[k][j] * c[j];
    c[k] /= a[k][k];
  }
  return c;
}

}  // namespace

std::vector<double> fit_cosine(int degree, int double_angles, int overflow, int likely, double range, double width) {
  TACIT_ASSERT(degree % 2 == 0 && range >= overflow + 0.25 + width && likely >= 0 && likely <= overflow);
  const std::size_t terms = static_cast<std::size_t>(degree) / 2 + 1;
  const Real pi = std::numbers::pi_v<Real>, angle = 2 * pi / static_cast<Real>(1 << double_angles);
  std::vector<std::vector<Real>> rows;
  std::vector<Real> values, amplification;  // the second: of an error, in units of its tolerance
  for (int i = -overflow; i <= overflow; ++i) {
    const Real tolerance = std::pow(kToleranceOfNext, static_cast<Real>(std::max(0, std::abs(i) - likely)));
    for (int k = 0; k < kPointsOfInterval; ++k) {
      const Real node = std::cos(pi * static_cast<Real>(2 * k + 1) / (2 * kPointsOfInterval));
      const Real u = i - 0.25L + static_cast<Real>(width) * node;
      rows.push_back(even_chebyshev(u / static_cast<Real>(range), terms));
      values.push_back(std::cos(angle * u));
      // d T_(2^k)(y) / dy at y = cos(theta) is 2^k sin(2^k theta) / sin(theta), and sin(2^k theta) is close to 1 here.
      amplification.push_back(1 / std::abs(std::sin(angle * u)) / tolerance);
    }
  }
  std::vector<Real> weights(rows.size(), 1), best;
  Real smallest = INFINITY;
  for (int round = 0; round < kRounds; ++round) {
    auto scaled = rows;
    auto right = values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Real factor = std::sqrt(weights[i]) * amplification[i];
      for (Real& entry : scaled[i]) entry *= factor;
      right[i] *= factor;
    }
    const std::vector<Real> c = least_squares(std::move(scaled), std::move(right));
    Real largest = 0, total = 0;
    std::vector<Real> errors(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Real sum = -values[i];
      for (std::size_t k = 0; k < terms; ++k) sum += c[k] * rows[i][k];
      errors[i] = std::abs(sum) * amplification[i];
      largest = std::max(largest, errors[i]);
      total += weights[i] * errors[i];
    }
    if (largest < smallest) {
      smallest = largest;
      best = c;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      weights[i] = weights[i] * errors[i] / total * static_cast<Real>(rows.size());
  }
  std::vector<double> coefficients(static_cast<std::size_t>(degree) + 1);
  for (std::size_t k = 0; k < terms; ++k) coefficients[2 * k] = static_cast<double>(best[k]);
  return coefficients;
}

std::vector<double> turn_series(int degree, int double_angles, double range, bool sines) {
  // The discrete cosine transform at the zeros of T_points: what it folds into a coefficient lies `points` degrees up.
  constexpr int kPoints = 128;
  TACIT_ASSERT(degree < kPoints / 2);
  const Real pi = std::numbers::pi_v<Real>,
             angle = 2 * pi * static_cast<Real>(range) / static_cast<Real>(1 << double_angles);
  std::vector<double> coefficients(static_cast<std::size_t>(degree) + 1);
  for (int k = 0; k <= degree; k += sines ? 1 : 2) {
    Real sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      const Real theta = pi * (static_cast<Real>(i) + 0.5L) / kPoints, u = angle * std::cos(theta);
      sum += (k % 2 == 0 ? std::cos(u) : std::sin(u)) * std::cos(static_cast<Real>(k) * theta);
    }
    coefficients[static_cast<std::size_t>(k)] = static_cast<double>((k == 0 ? 1 : 2) * sum / kPoints);
  }
  return coefficients;
}

}  // namespace tacit::params
