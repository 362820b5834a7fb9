#pragma once

#include <functional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// A linear operator held as compressed sparse rows. It is the form of operators without a shorter description.
class SparseRows final : public LinearOperator {
 public:
  /// `row_begin` has one entry per row and one more. Throws InputError if it does not rise from 0 to the number of
  /// entries, if a column is not in the input, or if a weight is not finite.
  SparseRows(Shape in, Shape out, std::vector<Index> row_begin, std::vector<Index> columns,
             std::vector<double> weights);
  /// Calls append(row, entries) for the rows in order, each time with empty `entries`. Throws InputError likewise.
  SparseRows(Shape in, Shape out, const std::function<void(Index row, RowEntries& entries)>& append);
  /// Returns the entries of any operator; duplicates are added, and zeros dropped.
  static SparseRows of(const LinearOperator& op);
  /// Returns the transposed operator's entries: out[column] = sum weight * in[row].
  static SparseRows transpose_of(const LinearOperator& op);

  void append_row(Index row, RowEntries& entries) const override;
  void describe(OperatorWriter& out) const override;
  const std::vector<Index>& row_begin() const { return row_begin_; }
  const std::vector<Index>& columns() const { return columns_; }
  const std::vector<double>& weights() const { return weights_; }

 private:
  void check() const;

  std::vector<Index> row_begin_, columns_;
  std::vector<double> weights_;
};

/// Returns an operator without entries.
LinearOperatorPtr no_entries(Shape in, Shape out);
/// Returns true for an operator without entries.
bool has_no_entries(const LinearOperator& op);

}  // namespace tacit::layout
