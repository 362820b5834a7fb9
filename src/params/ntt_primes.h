#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::params {

/// Deterministic Miller-Rabin: exact for every 64-bit number.
bool is_prime(std::uint64_t value);

/// Transforms by primes of 50 bits up to this are the faster ones: five of them fit 52 bits, which spares every other
/// correction.
inline constexpr std::uint64_t kFastPrimeOf50Bits = (std::uint64_t{1} << 52) / 5;

/// The `count` largest primes below 2^bits, and not above `most`, that are 1 modulo `modulus` and not in `taken`, in
/// falling order; fewer when there are no more above 2^(bits-1). bits in [2, 62], modulus a power of two below 2^bits.
std::vector<std::uint64_t> largest_ntt_primes(int bits, std::uint64_t modulus, std::size_t count,
                                              std::span<const std::uint64_t> taken,
                                              std::uint64_t most = ~std::uint64_t{0});

}  // namespace tacit::params
