#include "graph/quant/weight_scan.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

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
  layout::RowEntries entries;
  const auto each_row = [&](const auto& visit) {
    for (const layout::LinearOperatorPtr& op : operators)
      for (layout::Index row = 0; row < layout::element_count(op->out_shape()); ++row) {
        entries.clear();
        op->append_row(row, entries);
        entries.merge();
        for (const double weight : entries.weights)
          if (!visit(std::abs(weight))) return false;
      }
    return true;
  };
  const bool narrow = each_row([&](double weight) {
    least = least == 0 ? weight : std::min(least, weight);
    most = std::max(most, weight);
    return most <= least * (kMostMultiple + kNear);
  });
  if (!narrow || least == 0) return std::nullopt;
  const bool whole = each_row([&](double weight) {
    const double multiple = weight / least;
    return std::abs(multiple - std::round(multiple)) <= kNear;
  });
  return whole ? std::optional(least) : std::nullopt;
}

}  // namespace tacit::graph::quant
