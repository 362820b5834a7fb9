#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::ckks {

/// Polynomials over q_0, or over q_0 and q_1, whose coefficients in [0, Q) are rounded to multiples of 2^dropped and
/// packed without gaps. Of a polynomial in X^(2^log_gap) only the coefficients of X^(i 2^log_gap) are packed. The chain
/// must outlive this object. Thread safe.
class RoundedCoefficients {
 public:
  /// `level` is 0 or 1, and 2^dropped is below Q / 2.
  RoundedCoefficients(const rlwe::ModulusChain& chain, int level, int dropped, int log_gap = 0);
  /// Returns the bytes of one polynomial.
  std::size_t bytes() const { return ((chain_.n() >> log_gap_) * bits_ + 7) / 8; }
  /// Appends the bytes of a polynomial. Other coefficients than the packed ones are not read.
  void append(const ring::CoefficientPoly& poly, std::vector<std::uint8_t>& out) const;
  /// Adds the rounded coefficients to a polynomial. Throws InputError for another number of bytes, and for a
  /// coefficient that no polynomial is rounded to.
  void add(std::span<const std::uint8_t> bytes, ring::CoefficientPoly& sum) const;

 private:
  __extension__ using Wide = unsigned __int128;

  const rlwe::ModulusChain& chain_;
  std::size_t rows_;
  int log_gap_;
  unsigned dropped_, bits_ = 0;
  Wide largest_ = 0;           ///< the largest rounded coefficient
  std::uint64_t inverse_ = 0;  ///< of q_0 modulo q_1
};

}  // namespace tacit::scheme::ckks
