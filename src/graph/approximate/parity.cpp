#include "graph/approximate/parity.h"

#include <algorithm>
#include <cmath>

namespace tacit::graph::approximate {

Parity parity(const Samples& function, double reach) {
  constexpr std::size_t kPoints = 257;
  constexpr double kTolerance = 1e-9;
  std::vector<double> right(kPoints), left(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    right[i] = reach * static_cast<double>(i) / (kPoints - 1);
    left[i] = -right[i];
  }
  const std::vector<double> at_right = function(right), at_left = function(left);
  double largest = 0, odd_off_line = 0, even_off_constant = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    if (!std::isfinite(at_right[i]) || !std::isfinite(at_left[i])) return Parity::none;
    largest = std::max({largest, std::abs(at_right[i]), std::abs(at_left[i])});
  }
  const double slope = (at_right.back() - at_left.back()) / (2 * reach);
  for (std::size_t i = 0; i < kPoints; ++i) {
    odd_off_line = std::max(odd_off_line, std::abs((at_right[i] - at_left[i]) / 2 - slope * right[i]));
    even_off_constant = std::max(even_off_constant, std::abs((at_right[i] + at_left[i]) / 2 - at_right[0]));
  }
  if (odd_off_line <= kTolerance * largest) return Parity::even;
  if (even_off_constant <= kTolerance * largest) return Parity::odd;
  return Parity::none;
}

void impose(Parity parity, std::vector<double>& coefficients) {
  if (parity == Parity::none) return;
  const std::size_t vanishing = parity == Parity::even ? 1 : 0;
  for (std::size_t k = 2 + vanishing; k < coefficients.size(); k += 2) coefficients[k] = 0;
  while (coefficients.size() > 2 && coefficients.back() == 0) coefficients.pop_back();
}

Histogram mirrored(const Histogram& histogram, double lowest, double highest, double reach) {
  Histogram result(histogram.size(), 0.0);
  const auto bins = static_cast<double>(histogram.size());
  const auto count = [&](double x, double inputs) {
    const double bin = std::clamp((x / reach + 1) / 2 * bins, 0.0, bins - 1);
    result[static_cast<std::size_t>(bin)] += inputs;
  };
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const double centre = lowest + (highest - lowest) * (static_cast<double>(i) + 0.5) / bins;
    count(centre, histogram[i] / 2);
    count(-centre, histogram[i] / 2);
  }
  for (std::size_t i = 0; i < result.size() / 2; ++i) {
    const double both = (result[i] + result[result.size() - 1 - i]) / 2;  // a centre may lie on the border of two bins
    result[i] = result[result.size() - 1 - i] = both;
  }
  return result;
}

}  // namespace tacit::graph::approximate
