#pragma once

#include <vector>

#include "graph/compile.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Largest error of a smooth function's series, as a share of the function's largest value on its interval.
inline constexpr double kSmoothTolerance = 1.0 / 4096;

/// Largest error of any series, as the same share: beyond it a function is refused.
inline constexpr double kLargestError = 0.25;

/// Gives every function its Chebyshev series, of degree at most `max_degree`, and says what was done, in order. Throws
/// InputError naming the node where the function jumps, or is not finite on its interval.
std::vector<Approximation> fit_functions(Network& network, int max_degree);

/// Levels that the functions, products and affine values of the deepest path consume, functions with series at their
/// series' degree.
int depth_of(const Network& network);

}  // namespace tacit::graph::passes
