#pragma once

#include <string>
#include <vector>

#include "layout/operators/window.h"
#include "layout/sharding/sharding_rule.h"

/// The sharding rules of operators, from their shapes and attributes. All throw InputError where shapes do not fit the
/// operator. Names of factors: n samples, g groups, f output and c input channels, d h w places, m k n of matrices, and
/// d0, d1, … of others.
namespace tacit::layout {

/// Conv. `weight` is [f, c / groups, kernel ...]. Output channels, input channels (reduced) and places, which need a
/// halo, can be split. With groups, that is whole groups: their channels lie inside.
ShardingRule convolution_rule(const Shape& in, const Shape& weight, const Shape& out,
                              const std::vector<WindowAxis>& axes, Index groups, bool bias);
/// Maxima and averages over windows: channels and places.
ShardingRule pool_rule(const std::string& op, const Shape& in, const Shape& out, const std::vector<WindowAxis>& axes);
/// Sums, means and maxima over axes, which `out` has with extent 1 or not at all: those are reduced over.
ShardingRule reduction_rule(const std::string& op, const Shape& in, const Shape& out, const std::vector<Index>& axes);
/// MatMul of [..., m, k] and [..., k, n]; leading dimensions are broadcast.
ShardingRule matmul_rule(const Shape& left, const Shape& right);
/// Gemm, of matrices that may be transposed, and of a bias of that shape (empty: none), which is broadcast.
ShardingRule gemm_rule(const Shape& left, const Shape& right, bool left_transposed, bool right_transposed,
                       const Shape& bias);
/// Element by element, with broadcast: Add, Mul, Relu and others.
ShardingRule elementwise_rule(const std::string& op, const std::vector<Shape>& inputs);
/// The dimension that is joined stays whole: blocks of the pieces do not meet those of the result.
ShardingRule concat_rule(const std::vector<Shape>& inputs, Index axis);
ShardingRule transpose_rule(const Shape& in, const std::vector<Index>& permutation);
/// Flatten, Reshape, Squeeze and Unsqueeze: dimensions are taken apart into factors that both shapes have, from the
/// outermost on, as far as they go.
ShardingRule reshape_rule(const Shape& in, const Shape& out);

}  // namespace tacit::layout
