#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {

/// 1, 2, 3, ...: sums of products of these are exact, in any order.
inline std::vector<double> counted(Index count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

/// What an operator makes of vectors side by side, by its own way.
inline std::vector<double> applied(const LinearOperator& op, const std::vector<double>& x, std::size_t lanes = 1) {
  std::vector<double> y(static_cast<std::size_t>(element_count(op.out_shape())) * lanes);
  op.apply(x, y, lanes);
  return y;
}

/// The same, entry by entry.
inline std::vector<double> by_entries(const LinearOperator& op, const std::vector<double>& x, std::size_t lanes = 1) {
  std::vector<double> y(static_cast<std::size_t>(element_count(op.out_shape())) * lanes);
  for (std::size_t row = 0; row < y.size() / lanes; ++row)
    op.row(static_cast<Index>(row), [&](Index column, double weight) {
      for (std::size_t i = 0; i < lanes; ++i)
        y[row * lanes + i] += weight * x.at(static_cast<std::size_t>(column) * lanes + i);
    });
  return y;
}

/// Returns an operator by lists of its entries, which know no windows.
inline LinearOperatorPtr listed(const LinearOperator& op) { return std::make_shared<SparseRows>(SparseRows::of(op)); }

/// With the weights 1, 2, 3, ...
inline std::shared_ptr<const Convolution> counted_convolution(const Shape& in, const Shape& out,
                                                              std::vector<WindowAxis> axes, Index groups = 1) {
  Index weights = out[1] * in[1] / groups;
  for (const WindowAxis& axis : axes) weights *= axis.kernel;
  return std::make_shared<Convolution>(in, out, std::move(axes), groups, counted(weights));
}

}  // namespace tacit::layout
