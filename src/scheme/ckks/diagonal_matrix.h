#pragma once

#include <cstdint>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/schedule.h"
#include "ring/rns_poly.h"

namespace tacit::scheme::ckks {

/// A matrix of generalised diagonals encoded for one level, the plaintext side of one (input, output) block of a linear
/// map. Each diagonal is rotated back by its giant step. It is encoded over q_0 … q_level and the special primes that
/// rotations divide by there. Its scale makes the result of `Evaluator::linear` land exactly on the target scale after
/// the rescale.
///
/// A diagonal of period p is a polynomial in a power of X. Its rows are constant on slots / p consecutive positions,
/// and only the distinct words of each row are kept. A polynomial with real slots has the same value at psi^k and
/// psi^-k, which are at positions i and N - 1 - i. A real matrix therefore keeps the first half of every row.
struct DiagonalMatrix {
  struct Diagonal {
    std::size_t block = 0;  ///< consecutive equal words; 1 = stored in full, 0 = zero diagonal
    ring::NttPoly rows;     ///< N / block words per extended row; of a mirrored matrix half as many
  };
  /// Returns true if matrices of real diagonals keep half of every row. This needs two strips, one the mirror image of
  /// the other, within a row.
  static bool mirrors(const params::CkksParameters& parameters);
  /// Returns the bytes held in memory.
  std::size_t bytes() const;

  std::vector<params::DiagonalStep> steps;
  std::vector<Diagonal> diagonals;  ///< by step
  int level = 0;
  double in_scale = 0, target_scale = 0;
  bool mirrored = false;
  std::vector<std::uint64_t> special_primes;  ///< of the rows above the level's; keys must have the same ones
  params::ParameterHash parameters{};
};

}  // namespace tacit::scheme::ckks
