#pragma once

#include <cstddef>
#include <cstdint>

#include "params/tfhe_parameters.h"

/// Messages on the torus of 64-bit words. 2^64 represents 1.
namespace tacit::scheme::tfhe {

using Torus = std::uint64_t;

/// Encodes an integer modulo 2^(bits + 1), the range of a message and its bit of padding.
constexpr Torus encode(std::int64_t message, int bits) { return static_cast<Torus>(message) << (63 - bits); }
/// Returns the nearest integer in [0, 2^(bits + 1)).
constexpr std::uint64_t decode(Torus phase, int bits) {
  const Torus half = Torus{1} << (62 - bits);
  return (phase + half) >> (63 - bits);
}

/// Cuts words into digits, from the most significant, each in [-B / 2, B / 2].
class DigitsOf {
 public:
  explicit constexpr DigitsOf(const params::Decomposition& cut)
      : base_log_(static_cast<unsigned>(cut.base_log)),
        levels_(static_cast<unsigned>(cut.levels)),
        lowest_(64 - base_log_ * levels_) {
    offset_ = Torus{1} << (lowest_ - 1);
    for (unsigned level = 0; level < levels_; ++level)
      offset_ += Torus{1} << (lowest_ + base_log_ * level + base_log_ - 1);
  }
  std::size_t levels() const { return levels_; }
  /// Writes all levels of a word. Digits in [-B / 2, B / 2) have the mean -1/2. With small bases that would be an error
  /// that all ciphertexts of a key have in common. A bit below all digits therefore decides the sign: the digits are
  /// those of the word, or those of minus the word, negated.
  template <class Integer>
  constexpr void cut(Torus word, Integer* digits) const {
    const Torus sign = Torus{0} - (word >> (lowest_ - 2) & 1);
    const Torus turned = ((word ^ sign) - sign) + offset_;
    for (unsigned level = 0; level < levels_; ++level) {
      const Torus digit = (turned >> (64 - base_log_ * (level + 1))) & ((Torus{1} << base_log_) - 1);
      digits[level] =
          static_cast<Integer>(static_cast<std::int64_t>(((digit - (Torus{1} << (base_log_ - 1))) ^ sign) - sign));
    }
  }
  /// Returns 2^64 / B^(level + 1), the weight of a digit.
  constexpr Torus weight(std::size_t level) const {
    return Torus{1} << (64 - base_log_ * (static_cast<unsigned>(level) + 1));
  }

 private:
  unsigned base_log_, levels_, lowest_;
  Torus offset_ = 0;
};

}  // namespace tacit::scheme::tfhe
