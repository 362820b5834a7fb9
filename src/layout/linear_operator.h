#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "layout/layout.h"

namespace tacit::layout {

/// A sparse matrix on the row-major flat indices of two tensors whose entries are generated, never held as a list.
/// Immutable and thread safe. `row` may report a column more than once: the weights add up.
class LinearOperator {
 public:
  using Sink = std::function<void(Index column, double weight)>;
  virtual ~LinearOperator() = default;
  virtual const Shape& in_shape() const = 0;
  virtual const Shape& out_shape() const = 0;
  /// Generates the non-zero entries of one row: out[row] = sum weight * in[column].
  virtual void row(Index row, const Sink& sink) const = 0;
};

using LinearOperatorPtr = std::shared_ptr<const LinearOperator>;

/// A linear operator between two layouts: the unit that lowering splits into generalised diagonals.
struct LinearMap {
  Layout in;
  Layout out;
  LinearOperatorPtr op;
};

}  // namespace tacit::layout
