#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace tacit::ring {

/// zeta_(8 half)^(5^j), j < half: the roots of the stage of the special FFT at distance `half`.
std::vector<std::complex<double>> stage_roots(std::size_t half);

/// The canonical embedding of CKKS (Cheon, Kim, Kim, Song 2017): the special FFT between `slots` complex numbers and
/// the 2*slots real coefficients of a polynomial whose values at zeta^(5^j) are the slots. Double precision.
/// zeta = exp(2 pi i / 2N), slots = N/2 for a ring of degree N. Immutable tables, thread safe.
/// A transform of fewer slots, a power of two, is that of slots which repeat: they are those of a polynomial in
/// X^(slots() / their number), whose coefficients it has.
class Embedding {
 public:
  /// Throws InputError unless slots is a power of two.
  explicit Embedding(std::size_t slots);
  std::size_t slots() const { return slots_; }
  /// In place: slots to (Re, Im) pairs of coefficients: z[j] = c[j] + i c[j + N/2].
  void slots_to_coefficients(std::span<std::complex<double>> z) const;
  /// In place inverse of the above.
  void coefficients_to_slots(std::span<std::complex<double>> z) const;

 private:
  std::size_t slots_;
  /// For each stage of half-length h = 1, 2, 4, ... slots/2, entries [h, 2h): stage_roots(h).
  std::vector<std::complex<double>> roots_;
};

}  // namespace tacit::ring
