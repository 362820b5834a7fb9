#pragma once

#include <cstdint>

#include "base/random.h"

namespace tacit::scheme::tfhe {

/// Returns noise uniform on [-2^bits, 2^bits]; the two ends have half the weight of the others. It takes bits + 2 bits
/// of one draw and never rejects. bits <= 62. params::bounded_uniform_variance is its variance.
inline std::int64_t bounded_noise(base::Csprng& random, int bits) {
  const std::uint64_t draw = random.next() >> (62 - bits);
  return static_cast<std::int64_t>((draw >> 1) + (draw & 1) - (std::uint64_t{1} << bits));
}

}  // namespace tacit::scheme::tfhe
