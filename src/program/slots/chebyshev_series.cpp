#include "program/slots/chebyshev_series.h"

#include <algorithm>
#include <array>
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
TACIT_VECTORISED_WIDE void add_series(std::span<const double> coefficients, double linear, bool is_halved,
                                      std::span<double> points) {
  // A few registers' worth of points side by side, so that the recurrences do not wait for each other.
  constexpr std::size_t width = 32;
  std::array<double, width> given{}, x{}, b1{}, b2{};
  for (std::size_t first = 0; first < points.size(); first += width) {
    const std::size_t count = std::min(width, points.size() - first);
    std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(first), count, given.begin());
    for (std::size_t i = 0; i < width; ++i) x[i] = is_halved ? 2 * given[i] * given[i] - 1 : given[i];
    b1.fill(0);
    b2.fill(0);
    for (std::size_t k = coefficients.size(); k-- > 1;)
      for (std::size_t i = 0; i < width; ++i) {
        const double b = coefficients[k] + 2 * x[i] * b1[i] - b2[i];
        b2[i] = b1[i];
        b1[i] = b;
      }
    const double constant = coefficients.empty() ? 0 : coefficients[0];
    for (std::size_t i = 0; i < count; ++i) points[first + i] = linear * given[i] + (constant + x[i] * b1[i] - b2[i]);
  }
}

}  // namespace

void chebyshev_series_in_place(std::span<const double> coefficients, std::span<double> points) {
  if (is_even_but_linear(coefficients))
    add_series(halved(coefficients), coefficients[1], true, points);
  else
    add_series(coefficients, 0, false, points);
}

}  // namespace tacit::slots
