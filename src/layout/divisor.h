#pragma once

#include <bit>
#include <cstdint>

#include "layout/layout.h"

namespace tacit::layout {

/// Divides numbers from 0 on with remainder. A divisor that is a power of two takes less time.
class Divisor {
 public:
  explicit Divisor(Index value)
      : value_(value), shift_(is_power_of_two(value) ? std::countr_zero(static_cast<std::uint64_t>(value)) : -1) {}
  Index value() const { return value_; }
  Index quotient(Index x) const { return shift_ >= 0 ? x >> shift_ : x / value_; }
  Index remainder(Index x) const { return shift_ >= 0 ? x & (value_ - 1) : x % value_; }

 private:
  Index value_;
  int shift_;
};

}  // namespace tacit::layout
