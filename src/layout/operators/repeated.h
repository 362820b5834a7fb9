#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Returns the shape of `times` joined tensors. A leading extent of 1 becomes `times`; otherwise `times` is put in
/// front.
Shape side_by_side(const Shape& shape, Index times);

/// Applies one operator to each of `times` joined tensors: out[t] = op(in[t]). The matrix is block diagonal with equal
/// blocks.
class Repeated final : public LinearOperator {
 public:
  /// Throws InputError if `times` is below 1 or the tensors have more than 2^48 elements.
  Repeated(LinearOperatorPtr op, Index times);
  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  SignedSums signed_sums() const override;
  LinearOperatorPtr selected(const RowSelection& selection) const override;
  void describe(OperatorWriter& out) const override;
  std::optional<WindowPattern> window_pattern() const override;
  std::optional<RepeatedReals> diagonal() const override;
  LinearOperatorPtr equal_part(Index count) const override;
  LinearOperatorPtr in_one() const override;

 private:
  LinearOperatorPtr op_;
  Index times_, in_count_, out_count_;
};

/// Returns the operator for each of `times` tensors. Factors around an operator stay around it.
LinearOperatorPtr repeated(const LinearOperatorPtr& op, Index times);

}  // namespace tacit::layout
