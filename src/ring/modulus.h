#pragma once

#include <cstdint>

#include "base/error.h"
#include "ring/simd/modulus_words.h"

namespace tacit::ring {

/// A prime below 2^50 with its reduction constants. Cheap to copy. All operations take and return values in [0, q)
/// unless their name ends in _lazy.
class Modulus {
 public:
  Modulus() = default;
  /// Throws InputError unless 2 < q < 2^50 and q is odd.
  explicit Modulus(std::uint64_t q);
  std::uint64_t value() const { return words_.q; }

  std::uint64_t add(std::uint64_t a, std::uint64_t b) const {
    TACIT_ASSERT(a < words_.q && b < words_.q);
    const std::uint64_t sum = a + b;
    return sum >= words_.q ? sum - words_.q : sum;
  }
  std::uint64_t sub(std::uint64_t a, std::uint64_t b) const {
    TACIT_ASSERT(a < words_.q && b < words_.q);
    return a >= b ? a - b : a + words_.q - b;
  }
  std::uint64_t negate(std::uint64_t a) const {
    TACIT_ASSERT(a < words_.q);
    return a == 0 ? 0 : words_.q - a;
  }
  /// Multiplies by Barrett's method (1986). The quotient estimate is at most 3 below the true one.
  std::uint64_t mul(std::uint64_t a, std::uint64_t b) const {
    TACIT_ASSERT(a < words_.q && b < words_.q);
    const Wide product = static_cast<Wide>(a) * b;
    const auto high = static_cast<std::uint64_t>(product >> (words_.bits - 1));
    const auto quotient = static_cast<std::uint64_t>(static_cast<Wide>(high) * words_.mu >> 52);
    std::uint64_t r = static_cast<std::uint64_t>(product) - quotient * words_.q;
    if (r >= 2 * words_.q) r -= 2 * words_.q;
    return r >= words_.q ? r - words_.q : r;
  }
  std::uint64_t pow(std::uint64_t a, std::uint64_t exponent) const;
  /// Returns a^-1 mod q; `a` must not be 0.
  std::uint64_t inverse(std::uint64_t a) const;
  /// Reduces any 64-bit word to [0, q).
  std::uint64_t reduce(std::uint64_t a) const {
    const auto quotient = static_cast<std::uint64_t>(static_cast<Wide>(a) * words_.ratio64 >> 64);
    const std::uint64_t r = a - quotient * words_.q;
    return r >= words_.q ? r - words_.q : r;
  }
  /// Reduces any signed word to [0, q).
  std::uint64_t reduce_signed(std::int64_t a) const {
    const auto word = static_cast<std::uint64_t>(a);
    return a >= 0 ? reduce(word) : negate(reduce(std::uint64_t{0} - word));
  }
  /// Returns floor(w * 2^52 / q), the companion of a constant factor w in [0, q) (Shoup's multiplication, 52 bits).
  std::uint64_t shoup(std::uint64_t w) const;
  /// Returns a * 2^52 mod q. A factor has this form if the product is divided by 2^52 (Montgomery 1985).
  std::uint64_t times_two52(std::uint64_t a) const { return mul(a, words_.two52); }
  /// Returns the constants as kernels take them.
  const simd::ModulusWords& words() const { return words_; }
  bool operator==(const Modulus& o) const { return words_.q == o.words_.q; }

 private:
  __extension__ using Wide = unsigned __int128;
  simd::ModulusWords words_;
};

}  // namespace tacit::ring
