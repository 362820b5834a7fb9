#include "scheme/ckks/diagonal_matrix.h"

#include "scheme/rlwe/automorphism.h"

namespace tacit::scheme::ckks {

bool DiagonalMatrix::mirrors(const params::CkksParameters& parameters) {
  return !parameters.real_slots() && 2 * rlwe::Automorphism::strip(parameters.n()) <= parameters.n();
}

std::size_t DiagonalMatrix::bytes() const {
  std::size_t words = 0;
  for (const Diagonal& diagonal : diagonals) words += diagonal.rows.n() * diagonal.rows.limbs();
  return words * sizeof(std::uint64_t);
}

}  // namespace tacit::scheme::ckks
