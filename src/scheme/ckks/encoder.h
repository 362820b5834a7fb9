#pragma once

#include <complex>
#include <span>
#include <vector>

#include "params/schedule.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/compact_plaintext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/diagonal_matrix.h"

namespace tacit::scheme::ckks {

/// Encodes slots as plaintexts and decodes them (Cheon, Kim, Kim, Song 2017, section 3). Thread safe.
class Encoder {
 public:
  explicit Encoder(ContextPtr context) : context_(std::move(context)) {}
  /// Encodes at most `slots` values; missing slots are zero. Throws InputError on NaN, infinity or overflow of the
  /// modulus, and on an imaginary part in a set of real slots (here and below).
  Plaintext encode(std::span<const double> values, int level, double scale) const;
  Plaintext encode(std::span<const std::complex<double>> values, int level, double scale) const;
  /// Encodes the same values, to be expanded later: `encode` is `expand` of `compact`.
  CompactPlaintext compact(std::span<const double> values, int level, double scale) const;
  Plaintext expand(const CompactPlaintext& plaintext) const;
  /// Returns all slots, exact up to double precision at every level.
  std::vector<std::complex<double>> decode(const Plaintext& plaintext) const;

  /// Encodes one block of a linear map. diagonals[i] belongs to steps[i] and multiplies the input rotated left by
  /// steps[i].diagonal slots: out[k] = sum over i of diagonals[i][k] * in[k + steps[i].diagonal]. A diagonal has 2^j <=
  /// slots values, repeated along the slots. Without values it is an absent (zero) diagonal. `Evaluator::linear` turns
  /// an input at (level, in_scale) into an output at exactly (level - 1, target_scale). `rotation_primes` is that of
  /// the keys (EvaluationKeys). Throws InputError on a step, size or value that does not fit, or level < 1.
  DiagonalMatrix encode_diagonals(std::span<const params::DiagonalStep> steps,
                                  std::span<const std::vector<double>> diagonals, int level, double in_scale,
                                  double target_scale, const params::RotationPrimes& rotation_primes = {}) const;
  DiagonalMatrix encode_diagonals(std::span<const params::DiagonalStep> steps,
                                  std::span<const std::vector<std::complex<double>>> diagonals, int level,
                                  double in_scale, double target_scale,
                                  const params::RotationPrimes& rotation_primes = {}) const;
  /// Does the same for Evaluator::raised_linear.
  DiagonalMatrix encode_raised_diagonals(std::span<const params::DiagonalStep> steps,
                                         std::span<const std::vector<std::complex<double>>> diagonals, int level,
                                         double in_scale, double target_scale) const;

 private:
  ContextPtr context_;
};

}  // namespace tacit::scheme::ckks
