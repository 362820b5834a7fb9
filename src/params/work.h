#pragma once

#include <array>

#include "params/cost_table.h"

namespace tacit::params {

/// The work that an operation needs in any implementation, in words (coefficients modulo one prime).
struct Work {
  /// Words times butterfly stages of transforms (NTT), by bits of the prime.
  std::array<double, 64> transforms{};
  double macs = 0;        ///< multiply-accumulates in the caches: base conversions, repeated factors
  double key_macs = 0;    ///< multiply-accumulates with words of keys
  double products = 0;    ///< multiply-accumulates with words of encoded diagonals or of other ciphertexts
  double embeddings = 0;  ///< slots times stages of embeddings (FFT), which encode plaintexts
  double touched = 0;     ///< words that stay, in fresh memory
  double additions = 0;   ///< passes over words that multiply nothing but constants: sums, reductions, divisions
  double bytes = 0;       ///< operands, keys as they are held, encoded diagonals and results, each once

  /// Returns the sum over all primes.
  double transform_words() const;
  /// Returns the multiply-accumulates of all kinds.
  double multiply_accumulates() const { return macs + key_macs + products; }

  Work& operator+=(const Work& other);
};
Work operator+(Work a, const Work& b);
/// Returns the work repeated `times` times.
Work operator*(double times, Work work);

/// Returns the seconds of the work on as many threads as the table names.
double seconds(const Work& work, const CostTable& table);

}  // namespace tacit::params
