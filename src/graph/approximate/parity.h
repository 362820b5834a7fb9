#pragma once

#include "graph/approximate/fit.h"

namespace tacit::graph::approximate {

/// The parity of a function after an affine part, which costs nothing: c x + even (Relu, Gelu, Silu, Abs) or c + odd
/// (Sigmoid, Tanh, Erf). On an interval around 0, every other coefficient of its Chebyshev series is zero. Such a
/// series takes about a quarter fewer products to evaluate.
enum class Parity { none, even, odd };

/// Measures the parity on a grid of [-reach, reach], to 1e-9 of the largest value.
Parity parity(const Samples& function, double reach);

/// Changes a series to this parity on [-reach, reach]: sets the coefficients that must vanish to zero, and drops
/// trailing zeros.
void impose(Parity parity, std::vector<double>& coefficients);

/// Returns a histogram over [lowest, highest] as one over [-reach, reach] that is equal on both sides.
Histogram mirrored(const Histogram& histogram, double lowest, double highest, double reach);

}  // namespace tacit::graph::approximate
