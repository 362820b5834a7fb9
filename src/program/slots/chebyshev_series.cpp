#include "program/slots/chebyshev_series.h"

#include <algorithm>
#include <array>

#include "base/vectorised.h"

namespace tacit::slots {

TACIT_VECTORISED void chebyshev_series_in_place(std::span<const double> coefficients, std::span<double> points) {
  // A few registers' worth of points side by side, so that the recurrences do not wait for each other.
  constexpr std::size_t width = 32;
  std::array<double, width> x{}, b1{}, b2{};
  for (std::size_t first = 0; first < points.size(); first += width) {
    const std::size_t count = std::min(width, points.size() - first);
    std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(first), count, x.begin());
    b1.fill(0);
    b2.fill(0);
    for (std::size_t k = coefficients.size(); k-- > 1;)
      for (std::size_t i = 0; i < width; ++i) {
        const double b = coefficients[k] + 2 * x[i] * b1[i] - b2[i];
        b2[i] = b1[i];
        b1[i] = b;
      }
    const double constant = coefficients.empty() ? 0 : coefficients[0];
    for (std::size_t i = 0; i < count; ++i) points[first + i] = constant + x[i] * b1[i] - b2[i];
  }
}

}  // namespace tacit::slots
