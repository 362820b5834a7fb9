#pragma once

#include "graph/approximate/fit.h"

namespace tacit::graph::approximate {

/// What a function is apart from an affine part that costs nothing: c x + even (Relu, Gelu, Silu, Abs) or c + odd
/// (Sigmoid, Tanh, Erf). On an interval around 0 such a function has a Chebyshev series with every other coefficient
/// zero, which takes about a quarter fewer products to evaluate.
enum class Parity { none, even, odd };

/// Measured on a grid of [-reach, reach], to 1e-9 of the largest value.
Parity parity(const Samples& function, double reach);

/// The series of a function of this parity on [-reach, reach]: the coefficients that must vanish set to zero, and
/// trailing zeros dropped.
void impose(Parity parity, std::vector<double>& coefficients);

/// A histogram over [lowest, highest] as one over [-reach, reach] that is equal on both sides.
Histogram mirrored(const Histogram& histogram, double lowest, double highest, double reach);

}  // namespace tacit::graph::approximate
