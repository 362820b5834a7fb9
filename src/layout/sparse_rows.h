#pragma once

#include <functional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// A linear operator held as compressed sparse rows: the form of what has no shorter description.
class SparseRows final : public LinearOperator {
 public:
  /// row_begin has one entry per row and one more; throws InputError if it does not rise from 0 to the number of
  /// entries, if a column is not in the input, or if a weight is not finite.
  SparseRows(Shape in, Shape out, std::vector<Index> row_begin, std::vector<Index> columns,
             std::vector<double> weights);
  /// append(row, entries) gives the entries of one row after the other, each time to none. Throws InputError likewise.
  SparseRows(Shape in, Shape out, const std::function<void(Index row, RowEntries& entries)>& append);
  /// The entries of any operator, duplicates added up, zeros dropped.
  static SparseRows of(const LinearOperator& op);
  /// The transposed operator's entries: out[column] = sum weight * in[row].
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

/// An operator without entries.
LinearOperatorPtr no_entries(Shape in, Shape out);
/// Whether an operator is one of those.
bool has_no_entries(const LinearOperator& op);

}  // namespace tacit::layout
