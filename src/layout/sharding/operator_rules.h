#pragma once

#include <string>
#include <vector>

#include "base/feasible.h"
#include "layout/operators/window.h"
#include "layout/sharding/sharding_rule.h"

/// The sharding rules of operators, from their shapes and attributes. There is none if shapes do not fit the operator.
/// Factors have these names:
/// - n samples, g groups, f output channels, c input channels, d h w places
/// - m k n dimensions of matrices
/// - d0, d1, … all others
namespace tacit::layout {

/// Conv. `weight` is [f, c / groups, kernel ...]. Output channels, input channels (reduced) and places (with a halo)
/// can be split. With groups, only whole groups can be split: their channels are inside.
base::Feasible<ShardingRule> convolution_rule(const Shape& in, const Shape& weight, const Shape& out,
                                              const std::vector<WindowAxis>& axes, Index groups, bool bias);
/// Maxima and averages over windows can be split by channels and places.
base::Feasible<ShardingRule> pool_rule(const std::string& op, const Shape& in, const Shape& out,
                                       const std::vector<WindowAxis>& axes);
/// Sums, means and maxima over axes are reduced over these axes, which `out` has with extent 1 or not at all.
base::Feasible<ShardingRule> reduction_rule(const std::string& op, const Shape& in, const Shape& out,
                                            const std::vector<Index>& axes);
/// MatMul of [..., m, k] and [..., k, n]; leading dimensions are broadcast.
base::Feasible<ShardingRule> matmul_rule(const Shape& left, const Shape& right);
/// Gemm of matrices, possibly transposed, and a bias. `bias` is the shape of the bias, which is broadcast (empty:
/// none).
base::Feasible<ShardingRule> gemm_rule(const Shape& left, const Shape& right, bool left_transposed,
                                       bool right_transposed, const Shape& bias);
/// Operators that work element by element, with broadcast: Add, Mul, Relu and others.
base::Feasible<ShardingRule> elementwise_rule(const std::string& op, const std::vector<Shape>& inputs);
/// The joined dimension stays whole, because blocks of the pieces do not meet those of the result.
base::Feasible<ShardingRule> concat_rule(const std::vector<Shape>& inputs, Index axis);
base::Feasible<ShardingRule> transpose_rule(const Shape& in, const std::vector<Index>& permutation);
/// Flatten, Reshape, Squeeze and Unsqueeze. Dimensions are taken apart into factors that both shapes have, from the
/// outermost on, as far as possible.
base::Feasible<ShardingRule> reshape_rule(const Shape& in, const Shape& out);

}  // namespace tacit::layout
