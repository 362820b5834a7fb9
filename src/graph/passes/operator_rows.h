#pragma once

#include <cstddef>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// Returns the operator, or a list of its rows if these have less than half of the entries that it streams. A chain of
/// matrices is then held as their product. Otherwise an operator keeps its structure.
layout::LinearOperatorPtr without_repeated_work(layout::LinearOperatorPtr op);

/// True if every row has one entry, of weight one, in the column of the same number: the identity, or a reshape.
bool is_identity(const layout::LinearOperator& op);

/// Returns the largest number of entries among a few rows.
std::size_t entries_of_rows(const layout::LinearOperator& op);

/// True if holds(row, its entries) is true for every row. Stops at the first row for which it is false.
template <class Holds>
bool every_row(const layout::LinearOperator& op, const Holds& holds) {
  const layout::Index rows = layout::element_count(op.out_shape());
  layout::RowEntries entries;
  for (layout::Index row = 0; row < rows; ++row) {
    entries.clear();
    op.append_row(row, entries);
    if (!holds(row, entries)) return false;
  }
  return true;
}

/// Calls visit(row, its entries) for every row.
template <class Visit>
void each_row(const layout::LinearOperator& op, const Visit& visit) {
  every_row(op, [&](layout::Index row, layout::RowEntries& entries) {
    visit(row, entries);
    return true;
  });
}

/// Returns the operator's result for one vector.
std::vector<double> apply(const layout::LinearOperator& op, const std::vector<double>& values);

}  // namespace tacit::graph::passes
