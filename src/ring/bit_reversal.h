#pragma once

#include <cstddef>

namespace tacit::ring {

/// Returns the `bits` low bits of `value` in reverse order; value < 2^bits.
constexpr std::size_t reverse_bits(std::size_t value, unsigned bits) {
  std::size_t reversed = 0;
  for (unsigned i = 0; i < bits; ++i, value >>= 1) reversed = reversed << 1 | (value & 1);
  return reversed;
}

}  // namespace tacit::ring
