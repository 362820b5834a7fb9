#include "scheme/ckks/diagonal_matrix.h"

#include <utility>

namespace tacit::scheme::ckks {

DiagonalMatrix::DiagonalMatrix(std::vector<params::DiagonalStep> steps, std::vector<Diagonal> diagonals, int level,
                               double in_scale, double target_scale, std::vector<std::uint64_t> special_primes,
                               const params::ParameterHash& parameters)
    : steps_(std::move(steps)),
      diagonals_(std::move(diagonals)),
      level_(level),
      in_scale_(in_scale),
      target_scale_(target_scale),
      special_primes_(std::move(special_primes)),
      parameters_(parameters) {}

std::size_t DiagonalMatrix::bytes() const {
  std::size_t words = 0;
  for (const Diagonal& diagonal : diagonals_) words += diagonal.rows.n() * diagonal.rows.limbs();
  return words * sizeof(std::uint64_t);
}

}  // namespace tacit::scheme::ckks
