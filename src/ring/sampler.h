#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "ring/modulus.h"

namespace tacit::ring {

/// Standard deviation of fresh noise, as in the security table.
inline constexpr double kNoiseSigma = 3.19;

/// Uniform words in [0, q), by rejection: unbiased, and equal on every machine for a given seed and stream. Its time
/// depends on the words: for public values.
void sample_uniform(std::span<std::uint64_t> limb, const Modulus& q, base::Csprng& random);
/// Coefficients uniform in {-1, 0, 1}, by rejection of draws that tell nothing about those that are kept.
void sample_ternary(std::span<std::int8_t> coefficients, base::Csprng& random);
/// Rounded Gaussian with sigma 3.19, truncated at 6 sigma, by a constant-time cumulative table.
void sample_gaussian(std::span<std::int8_t> coefficients, base::Csprng& random);

}  // namespace tacit::ring
