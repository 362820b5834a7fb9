#include "scheme/ckks/diagonal_matrix.h"

#include <utility>

#include "scheme/rlwe/automorphism.h"

namespace tacit::scheme::ckks {

bool DiagonalMatrix::mirrors(const params::CkksParameters& parameters) {
  return !parameters.real_slots() && 2 * rlwe::Automorphism::strip(parameters.n()) <= parameters.n();
}

DiagonalMatrix::DiagonalMatrix(std::vector<params::DiagonalStep> steps, std::vector<Diagonal> diagonals, int level,
                               double in_scale, double target_scale, bool mirrored,
                               std::vector<std::uint64_t> special_primes, const params::ParameterHash& parameters)
    : steps_(std::move(steps)),
      diagonals_(std::move(diagonals)),
      level_(level),
      in_scale_(in_scale),
      target_scale_(target_scale),
      mirrored_(mirrored),
      special_primes_(std::move(special_primes)),
      parameters_(parameters) {}

std::size_t DiagonalMatrix::bytes() const {
  std::size_t words = 0;
  for (const Diagonal& diagonal : diagonals_) words += diagonal.rows.n() * diagonal.rows.limbs();
  return words * sizeof(std::uint64_t);
}

}  // namespace tacit::scheme::ckks
