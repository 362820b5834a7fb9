#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace tacit::ring {

/// Standard deviation of fresh noise, as in the security table.
inline constexpr double kNoiseSigma = 3.19;

/// Coefficients uniform in {-1, 0, 1}, by rejection of draws that tell nothing about those that are kept.
void sample_ternary(std::span<std::int8_t> coefficients, base::Csprng& random);
/// n coefficients of which exactly `weight` are -1 or 1, at uniform places with uniform signs: the secret that exists
/// for the time of a key generation and keeps the overflow of a raised ciphertext small (Bossuat, Troncoso-Pastoriza,
/// Hubaux 2022). weight <= n / 2, n a power of two.
void sample_sparse(std::span<std::int8_t> coefficients, int weight, base::Csprng& random);
/// Rounded Gaussian with sigma 3.19, truncated at 6 sigma, by a constant-time cumulative table.
void sample_gaussian(std::span<std::int8_t> coefficients, base::Csprng& random);

}  // namespace tacit::ring
