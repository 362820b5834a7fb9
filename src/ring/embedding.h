#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace tacit::ring {

/// Returns zeta_(8 half)^(5^j), j < half: the roots of the stage of the special FFT at distance `half`.
std::vector<std::complex<double>> stage_roots(std::size_t half);

/// The canonical embedding of CKKS (Cheon, Kim, Kim, Song 2017) in double precision. The special FFT transforms `slots`
/// complex numbers to the 2*slots real coefficients of a polynomial and back. The slots are the values of the
/// polynomial at zeta^(5^j), with zeta = exp(2 pi i / 2N) and slots = N/2 for a ring of degree N. Immutable tables,
/// thread safe.
///
/// A transform of fewer slots, a power of two, is that of slots that repeat. Its coefficients are those of a polynomial
/// in X^(slots() / number of slots).
class Embedding {
 public:
  /// Throws InputError unless slots is a power of two.
  explicit Embedding(std::size_t slots);
  std::size_t slots() const { return slots_; }
  /// Transforms slots in place to (Re, Im) pairs of coefficients: z[j] = c[j] + i c[j + N/2].
  void slots_to_coefficients(std::span<std::complex<double>> z) const;
  /// Inverts slots_to_coefficients in place.
  void coefficients_to_slots(std::span<std::complex<double>> z) const;

 private:
  std::size_t slots_;
  /// The roots of each stage of half-length h = 1, 2, 4, ... slots/2: entries [h, 2h) are stage_roots(h).
  std::vector<std::complex<double>> roots_;
};

}  // namespace tacit::ring
