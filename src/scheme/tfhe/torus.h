#pragma once

#include <cstdint>

#include "params/tfhe_parameters.h"

/// Messages on the torus of 64-bit words, 2^64 standing for 1.
namespace tacit::scheme::tfhe {

using Torus = std::uint64_t;

/// An integer modulo 2^(bits + 1), which is what a message and its bit of padding hold.
constexpr Torus encode(std::int64_t message, int bits) { return static_cast<Torus>(message) << (63 - bits); }
/// The nearest integer in [0, 2^(bits + 1)).
constexpr std::uint64_t decode(Torus phase, int bits) {
  const Torus half = Torus{1} << (62 - bits);
  return (phase + half) >> (63 - bits);
}

/// Digits of a word, from the most significant, each in [-B / 2, B / 2).
class DigitsOf {
 public:
  explicit constexpr DigitsOf(const params::Decomposition& cut)
      : base_log_(static_cast<unsigned>(cut.base_log)), levels_(static_cast<unsigned>(cut.levels)) {
    const unsigned lowest = 64 - base_log_ * levels_;
    offset_ = Torus{1} << (lowest - 1);
    for (unsigned level = 0; level < levels_; ++level)
      offset_ += Torus{1} << (lowest + base_log_ * level + base_log_ - 1);
  }
  constexpr std::int64_t operator()(Torus word, std::size_t level) const {
    const unsigned shift = 64 - base_log_ * (static_cast<unsigned>(level) + 1);
    const Torus digit = ((word + offset_) >> shift) & ((Torus{1} << base_log_) - 1);
    return static_cast<std::int64_t>(digit) - (std::int64_t{1} << (base_log_ - 1));
  }
  /// 2^64 / B^(level + 1): what a digit counts.
  constexpr Torus weight(std::size_t level) const {
    return Torus{1} << (64 - base_log_ * (static_cast<unsigned>(level) + 1));
  }

 private:
  unsigned base_log_, levels_;
  Torus offset_ = 0;
};

}  // namespace tacit::scheme::tfhe
