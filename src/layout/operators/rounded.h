#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// The operator with every entry rounded to the nearest whole number (halves away from zero). Entries of equal columns
/// are added first. An entry that rounds to 0 stays an entry, which shows the loss of the row.
class Rounded final : public LinearOperator {
 public:
  explicit Rounded(const LinearOperatorPtr& op) : LinearOperator(op->in_shape(), op->out_shape()), op_(op) {}
  void append_row(Index row, RowEntries& entries) const override;
  void describe(OperatorWriter& out) const override;

 private:
  LinearOperatorPtr op_;
};

}  // namespace tacit::layout
