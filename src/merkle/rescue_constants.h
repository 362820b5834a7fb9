#pragma once

#include <array>
#include <cstdint>

#include "merkle/variant.h"

namespace tacit::merkle {

inline constexpr int kRounds = 7;
inline constexpr int kStateWords = 12;

/// The numbers of one variant's permutation, canonical. The 168 round constants are those of every public
/// implementation of this hash. They follow no published rule, so that they are data (round_constants.inc). The dense
/// matrix is derived by the construction of the Rescue Prime paper (Szepieniec, Ashur, Dhooghe 2020, section 2.3).
struct alignas(64) RoundConstants {
  using Half = std::uint64_t[kStateWords];
  Half first[kRounds];   ///< added after x^7 and the matrix
  Half second[kRounds];  ///< added after x^(1/7) and the matrix
  Half matrix[kStateWords];
  /// The dense matrix in the pieces that kernels multiply by: 48 + 16 bits, and 22 + 21 + 21 bits.
  Half matrix48[kStateWords], matrix16[kStateWords];
  Half matrix22[3][kStateWords];
  /// The columns of the same matrix, for kernels that hold one state across lanes.
  Half column[kStateWords], column48[kStateWords], column16[kStateWords];
  bool circulant = false;  ///< row i is kCirculant rotated right by i
};

/// The first row of variant C's matrix.
inline constexpr std::array<std::uint64_t, kStateWords> kCirculant{7, 23, 8, 26, 13, 10, 9, 7, 6, 22, 21, 8};

/// Returns the constants, which are made once. Thread safe.
const RoundConstants& round_constants(Variant variant);

}  // namespace tacit::merkle
