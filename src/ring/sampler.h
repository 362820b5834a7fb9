#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "ring/modulus.h"

namespace tacit::ring {

/// Standard deviation of fresh noise, as in the security table.
inline constexpr double kNoiseSigma = 3.19;

/// Uniform words in [0, q), by rejection: unbiased, and equal on every machine for a given seed and stream.
/// Seekable in 64 KiB steps is not needed; a limb is always expanded whole.
void sample_uniform(std::span<std::uint64_t> limb, const Modulus& q, base::Csprng& random);
/// Coefficients uniform in {-1, 0, 1}.
void sample_ternary(std::span<std::int8_t> coefficients, base::Csprng& random);
/// Rounded Gaussian with sigma 3.19, truncated at 6 sigma, by a constant-time cumulative table.
void sample_gaussian(std::span<std::int8_t> coefficients, base::Csprng& random);

}  // namespace tacit::ring
