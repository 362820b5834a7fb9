#pragma once

#include <cstddef>

#include "params/ckks_parameters.h"

namespace tacit::search {

/// The bits that an answer keeps of each coefficient of c0 and of c1.
struct AnswerBits {
  unsigned c0 = 13, c1 = 20;
  unsigned together() const { return c0 + c1; }
  bool operator==(const AnswerBits&) const = default;
};
/// Coarse answers show clients less of a store: 29 bits a score instead of 33.
inline constexpr AnswerBits kFineAnswer{13, 20}, kCoarseAnswer{10, 19};

/// Returns the deviation of an integer score that the client decrypts. It is an average over keys and noise, by three
/// independent terms:
/// - The products. A tile multiplies the expanded ciphertexts by its int8 numbers. With S the deviation of an expanded
///   coefficient (params::expanded_coefficient_noise), each coefficient of the sum has the variance S^2 times the sum
///   of the squares of the tile's numbers. That sum is at most N * largest_norm^2.
/// - Rounding of c0 to a multiple of u = q / 2^bits: u^2 / 12.
/// - Rounding of c1. Its error meets the ternary secret: u^2 / 12 * 2 N / 3.
/// `largest_norm` is that of a vector of int8 numbers. Thread safe.
double integer_score_deviation(const params::CkksParameters& parameters, std::size_t dimensions, double largest_norm,
                               AnswerBits bits);

}  // namespace tacit::search
