#pragma once

#include <cstdint>
#include <vector>

#include "graph/window.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// The linear operators that nodes lower to. All take row-major tensors; all results are immutable and thread safe.

/// out[i] = weights[i] * in[source[i]]; source -1 leaves a zero; empty weights are ones.
layout::LinearOperatorPtr gather(Shape in, Shape out, std::vector<layout::Index> source, std::vector<double> weights);

/// Convolution of [batch, channels, spatial ...] with weights [out channels, channels / groups, kernel ...].
layout::LinearOperatorPtr convolution(Shape in, Shape out, const Window& window, std::int64_t groups, Tensor weights);

/// Mean over windows of [batch, channels, spatial ...]; padding counts as elements if `include_pad`.
layout::LinearOperatorPtr average_pool(Shape in, Shape out, const Window& window, bool include_pad);

/// out[r] = scale * sum over k < count of weights[weight_base[r] + k * weight_step] * in[in_base[r] + k * in_step]:
/// every matrix product with a constant.
struct Contraction {
  std::vector<layout::Index> in_base, weight_base;  ///< one number per output element
  layout::Index in_step = 1, weight_step = 1, count = 0;
  double scale = 1;
  std::vector<double> weights;
};
layout::LinearOperatorPtr contraction(Shape in, Shape out, Contraction contraction);

/// out = factor * sum of `in` over the dimensions in `reduced` (ascending); `out` may keep or drop them.
layout::LinearOperatorPtr reduction(Shape in, Shape out, const std::vector<std::size_t>& reduced, double factor);

/// outer(inner(x)).
layout::LinearOperatorPtr compose(layout::LinearOperatorPtr outer, layout::LinearOperatorPtr inner);

/// factor * op(x).
layout::LinearOperatorPtr scaled(layout::LinearOperatorPtr op, double factor);

/// left(x) + right(x), of the same shapes.
layout::LinearOperatorPtr sum(layout::LinearOperatorPtr left, layout::LinearOperatorPtr right);

/// The same matrix between tensors of other shapes with as many elements.
layout::LinearOperatorPtr reshaped_operator(layout::LinearOperatorPtr op, const Shape& in, const Shape& out);

/// The identity on a shape.
layout::LinearOperatorPtr identity(const Shape& shape);

/// The same operator with its entries held in rows, duplicates added up and zeros dropped, where there are at most
/// `limit` of them; otherwise the operator itself.
layout::LinearOperatorPtr materialised(layout::LinearOperatorPtr op, std::size_t limit = std::size_t{1} << 23);

/// True if every row has one entry, of weight one, in the column of the same number: the identity, or a reshape.
bool is_identity(const layout::LinearOperator& op);

/// sum over columns of the row's weights times values[column], for every row.
std::vector<double> apply(const layout::LinearOperator& op, const std::vector<double>& values);

}  // namespace tacit::graph::passes
