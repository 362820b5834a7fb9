#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ring/limb.h"
#include "ring/uniform_row.h"

namespace tacit::ring {

/// A product of two rows, and of the first one with a uniform row.
struct UniformTerm {
  const std::uint64_t* left = nullptr;   ///< in [0, q), or as NttTables::forward_block_lazy gives it
  const std::uint64_t* right = nullptr;  ///< in [0, q)
  const UniformRow* uniform = nullptr;   ///< modulo the same q
};
using simd::ProductTerm;

/// Computes two sums, divided by 2^52 modulo q, both in [0, q):
/// - out0: the sum of left * right over `terms`, and of the products more[0]
/// - out1: the sum of left * uniform over `terms`, and of the products more[1]
///
/// The division (Montgomery 1985) is cheaper than a reduction. A caller that wants the sums themselves holds one factor
/// of each product times 2^52 (Modulus::times_two52). The uniform words begin at `at`; all other rows begin with the
/// first of the n words. n and `at` are multiples of 8. The factors of `more` are in [0, q). No output is an input.
/// `next` are runs of n words that the caller reads afterwards; they are prefetched meanwhile.
///
/// With a permutation the results are permuted as by limb::permute. They are then words whose low 52 bits are congruent
/// to the results, as limb::dot takes them. n is then a power of two from 8 to kPermutedWords.
void uniform_dot_pair(std::uint64_t* out0, std::uint64_t* out1, std::span<const UniformTerm> terms,
                      const std::array<std::span<const ProductTerm>, 2>& more, std::size_t at, std::size_t n,
                      const Modulus& q, std::span<const std::uint64_t* const> next,
                      const limb::AffineMap* permutation = nullptr);

}  // namespace tacit::ring
