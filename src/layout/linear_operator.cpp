#include "layout/linear_operator.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "layout/lanes.h"
#include "layout/operator_writer.h"
#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {

void RowEntries::merge() {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
  RowEntries merged;
  for (std::size_t k = 0; k < order.size();) {
    const Index column = columns[order[k]];
    double weight = 0;
    for (; k < order.size() && columns[order[k]] == column; ++k) weight += weights[order[k]];
    if (weight != 0) merged.add(column, weight);
  }
  *this = std::move(merged);
}

void LinearOperator::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const std::size_t rows = out.size() / lanes, parts = std::min(rows, static_cast<std::size_t>(base::thread_limit()));
  base::parallel_for(0, parts, [&](std::size_t part) {
    RowEntries entries;
    with_lanes(lanes, [&](auto sum) {
      for (std::size_t r = rows * part / parts; r < rows * (part + 1) / parts; ++r) {
        entries.clear();
        append_row(static_cast<Index>(r), entries);
        sum.clear();
        for (std::size_t k = 0; k < entries.size(); ++k)
          sum.add(entries.weights[k], in.data() + static_cast<std::size_t>(entries.columns[k]) * lanes);
        sum.add_to(out.data() + r * lanes);
      }
    });
  });
}

LinearOperator::SignedSums LinearOperator::signed_sums() const {
  const auto rows = static_cast<std::size_t>(element_count(out_shape()));
  SignedSums sums{std::vector<double>(rows), std::vector<double>(rows)};
  RowEntries entries;
  for (std::size_t row = 0; row < rows; ++row) {
    entries.clear();
    append_row(static_cast<Index>(row), entries);
    for (const double weight : entries.weights) (weight > 0 ? sums.positive : sums.negative)[row] += weight;
  }
  return sums;
}

std::optional<WindowPattern> LinearOperator::window_pattern() const { return std::nullopt; }

std::optional<OneWindow> LinearOperator::one_window() const { return std::nullopt; }

void LinearOperator::describe(OperatorWriter& out) const { SparseRows::of(*this).describe(out); }

}  // namespace tacit::layout
