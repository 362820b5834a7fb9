#include "graph/quant/weight_scan.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "graph/passes/operator_rows.h"

namespace tacit::graph::quant {

std::vector<double> largest_of_rows(const layout::LinearOperator& op,
                                    const std::function<double(layout::Index column)>& of_column) {
  constexpr std::size_t kRows = 256;
  std::vector<double> largest(static_cast<std::size_t>(layout::element_count(op.out_shape())), 0.0);
  base::parallel_for(0, (largest.size() + kRows - 1) / kRows, [&](std::size_t task) {
    layout::RowEntries entries;
    for (std::size_t row = task * kRows; row < std::min(largest.size(), (task + 1) * kRows); ++row) {
      entries.clear();
      op.append_row(static_cast<layout::Index>(row), entries);
      entries.merge();
      for (std::size_t k = 0; k < entries.size(); ++k)
        largest[row] = std::max(largest[row], std::abs(entries.weights[k]) * of_column(entries.columns[k]));
    }
  });
  return largest;
}

std::optional<double> common_divisor(const std::vector<layout::LinearOperatorPtr>& operators) {
  constexpr double kMostMultiple = 8, kNear = 1e-6;
  double least = 0, most = 0;
  const auto every_weight = [&](const auto& holds) {
    return std::ranges::all_of(operators, [&](const layout::LinearOperatorPtr& op) {
      return passes::every_row(*op, [&](layout::Index, layout::RowEntries& entries) {
        entries.merge();
        return std::ranges::all_of(entries.weights, [&](double weight) { return holds(std::abs(weight)); });
      });
    });
  };
  const bool narrow = every_weight([&](double weight) {
    least = least == 0 ? weight : std::min(least, weight);
    most = std::max(most, weight);
    return most <= least * (kMostMultiple + kNear);
  });
  if (!narrow || least == 0) return std::nullopt;
  const bool whole = every_weight([&](double weight) {
    const double multiple = weight / least;
    return std::abs(multiple - std::round(multiple)) <= kNear;
  });
  return whole ? std::optional(least) : std::nullopt;
}

}  // namespace tacit::graph::quant
