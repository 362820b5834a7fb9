#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Returns the offsets of an operator's entries in rising order. An entry from output row y to input row stride * y +
/// offset has this offset. The feature maps have the shapes `in` and `out`. The stride need not be the operator's own.
/// A window with this stride gives the offsets directly; for other operators every entry is read.
std::vector<Index> row_offsets(const LinearOperator& op, const Shape& in, const Shape& out, Index stride);

/// The selected entries of an operator, on the rows that the selection keeps. They are generated from the operator's
/// entries, or from the one window that its parts make.
class RowBand final : public LinearOperator {
 public:
  /// Throws InputError if the shapes are not those of feature maps of the operator's sizes, or if numbers are outside
  /// them.
  RowBand(LinearOperatorPtr op, RowSelection selection);
  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  SignedSums signed_sums() const override;
  void describe(OperatorWriter& out) const override;
  const LinearOperator& pattern() const override;
  std::optional<WindowPattern> window_pattern() const override;
  LinearOperatorPtr equal_part(Index count) const override;
  LinearOperatorPtr in_one() const override { return one_; }

 private:
  LinearOperatorPtr op_;
  RowSelection selection_;
  LinearOperatorPtr one_;  // the same with structure, if several windows are one; else null
};

/// Returns the selected entries of an operator, with its structure if it has one.
LinearOperatorPtr selected(const LinearOperatorPtr& op, const RowSelection& selection);

/// Returns the operator that keeps the rows [begin, begin + rows) of feature maps of this shape.
LinearOperatorPtr kept_rows(const Shape& in, Index begin, Index rows);

}  // namespace tacit::layout
