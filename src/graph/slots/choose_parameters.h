#pragma once

#include <optional>
#include <vector>

#include "base/feasible.h"
#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// The demands on a parameter set.
struct ParameterNeeds {
  int depth = 0;                ///< number of levels
  bool approximations = false;  ///< true if there are Chebyshev series: they amplify noise and need more bits of scale
  int output_headroom_bits = 10;  ///< bits of the first prime above the scale
  int largest_scale_bits = 40;    ///< more bits buy precision that few need
};

/// The largest and the smallest ring degree, 2^16 and 2^13.
inline constexpr int kLargestLogN = 16, kSmallestLogN = 13;

/// Returns a leveled set of this ring degree for the needs, inside the security table with a little slack. Each number
/// of special primes has the largest scale that fits. The set with the cheapest key switches is taken, where a missing
/// bit of scale counts as 1 % of time. None if even the smallest useful scale does not fit. The smallest scale leaves
/// 15 bits below a unit value after a rescale, or 20 bits if series are evaluated.
std::optional<params::CkksLiteral> literal_for(int log_n, const ParameterNeeds& needs);

/// Returns sets of this ring degree that trade precision for speed. Every number of special primes has the largest
/// scale that fits, down to 20 bits. The cheapest key switches come first. The caller checks that a scale is precise
/// enough. `needs.approximations` is not used. The first prime may have as few as 6 bits above the scale.
std::vector<params::CkksLiteral> trading_literals(int log_n, const ParameterNeeds& needs);

/// Returns the problem of needs that no leveled set meets: the depth, and the deepest that fits.
base::Infeasible too_deep(const ParameterNeeds& needs);

}  // namespace tacit::graph::passes
