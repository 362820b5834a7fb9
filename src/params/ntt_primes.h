#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::params {

/// Deterministic Miller-Rabin: exact for every 64-bit number.
bool is_prime(std::uint64_t value);

/// The `count` largest primes below 2^bits (and above 2^(bits-1)) that are 1 modulo `modulus` and not in `taken`, in
/// falling order; fewer when there are no more. bits in [2, 62], modulus a power of two below 2^bits.
std::vector<std::uint64_t> largest_ntt_primes(int bits, std::uint64_t modulus, std::size_t count,
                                              std::span<const std::uint64_t> taken);

}  // namespace tacit::params
