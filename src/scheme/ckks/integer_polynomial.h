#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ring/modulus.h"

namespace tacit::scheme::ckks {

/// Real coefficients rounded to integers, ready to be reduced modulo many primes: value[i] = mantissa[i] * 2^exponent.
/// They are exact to the nearest integer below 2^62. Above, the error is 2^-62 relative to the largest, less than that
/// of doubles. The destructor wipes them, because they may hold a message.
class IntegerPolynomial {
 public:
  /// Throws InputError on NaN or infinity.
  explicit IntegerPolynomial(std::span<const double> coefficients);
  ~IntegerPolynomial();
  IntegerPolynomial(IntegerPolynomial&&) noexcept = default;
  IntegerPolynomial(const IntegerPolynomial&) = delete;
  IntegerPolynomial& operator=(const IntegerPolynomial&) = delete;
  /// Returns log2 of the largest absolute value, or -1 for zero.
  double log2_magnitude() const { return log2_magnitude_; }
  /// Writes residues in [0, q). out.size() is the number of coefficients, a multiple of 8.
  void reduce(std::span<std::uint64_t> out, const ring::Modulus& q) const;

 private:
  std::vector<std::int64_t> mantissa_;
  int exponent_ = 0;
  double log2_magnitude_ = -1;
};

/// Converts residues of integers (limbs in coefficient form, modulo distinct primes) to the centred integers as
/// doubles.
void centred_to_double(std::span<const std::uint64_t* const> limbs, std::span<const ring::Modulus> primes,
                       std::span<double> out);

}  // namespace tacit::scheme::ckks
