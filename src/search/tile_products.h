#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/aligned.h"
#include "ring/ntt.h"
#include "search/expansion.h"

namespace tacit::search {

/// The sum over dimensions of one tile times one question: rows of c0 and c1.
struct TileSum {
  base::AlignedVector<std::uint64_t> c0, c1;
};

/// Multiplies tiles by expanded questions. A dimension's 4,096 int8 numbers are the coefficients of a polynomial. It is
/// transformed where it is used, and multiplied by the ciphertext of that dimension. The constant of the ciphertext
/// multiplies each coefficient, so the sum over dimensions holds one score in each coefficient. Thread safe.
class TileProducts {
 public:
  /// `ntt` is that of the only ciphertext prime, and must outlive this object.
  explicit TileProducts(const ring::NttTables& ntt) : ntt_(ntt) {}

  /// The most tiles that are multiplied together: ciphertexts are then fetched once for all of them.
  static constexpr std::size_t kTogether = 8;

  /// Computes the sums over dimensions [first, last) of 1 to kTogether tiles and every question, in the NTT domain.
  /// `sums[t * questions.size() + s]` belongs to tile t and question s. A tile has kTileNumbers numbers for each
  /// dimension, dimension by dimension. For one thread.
  void run(std::span<const std::int8_t* const> tiles, std::span<const ExpandedQuestion> questions, std::size_t first,
           std::size_t last, std::span<TileSum> sums) const;
  /// Transforms a sum to coefficients in [0, q), in place.
  void to_coefficients(TileSum& sum) const;

 private:
  const ring::NttTables& ntt_;
};

/// Writes int8 numbers as residues in [0, q). Branch free. The sizes are equal.
void residues_of(std::span<const std::int8_t> numbers, std::uint64_t q, std::uint64_t* out);

/// Adds -weight * (the sum of squares of each vector of a tile), rounded, to the coefficients of c0: the term -|v|^2 /
/// 2 of the metric euclid. Coefficients are in [0, q) before and after.
void subtract_squares(std::span<const std::int8_t> tile, double weight, const ring::Modulus& q, std::uint64_t* c0);
/// Returns the sum of squares of each vector of a tile.
void sums_of_squares(std::span<const std::int8_t> tile, std::span<std::uint32_t> squares);

}  // namespace tacit::search
