#include "graph/passes/operator_rows.h"

#include <memory>

#include "layout/operators/combined.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {

using layout::Index;
using layout::LinearOperator;
using layout::LinearOperatorPtr;

LinearOperatorPtr materialised(LinearOperatorPtr op, std::size_t limit) {
  if (dynamic_cast<const layout::SparseRows*>(op.get())) return op;
  const Index rows = layout::element_count(op->out_shape());
  std::size_t entries = 0;
  for (Index r = 0; r < rows && entries <= limit; ++r) op->row(r, [&](Index, double) { ++entries; });
  if (entries > limit) return op;
  return std::make_shared<layout::SparseRows>(layout::SparseRows::of(*op));
}

bool is_identity(const LinearOperator& op) {
  const Index rows = layout::element_count(op.out_shape());
  if (layout::element_count(op.in_shape()) != rows) return false;
  for (Index r = 0; r < rows; ++r) {
    double weight = 0;
    bool elsewhere = false;
    op.row(r, [&](Index column, double w) {
      if (column == r) weight += w;
      elsewhere = elsewhere || column != r;
    });
    if (elsewhere || weight != 1) return false;
  }
  return true;
}

LinearOperatorPtr reshaped(LinearOperatorPtr op, const layout::Shape& in, const layout::Shape& out) {
  if (op->in_shape() == in && op->out_shape() == out) return op;
  return std::make_shared<layout::Scaled>(std::move(op), 1.0, in, out);
}

std::vector<double> apply(const LinearOperator& op, const std::vector<double>& values) {
  std::vector<double> result(static_cast<std::size_t>(layout::element_count(op.out_shape())), 0.0);
  if (const auto* rows = dynamic_cast<const layout::SparseRows*>(&op)) {
    const Index *begin = rows->row_begin().data(), *column = rows->columns().data();
    const double* weight = rows->weights().data();
    for (std::size_t r = 0; r < result.size(); ++r) {
      double sum = 0;
      for (Index k = begin[r]; k < begin[r + 1]; ++k) sum += weight[k] * values[static_cast<std::size_t>(column[k])];
      result[r] = sum;
    }
    return result;
  }
  for (std::size_t r = 0; r < result.size(); ++r)
    op.row(static_cast<Index>(r),
           [&](Index column, double weight) { result[r] += weight * values[static_cast<std::size_t>(column)]; });
  return result;
}

}  // namespace tacit::graph::passes
