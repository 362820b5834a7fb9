#include "program/slots/chebyshev_series.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/vectorised.h"

namespace tacit::slots {

namespace {

/// Of a series that is even but for its linear term, T_2k(x) = T_k(2x^2 - 1): half as many steps.
std::vector<double> halved(std::span<const double> coefficients) {
  std::vector<double> even;
  for (std::size_t k = 0; k < coefficients.size(); k += 2) even.push_back(coefficients[k]);
  return even;
}

bool is_even_but_linear(std::span<const double> coefficients) {
  for (std::size_t k = 3; k < coefficients.size(); k += 2)
    if (coefficients[k] != 0) return false;
  return coefficients.size() > 2;
}

/// linear * x + the series at x, or at 2x^2 - 1 where it is halved.
template <std::size_t vector_bytes>
[[gnu::always_inline]] inline void add_points(std::span<const double> coefficients, double linear, bool is_halved,
                                              std::span<double> points) {
  // A few registers' worth of points side by side, so that the recurrences do not wait for each other.
  // No `using`, and no `sizeof`: GCC 12 takes both for those of one number where the size depends on a parameter.
  typedef double Lanes __attribute__((vector_size(vector_bytes)));
  constexpr std::size_t kSide = 4, kWidth = kSide * vector_bytes / sizeof(double);
  std::array<double, kWidth> given{};
  const double constant = coefficients.empty() ? 0 : coefficients[0];
  for (std::size_t first = 0; first < points.size(); first += kWidth) {
    const std::size_t count = std::min(kWidth, points.size() - first);
    std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(first), count, given.begin());
    Lanes x[kSide], twice[kSide], b1[kSide] = {}, b2[kSide] = {};
    std::memcpy(x, given.data(), sizeof x);
    for (std::size_t i = 0; i < kSide; ++i) {
      if (is_halved) x[i] = 2 * x[i] * x[i] - 1;
      twice[i] = 2 * x[i];
    }
    for (std::size_t k = coefficients.size(); k-- > 1;)
      for (std::size_t i = 0; i < kSide; ++i) {
        const Lanes rest = coefficients[k] - b2[i];
        b2[i] = b1[i];
        b1[i] = twice[i] * b1[i] + rest;
      }
    std::array<double, kWidth> sums;
    for (std::size_t i = 0; i < kSide; ++i) {
      const Lanes rest = constant - b2[i];
      b1[i] = x[i] * b1[i] + rest;
    }
    std::memcpy(sums.data(), b1, sizeof b1);
    for (std::size_t i = 0; i < count; ++i) points[first + i] = linear * given[i] + sums[i];
  }
}

TACIT_FUSED_VERSIONS(add_series,
                     (std::span<const double> coefficients, double linear, bool is_halved, std::span<double> points),
                     add_points<kVectorBytes>(coefficients, linear, is_halved, points))

}  // namespace

void chebyshev_series_in_place(std::span<const double> coefficients, std::span<double> points) {
  static const auto add = TACIT_FUSED_VERSION(add_series);
  if (is_even_but_linear(coefficients))
    add(halved(coefficients), coefficients[1], true, points);
  else
    add(coefficients, 0, false, points);
}

}  // namespace tacit::slots
