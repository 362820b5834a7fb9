#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "ring/rns_poly.h"
#include "scheme/ckks/keys.h"
#include "scheme/rlwe/digits.h"
#include "scheme/rlwe/division.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::ckks {

/// The term rotate((<digits, key> + P_level (c0, 0)), r), extended. The Galois key's automorphism is the rotation by r.
struct RotatedTerm {
  const rlwe::Digits* digits = nullptr;  ///< at the level of the sum
  const GaloisKey* key = nullptr;
  const ring::NttPoly* c0 = nullptr;  ///< null for nothing
};

/// Adds one row of every term to the row's n words of both halves. One row of all terms is made at once, so that its
/// totals stay in the second cache.
void add_rotated(const rlwe::ModulusChain& chain, int level, std::span<const RotatedTerm> terms, std::size_t row,
                 std::uint64_t* total0, std::uint64_t* total1);

/// Writes one extended row of both halves. It is called once per row, from several threads.
using RowStart = std::function<void(std::size_t row, std::uint64_t* total0, std::uint64_t* total1)>;

/// Divides start + the sum of the terms with rounding. The keys must reach the level.
void divide_rotated_sum(const rlwe::ModulusChain& chain, int level, const RowStart& start,
                        std::span<const RotatedTerm> terms, rlwe::Divisor divisor, const rlwe::RunSink& sink);

}  // namespace tacit::scheme::ckks
