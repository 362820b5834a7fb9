#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace tacit::ring {

/// The standard deviation of fresh noise, as in the security table.
inline constexpr double kNoiseSigma = 3.19;

/// Samples coefficients uniform in {-1, 0, 1}. Rejected draws reveal nothing about the kept ones.
void sample_ternary(std::span<std::int8_t> coefficients, base::Csprng& random);
/// Samples n coefficients of which exactly `weight` are -1 or 1, at uniform places with uniform signs. This secret
/// exists during a key generation alone, and keeps the overflow of a raised ciphertext small (Bossuat,
/// Troncoso-Pastoriza, Hubaux 2022). weight <= n / 2, n a power of two.
void sample_sparse(std::span<std::int8_t> coefficients, int weight, base::Csprng& random);
/// Samples a rounded Gaussian with sigma 3.19, truncated at 6 sigma, with a constant-time cumulative table.
void sample_gaussian(std::span<std::int8_t> coefficients, base::Csprng& random);
/// Samples a Gaussian of a large deviation: floor(d / 4^k) times a sample of sample_gaussian, summed over k, with d
/// such that the variances add up (a convolution of discrete Gaussians: Micciancio, Walter 2017). Equal streams give
/// equal numbers on all machines. 256 <= deviation <= 2^52. Constant time.
void sample_wide_gaussian(std::span<std::int64_t> coefficients, double deviation, base::Csprng& random);

}  // namespace tacit::ring
