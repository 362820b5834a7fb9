#pragma once

#include <optional>
#include <vector>

#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// What a parameter set must offer.
struct ParameterNeeds {
  int depth = 0;                  ///< levels
  bool approximations = false;    ///< Chebyshev series amplify noise: they need more bits of scale
  int output_headroom_bits = 10;  ///< bits of the first prime above the scale
  int largest_scale_bits = 40;    ///< more buys precision that few need
};

/// Largest and smallest ring degree, 2^16 and 2^13.
inline constexpr int kLargestLogN = 16, kSmallestLogN = 13;

/// A leveled set of this ring degree for the needs, inside the security table with a little slack: the largest scale
/// that fits, and among the numbers of special primes the one with the cheapest key switches. Nothing if even
/// the smallest useful scale does not fit: one that leaves 15 bits below a unit value after a rescale, 20 where series
/// are evaluated.
std::optional<params::CkksLiteral> literal_for(int log_n, const ParameterNeeds& needs);

/// Sets of this ring degree that trade precision for speed: for every number of special primes the largest scale that
/// fits, however small, cheapest key switches first. Whether a scale is precise enough is for the caller to
/// find out. `needs.approximations` is not used; the first prime may have as few as 6 bits above the scale.
std::vector<params::CkksLiteral> trading_literals(int log_n, const ParameterNeeds& needs);

/// literal_for every ring degree from 2^13 to 2^16 that has one, smallest first. Throws InputError naming the depth and
/// the deepest that fits if there is none.
std::vector<params::CkksLiteral> candidate_literals(const ParameterNeeds& needs);

}  // namespace tacit::graph::passes
