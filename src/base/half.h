#pragma once

#include <cmath>
#include <cstdint>

namespace tacit::base {

/// Returns the number that 16 bits in IEEE 754 binary16 represent.
inline double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction ? std::nan("") : sign * HUGE_VAL;
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

}  // namespace tacit::base
