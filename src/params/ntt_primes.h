#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::params {

/// Returns the result of the deterministic Miller-Rabin test, which is exact for every 64-bit number.
bool is_prime(std::uint64_t value);

/// Transforms by primes of 50 bits are faster up to this bound: five such primes fit 52 bits, which saves every second
/// correction.
inline constexpr std::uint64_t kFastPrimeOf50Bits = (std::uint64_t{1} << 52) / 5;

/// Returns the `count` largest primes below 2^bits and not above `most`, in falling order. They are 1 modulo `modulus`
/// and not in `taken`. There are fewer if no more exist above 2^(bits-1). `bits` is in [2, 62]; `modulus` is a power of
/// two below 2^bits.
std::vector<std::uint64_t> largest_ntt_primes(int bits, std::uint64_t modulus, std::size_t count,
                                              std::span<const std::uint64_t> taken,
                                              std::uint64_t most = ~std::uint64_t{0});

}  // namespace tacit::params
