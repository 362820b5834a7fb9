#include "merkle/rescue_constants.h"

#include <memory>
#include <vector>

#include "merkle/goldilocks.h"

namespace tacit::merkle {
namespace {

#include "merkle/round_constants.inc"

/// The transpose of R, where [I | R] is the reduced echelon form of the 12 x 24 matrix of powers g^(i j).
void derive_dense_matrix(RoundConstants::Half (&matrix)[kStateWords]) {
  namespace field = goldilocks;
  constexpr std::size_t kRows = kStateWords, kColumns = 2 * kStateWords;
  std::vector<std::vector<std::uint64_t>> v(kRows, std::vector<std::uint64_t>(kColumns));
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) v[i][j] = field::power(field::kGenerator, i * j);
  for (std::size_t pivot = 0; pivot < kRows; ++pivot) {  // the leading square is a Vandermonde matrix: pivots are not 0
    const std::uint64_t scale = field::inverse(v[pivot][pivot]);
    for (std::uint64_t& entry : v[pivot]) entry = field::multiply(entry, scale);
    for (std::size_t row = 0; row < kRows; ++row) {
      if (row == pivot) continue;
      const std::uint64_t factor = v[row][pivot];
      for (std::size_t j = 0; j < kColumns; ++j)
        v[row][j] = field::subtract(v[row][j], field::multiply(factor, v[pivot][j]));
    }
  }
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kRows; ++j) matrix[i][j] = field::canonical(v[j][kRows + i]);
}

std::unique_ptr<const RoundConstants> make(Variant variant) {
  auto constants = std::make_unique<RoundConstants>();  // all zero
  std::copy(&kFirstHalf[0][0], &kFirstHalf[0][0] + kRounds * kStateWords, &constants->first[0][0]);
  std::copy(&kSecondHalf[0][0], &kSecondHalf[0][0] + kRounds * kStateWords, &constants->second[0][0]);
  constants->circulant = variant == Variant::c;
  if (constants->circulant) {
    for (std::size_t i = 0; i < kStateWords; ++i)
      for (std::size_t j = 0; j < kStateWords; ++j)
        constants->matrix[i][j] = kCirculant[(j + kStateWords - i) % kStateWords];
  } else {
    derive_dense_matrix(constants->matrix);
  }
  for (std::size_t i = 0; i < kStateWords; ++i)
    for (std::size_t j = 0; j < kStateWords; ++j) {
      const std::uint64_t entry = constants->matrix[i][j];
      constants->matrix48[i][j] = entry & ((std::uint64_t{1} << 48) - 1);
      constants->matrix16[i][j] = entry >> 48;
      constants->matrix22[0][i][j] = entry & ((std::uint64_t{1} << 22) - 1);
      constants->matrix22[1][i][j] = entry >> 22 & ((std::uint64_t{1} << 21) - 1);
      constants->matrix22[2][i][j] = entry >> 43;
      constants->column[j][i] = entry;
      constants->column48[j][i] = constants->matrix48[i][j];
      constants->column16[j][i] = constants->matrix16[i][j];
    }
  return constants;
}

}  // namespace

const RoundConstants& round_constants(Variant variant) {
  static const std::unique_ptr<const RoundConstants> a = make(Variant::a), c = make(Variant::c);
  return variant == Variant::a ? *a : *c;
}

}  // namespace tacit::merkle
