#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ring/limb.h"
#include "ring/uniform_row.h"

namespace tacit::ring {

/// A row times another and times a uniform one.
struct UniformTerm {
  const std::uint64_t* left = nullptr;   ///< in [0, q), or what NttTables::forward_block_lazy gives
  const std::uint64_t* right = nullptr;  ///< in [0, q)
  const UniformRow* uniform = nullptr;   ///< modulo the same q
};
using simd::ProductTerm;

/// out0 = the sum of left * right over `terms` and of the products more[0], divided by 2^52 modulo q; out1 = the sum of
/// left * uniform and of more[1], divided so; both in [0, q). The division (Montgomery 1985) is cheaper than a
/// reduction: whoever wants the sums holds one factor of each product times 2^52 (Modulus::times_two52). The uniform
/// words are those from `at` on; all other rows begin with the first of the n words. n and `at` are multiples of 8. The
/// factors of `more` are in [0, q). No output is an input. `next` are runs of n words that the caller reads afterwards:
/// they are prefetched meanwhile. With a permutation the results are permuted as by limb::permute, and are words whose
/// low 52 bits are congruent to them: what limb::dot takes; n is then a power of two from 8 to kPermutedWords.
void uniform_dot_pair(std::uint64_t* out0, std::uint64_t* out1, std::span<const UniformTerm> terms,
                      const std::array<std::span<const ProductTerm>, 2>& more, std::size_t at, std::size_t n,
                      const Modulus& q, std::span<const std::uint64_t* const> next,
                      const limb::AffineMap* permutation = nullptr);

}  // namespace tacit::ring
