#pragma once

#include <cstdint>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/schedule.h"
#include "ring/rns_poly.h"

namespace tacit::scheme::ckks {

/// A matrix of generalised diagonals encoded for one level: the plaintext side of one (input, output) block of a linear
/// map. Each diagonal is rotated back by its giant step and encoded over q_0 … q_level and the special primes that
/// rotations divide by there, at a scale such that the result of `Evaluator::linear` lands exactly on the target scale
/// after the rescale. A diagonal of period p is a polynomial in a power of X: its rows are constant on slots / p
/// consecutive positions, and only the distinct words of each are kept. A polynomial with real slots has the same value
/// at psi^k and at psi^-k, which lie at positions i and N - 1 - i: of a real matrix the first half of every row is
/// kept. Immutable, thread safe.
class DiagonalMatrix {
 public:
  struct Diagonal {
    std::size_t block = 0;  ///< consecutive equal words; 1 = stored in full, 0 = zero diagonal
    ring::NttPoly rows;     ///< N / block words per extended row; of a mirrored matrix half as many
  };
  /// Whether matrices of real diagonals keep half of every row: where strips of rows, one of which is the mirror image
  /// of another, are no larger than half of a row.
  static bool mirrors(const params::CkksParameters& parameters);
  DiagonalMatrix(std::vector<params::DiagonalStep> steps, std::vector<Diagonal> diagonals, int level, double in_scale,
                 double target_scale, bool mirrored, std::vector<std::uint64_t> special_primes,
                 const params::ParameterHash& parameters);

  const std::vector<params::DiagonalStep>& steps() const { return steps_; }
  const Diagonal& diagonal(std::size_t step) const { return diagonals_[step]; }
  int level() const { return level_; }
  double in_scale() const { return in_scale_; }
  double target_scale() const { return target_scale_; }
  bool mirrored() const { return mirrored_; }
  const params::ParameterHash& parameters() const { return parameters_; }
  /// The primes of the rows above the level's: keys with others are not for this matrix.
  const std::vector<std::uint64_t>& special_primes() const { return special_primes_; }
  /// Bytes held in memory.
  std::size_t bytes() const;

 private:
  std::vector<params::DiagonalStep> steps_;
  std::vector<Diagonal> diagonals_;
  int level_;
  double in_scale_, target_scale_;
  bool mirrored_;
  std::vector<std::uint64_t> special_primes_;
  params::ParameterHash parameters_;
};

}  // namespace tacit::scheme::ckks
