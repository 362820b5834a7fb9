#include "graph/passes/operator_rows.h"

#include <algorithm>
#include <memory>

#include "layout/sparse_rows.h"

namespace tacit::graph::passes {

using layout::Index;
using layout::LinearOperator;
using layout::LinearOperatorPtr;

LinearOperatorPtr without_repeated_work(LinearOperatorPtr op) {
  constexpr Index kRows = 64;
  constexpr std::size_t kMostEntries = std::size_t{1} << 23;
  // The step is odd, so that the tested rows are not all in the same corner of their map.
  const Index rows = layout::element_count(op->out_shape()), step = std::max<Index>(1, rows / kRows) | 1;
  std::size_t streamed = 0, different = 0, looked_at = 0;
  layout::RowEntries entries;
  for (Index row = 0; row < rows; row += step, ++looked_at) {
    entries.clear();
    op->append_row(row, entries);
    // Weights of zero are not counted, so that a pruned window stays a window.
    streamed += static_cast<std::size_t>(std::ranges::count_if(entries.weights, [](double w) { return w != 0; }));
    entries.merge();
    different += entries.size();
  }
  const bool small = different / std::max<std::size_t>(looked_at, 1) * static_cast<std::size_t>(rows) <= kMostEntries;
  if (2 * different >= streamed || !small) return op;
  return std::make_shared<layout::SparseRows>(layout::SparseRows::of(*op));
}

bool is_identity(const LinearOperator& op) {
  if (layout::element_count(op.in_shape()) != layout::element_count(op.out_shape())) return false;
  if (const auto factors = op.diagonal()) return factors->all_equal(1);
  return every_row(op, [](Index row, const layout::RowEntries& entries) {
    double weight = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (entries.columns[k] != row) return false;
      weight += entries.weights[k];
    }
    return weight == 1;
  });
}

std::size_t entries_of_rows(const LinearOperator& op) {
  const Index rows = layout::element_count(op.out_shape());
  std::size_t most = 0;
  layout::RowEntries entries;
  for (const Index row : {Index{0}, rows / 2, rows - 1}) {
    if (row < 0 || row >= rows) continue;
    entries.clear();
    op.append_row(row, entries);
    most = std::max(most, entries.size());
  }
  return most;
}

std::vector<double> apply(const LinearOperator& op, const std::vector<double>& values) {
  std::vector<double> result(static_cast<std::size_t>(layout::element_count(op.out_shape())), 0.0);
  op.apply(values, result, 1);
  return result;
}

}  // namespace tacit::graph::passes
