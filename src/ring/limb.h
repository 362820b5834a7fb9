#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/destination.h"
#include "ring/modulus.h"
#include "ring/simd/kernels.h"

/// Element-wise operations on one limb: n words modulo one prime, canonical in [0, q) in and out, n a multiple of 8.
/// `out` may equal an input. Each is dispatched once to AVX-512 IFMA, AVX2 or portable code; all give equal bits.
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

/// `word`, which must outlive it, at every position of a row: 2^63 positions read it.
inline FactorRow constant(const std::uint64_t& word) { return {&word, 63}; }

/// out = sum over i of a[i] * b[i] (one reduction at the end; 104-bit accumulation, any count). a.size() == b.size().
/// Here and in dot_pair the words of one factor may be what NttTables::forward_block_lazy gives, where those of the
/// other are canonical, and no output is an input.
void dot(std::uint64_t* out, std::span<const FactorRow> a, std::span<const std::uint64_t* const> b, std::size_t n,
         const Modulus& q);
/// The same with b0 and b1, reading `a` once.
void dot_pair(std::uint64_t* out0, std::uint64_t* out1, std::span<const FactorRow> a,
              std::span<const std::uint64_t* const> b0, std::span<const std::uint64_t* const> b1, std::size_t n,
              const Modulus& q);
/// Several of these of the same b0 and b1: the factors of pair p begin at a[p * b0.size()], and its sums are out[2 p]
/// and out[2 p + 1]. b0 and b1 are read once for pairs_together() pairs where all factors repeat equally often and
/// are at most 2,048 a pair.
void dot_pairs(std::span<std::uint64_t* const> out, std::span<const FactorRow> a,
               std::span<const std::uint64_t* const> b0, std::span<const std::uint64_t* const> b1, std::size_t n,
               const Modulus& q);
std::size_t pairs_together();
using simd::AffineMap;
using simd::kPermutedWords;

/// An automorphism in the NTT domain on a run of n words, n a power of two from 8 to kPermutedWords: out at the
/// reversal of x is a at the reversal of map.multiplier * x + map.offset modulo n. out must not alias a.
void permute(Destination out, const std::uint64_t* a, AffineMap map, std::size_t n);
/// out[i] = a[i]
void copy(Destination out, const std::uint64_t* a, std::size_t n);
/// Fetches n words, which may lie past the end of what they belong to, into the second cache.
inline void prefetch(const std::uint64_t* words, std::size_t n) {
  constexpr int kRead = 0, kSecondCache = 2;
  for (std::size_t i = 0; i < n; i += 8) __builtin_prefetch(words + i, kRead, kSecondCache);
}
/// Residues modulo `from` to residues modulo `to`, values taken as centred in (-from/2, from/2].
void switch_modulus_centered(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const Modulus& from,
                             const Modulus& to);

}  // namespace tacit::ring::limb
