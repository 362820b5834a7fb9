#pragma once

#include <cstdint>

#include "base/random.h"

namespace tacit::scheme::tfhe {

/// Uniform on [-2^bits, 2^bits], the two ends with half the weight of the others: b + 2 bits of a draw, whatever it is.
/// bits <= 62; params::bounded_uniform_variance is its variance.
inline std::int64_t bounded_noise(base::Csprng& random, int bits) {
  const std::uint64_t draw = random.next() >> (62 - bits);
  return static_cast<std::int64_t>((draw >> 1) + (draw & 1) - (std::uint64_t{1} << bits));
}

}  // namespace tacit::scheme::tfhe
