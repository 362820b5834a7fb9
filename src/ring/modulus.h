#pragma once

#include <cstdint>

namespace tacit::ring {

/// A prime below 2^50 with its reduction constants. Cheap to copy. All operations take and return values in [0, q)
/// unless their name ends in _lazy.
class Modulus {
 public:
  Modulus() = default;
  /// Throws InputError unless 2 < q < 2^50.
  explicit Modulus(std::uint64_t q);
  std::uint64_t value() const { return q_; }

  std::uint64_t add(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t sub(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t negate(std::uint64_t a) const;
  std::uint64_t mul(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t pow(std::uint64_t a, std::uint64_t exponent) const;
  /// a^-1 mod q; a must not be 0.
  std::uint64_t inverse(std::uint64_t a) const;
  /// Any 64-bit word to [0, q).
  std::uint64_t reduce(std::uint64_t a) const;
  /// Any signed word to [0, q).
  std::uint64_t reduce_signed(std::int64_t a) const;
  bool operator==(const Modulus& o) const { return q_ == o.q_; }

 private:
  std::uint64_t q_ = 0;
};

}  // namespace tacit::ring
