#include "layout/operators/rounded.h"

#include <cmath>

#include "layout/operator_writer.h"

namespace tacit::layout {

void Rounded::append_row(Index row, RowEntries& entries) const {
  RowEntries exact;
  op_->append_row(row, exact);
  exact.merge();
  for (std::size_t k = 0; k < exact.size(); ++k) entries.add(exact.columns[k], std::round(exact.weights[k]));
}

void Rounded::describe(OperatorWriter& out) const {
  out.head(OperatorKind::rounded, *this);
  out.nested(*op_);
}

}  // namespace tacit::layout
