#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/secret_memory.h"

namespace tacit::scheme::rlwe {

/// n coefficients of which exactly `weight` are -1 or 1, at uniform places with uniform signs: the secret that exists
/// for the time of a key generation and keeps the overflow of a raised ciphertext small (Bossuat, Troncoso-Pastoriza,
/// Hubaux 2022). weight <= n / 2, n a power of two.
base::SecretVector<std::int8_t> sample_ephemeral_secret(std::size_t n, int weight, base::Csprng& random);

}  // namespace tacit::scheme::rlwe
