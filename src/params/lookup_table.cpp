#include "params/lookup_table.h"

#include <cmath>
#include <numbers>

namespace tacit::params {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

/// Twice the sum of weight(j) f_m cos(j theta_m) over the entries, for j > 0. The angles are those of sin(pi x / 2) =
/// cos(theta).
std::vector<std::complex<double>> half_series(std::span<const double> table) {
  const auto entries = static_cast<int>(table.size()), degree = 2 * entries - 1;
  std::vector<std::complex<double>> series(static_cast<std::size_t>(degree) + 1);
  for (int j = 0; j <= degree; ++j) {
    double sum = 0;
    for (int m = 0; m < entries; ++m)
      sum += table[static_cast<std::size_t>(m)] * std::cos(j * kHalfTurn / 2 * (1 - entry_argument(m, entries)));
    const double weight = j == 0 ? 1 : 2 * (1 - j / (2.0 * entries));
    series[static_cast<std::size_t>(j)] = weight * sum / entries;
  }
  return series;
}

std::vector<std::complex<double>> whole_series(std::span<const double> table) {
  const auto entries = static_cast<int>(table.size());
  std::vector<std::complex<double>> series(table.size());
  for (int k = 0; k < entries; ++k) {
    std::complex<double> sum = 0;
    for (int m = 0; m < entries; ++m)
      sum += table[static_cast<std::size_t>(m)] * std::polar(1.0, -k * kHalfTurn * entry_argument(m, entries));
    const double weight = k == 0 ? 1 : 2 * (1 - k / static_cast<double>(entries));
    series[static_cast<std::size_t>(k)] = weight / entries * sum;
  }
  return series;
}

}  // namespace

double entry_argument(int entry, int entries) { return (2 * entry + 1) / static_cast<double>(entries) - 1; }

std::vector<std::complex<double>> table_series(BootstrapForm form, std::span<const double> table) {
  return form == BootstrapForm::half ? half_series(table) : whole_series(table);
}

double look_up(BootstrapForm form, std::span<const std::complex<double>> series, double x) {
  // T_j(sin(pi x / 2)) = cos(j theta) with theta = pi (1 - x) / 2. Horner's rule in exp(i angle) serves both forms.
  const std::complex<double> v =
      form == BootstrapForm::half ? std::polar(1.0, kHalfTurn / 2 * (1 - x)) : std::polar(1.0, kHalfTurn * x);
  std::complex<double> sum = 0;
  for (std::size_t k = series.size(); k-- > 0;) sum = sum * v + series[k];
  return sum.real();
}

}  // namespace tacit::params
