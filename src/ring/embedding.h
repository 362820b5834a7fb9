#pragma once

#include <complex>
#include <span>

namespace tacit::ring {

/// The canonical embedding of CKKS (Cheon, Kim, Kim, Song 2017): the special FFT between `slots` complex numbers and
/// the 2*slots real coefficients of a polynomial whose values at zeta^(5^j) are the slots. Double precision.
/// slots = N/2 for a ring of degree N. Immutable tables, thread safe.
class Embedding {
 public:
  explicit Embedding(std::size_t slots);
  std::size_t slots() const;
  /// In place: slots to (Re, Im) pairs of coefficients: z[j] = c[j] + i c[j + N/2].
  void slots_to_coefficients(std::span<std::complex<double>> z) const;
  /// In place inverse of the above.
  void coefficients_to_slots(std::span<std::complex<double>> z) const;
};

}  // namespace tacit::ring
