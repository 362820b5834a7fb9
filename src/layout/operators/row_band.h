#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// The offsets of an operator's entries, in rising order: of one from feature maps of shape `in` to feature maps of
/// shape `out`, of which an entry from output row y to input row stride * y + offset. The stride need not be the
/// operator's own. A window with that stride tells them; of other operators every entry is read.
std::vector<Index> row_offsets(const LinearOperator& op, const Shape& in, const Shape& out, Index stride);

/// The selected entries of an operator, on the rows that the selection keeps. Generated from the operator's, or from
/// the window that its parts are together.
class RowBand final : public LinearOperator {
 public:
  /// Throws InputError if the shapes are not those of feature maps of the operator's sizes, or numbers lie outside
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
  LinearOperatorPtr one_;  // the same with structure, where several windows are one; null otherwise
};

/// The selected entries of an operator, with its structure where it has one.
LinearOperatorPtr selected(const LinearOperatorPtr& op, const RowSelection& selection);

/// The rows [begin, begin + rows) of feature maps of this shape, as an operator.
LinearOperatorPtr kept_rows(const Shape& in, Index begin, Index rows);

}  // namespace tacit::layout
