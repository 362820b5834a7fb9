#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/destination.h"
#include "ring/modulus.h"
#include "ring/simd/kernels.h"

/// Element-wise operations on one limb: n words modulo one prime, n a multiple of 8. Words are canonical in [0, q) in
/// and out. `out` may equal an input. Each operation is dispatched once to AVX-512 IFMA, AVX2 or portable code; all
/// give equal bits.
namespace tacit::ring::limb {

void add(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q);
void sub(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q);
void negate(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const Modulus& q);
void multiply(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q);
/// out = out + a * b
void multiply_add(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const Modulus& q);
/// out = a * w, w in [0, q)
void multiply_scalar(std::uint64_t* out, const std::uint64_t* a, std::uint64_t w, std::size_t n, const Modulus& q);
/// out = (a - b) * w: the last step of a rescale or mod-down.
void sub_multiply_scalar(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t w,
                         std::size_t n, const Modulus& q);
/// out = a + w, w in [0, q)
void add_scalar(std::uint64_t* out, const std::uint64_t* a, std::uint64_t w, std::size_t n, const Modulus& q);
using simd::FactorRow;

/// Returns a row with `word` at every position: 2^63 positions read it. `word` must outlive the row.
inline FactorRow constant(const std::uint64_t& word) { return {&word, 63}; }

/// Computes out = sum over i of a[i] * b[i], with one reduction at the end (104-bit accumulation, any count). The sizes
/// of `a` and `b` are equal. Here and in dot_pair, one factor may have words as NttTables::forward_block_lazy gives
/// them. The other factor is then canonical, and no output is an input.
void dot(std::uint64_t* out, std::span<const FactorRow> a, std::span<const std::uint64_t* const> b, std::size_t n,
         const Modulus& q);
/// Computes the same with b0 and b1. It reads `a` once.
void dot_pair(std::uint64_t* out0, std::uint64_t* out1, std::span<const FactorRow> a,
              std::span<const std::uint64_t* const> b0, std::span<const std::uint64_t* const> b1, std::size_t n,
              const Modulus& q);
/// Computes several pairs with the same b0 and b1. The factors of pair p begin at a[p * b0.size()], and its sums are
/// out[2 p] and out[2 p + 1]. b0 and b1 are read once for pairs_together() pairs. This requires that all factors repeat
/// equally often and that a pair has at most 2,048 factors.
void dot_pairs(std::span<std::uint64_t* const> out, std::span<const FactorRow> a,
               std::span<const std::uint64_t* const> b0, std::span<const std::uint64_t* const> b1, std::size_t n,
               const Modulus& q);
std::size_t pairs_together();
using simd::AffineMap;
using simd::kPermutedWords;

/// Applies an automorphism in the NTT domain to a run of n words, n a power of two from 8 to kPermutedWords. With y =
/// map.multiplier * x + map.offset modulo n, `out` at the reversal of x is `a` at the reversal of y. `out` must not
/// alias `a`.
void permute(Destination out, const std::uint64_t* a, AffineMap map, std::size_t n);
/// out[i] = a[i]
void copy(Destination out, const std::uint64_t* a, std::size_t n);
/// Fetches n words into the second cache. The words may be past the end of their array.
inline void prefetch(const std::uint64_t* words, std::size_t n) {
  constexpr int kRead = 0, kSecondCache = 2;
  for (std::size_t i = 0; i < n; i += 8) __builtin_prefetch(words + i, kRead, kSecondCache);
}
/// Converts residues modulo `from` to residues modulo `to`. Values are centred in (-from/2, from/2].
void switch_modulus_centered(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const Modulus& from,
                             const Modulus& to);

}  // namespace tacit::ring::limb
