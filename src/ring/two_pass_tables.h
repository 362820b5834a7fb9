#pragma once

#include <cstddef>
#include <cstdint>

#include "ring/modulus.h"

namespace tacit::ring {

/// The words of the tables of the two-pass NTT, n >= 256.
struct TwoPassShape {
  std::size_t rows = 0;
  std::size_t twist = 0;
};
TwoPassShape two_pass_shape(std::size_t n);

/// Fills the tables for the last eight stages, in rows of 256 words. `psi` is a primitive 2n-th root, or its inverse
/// for the inverse transform. The evaluations are at shift * psi^(2 brv + 1). Let C = n / 256 and psi^e = shift *
/// psi^(2 brv(r) + 1), brv on log2 C bits. The entry of row r holds
/// - for each half h, over eight lanes l: s = factor * psi^(e (8h + l)), its companion, s * w, its companion. w is the
///   root of the row's first stage. Scaling element 16k + j of the row by psi^(e j) makes the rest cyclic.
/// - from kRowScaleWords: the roots 2^t + u, u < 2^t, of the row's stages t = 1, 2, 3, and 16 words on the companions.
///
/// The twist, the same for all rows, holds
/// - for each half h and j < 16, over lanes l: psi^(2 C brv4(8h + l) j) and its companion.
/// - from kTwistWords: the roots of the cyclic 16-point transform, and 16 words on their companions.
void fill_two_pass(const Modulus& q, std::size_t n, std::uint64_t psi, std::uint64_t shift, std::uint64_t factor,
                   std::uint64_t* rows, std::uint64_t* twist);

}  // namespace tacit::ring
