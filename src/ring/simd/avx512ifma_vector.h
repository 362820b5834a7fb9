#pragma once

#include <immintrin.h>

#include "ring/simd/modulus_words.h"

// Included only by files compiled for AVX-512 IFMA. Everything has internal linkage, so that no other file can be
// linked to code that this instruction set leaked into.
namespace tacit::ring::simd {
namespace {

using Word = std::uint64_t;
using Vector = __m512i;

#define TACIT_INLINE inline __attribute__((always_inline))

/// Arithmetic of one prime. IFMA reads the low 52 bits of its factors. Values therefore are modulo 2^52 with garbage
/// above ("dirty") until they are compared or stored for others. q < 2^50 leaves a window of at least 4 q.
struct Field {
  Vector q, neg_q, two_q, ratio, mask, zero;

  TACIT_INLINE explicit Field(const ModulusWords& m)
      : q(_mm512_set1_epi64(static_cast<long long>(m.q))),
        neg_q(_mm512_set1_epi64(-static_cast<long long>(m.q))),
        two_q(_mm512_set1_epi64(static_cast<long long>(2 * m.q))),
        ratio(_mm512_set1_epi64(static_cast<long long>(m.ratio52))),
        mask(_mm512_set1_epi64((1LL << 52) - 1)),
        zero(_mm512_setzero_si512()) {}

  /// Returns a * w + start in [0, 2q) + start, dirty (Shoup; Harvey 2014, section 2). Any a; `start` a multiple of q.
  TACIT_INLINE Vector multiply_lazy(Vector a, Vector w, Vector w_shoup, Vector start) const {
    const Vector quotient = _mm512_madd52hi_epu64(zero, a, w_shoup);
    return _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(start, a, w), quotient, neg_q);
  }
  /// Reduces a mod 2^52 to [0, 2q) - offset * q, dirty; below q (1 + a frac(2^52 / q) / 2^52). `offset` is a small
  /// integer.
  TACIT_INLINE Vector barrett(Vector a, Vector offset) const {
    return _mm512_madd52lo_epu64(a, _mm512_madd52hi_epu64(offset, a, ratio), neg_q);
  }
  /// Folds `a` in [0, 2^51 + 2q), dirty, to [q, 2^51 + q) for q below 2^50. It adds q below 2^51 and subtracts q above,
  /// by instructions that do not wait for the multipliers.
  TACIT_INLINE Vector fold(Vector a) const {
    const Vector high = _mm512_srai_epi64(_mm512_slli_epi64(a, 12), 63);
    return _mm512_add_epi64(a, _mm512_ternarylogic_epi64(high, neg_q, q, 0xCA));
  }
  TACIT_INLINE Vector clean(Vector a) const { return _mm512_and_si512(a, mask); }
  /// Reduces clean `a` in [0, 2 bound) to [0, bound).
  TACIT_INLINE Vector below(Vector a, Vector bound) const { return _mm512_min_epu64(a, _mm512_sub_epi64(a, bound)); }
  /// Reduces dirty `a` in [0, 2q) to [0, q).
  TACIT_INLINE Vector canonical2(Vector a) const { return below(clean(a), q); }
  /// Reduces dirty `a` in [0, 4q) to [0, q).
  TACIT_INLINE Vector canonical4(Vector a) const { return below(below(clean(a), two_q), q); }
};

TACIT_INLINE Vector load(const Word* p) { return _mm512_loadu_si512(p); }
/// Loads a register for two instructions to read. Otherwise the compiler makes both read memory.
TACIT_INLINE Vector load_once(const Word* p) {
  Vector v = load(p);
  __asm__("" : "+v"(v));
  return v;
}
TACIT_INLINE void store(Word* p, Vector v) { _mm512_storeu_si512(p, v); }
/// Stores around the caches, to a whole cache line; base::parallel_for orders the store.
TACIT_INLINE void stream(Word* p, Vector v) { _mm512_stream_si512(reinterpret_cast<__m512i*>(p), v); }
TACIT_INLINE Vector broadcast(Word w) { return _mm512_set1_epi64(static_cast<long long>(w)); }

/// Transposes the 8 x 8 matrix of eight registers.
TACIT_INLINE void transpose(Vector* r) {
  const Vector a0 = _mm512_unpacklo_epi64(r[0], r[1]), a1 = _mm512_unpackhi_epi64(r[0], r[1]);
  const Vector a2 = _mm512_unpacklo_epi64(r[2], r[3]), a3 = _mm512_unpackhi_epi64(r[2], r[3]);
  const Vector a4 = _mm512_unpacklo_epi64(r[4], r[5]), a5 = _mm512_unpackhi_epi64(r[4], r[5]);
  const Vector a6 = _mm512_unpacklo_epi64(r[6], r[7]), a7 = _mm512_unpackhi_epi64(r[6], r[7]);
  const Vector b0 = _mm512_shuffle_i64x2(a0, a2, 0x44), b1 = _mm512_shuffle_i64x2(a0, a2, 0xEE);
  const Vector b2 = _mm512_shuffle_i64x2(a4, a6, 0x44), b3 = _mm512_shuffle_i64x2(a4, a6, 0xEE);
  const Vector c0 = _mm512_shuffle_i64x2(a1, a3, 0x44), c1 = _mm512_shuffle_i64x2(a1, a3, 0xEE);
  const Vector c2 = _mm512_shuffle_i64x2(a5, a7, 0x44), c3 = _mm512_shuffle_i64x2(a5, a7, 0xEE);
  r[0] = _mm512_shuffle_i64x2(b0, b2, 0x88);
  r[2] = _mm512_shuffle_i64x2(b0, b2, 0xDD);
  r[4] = _mm512_shuffle_i64x2(b1, b3, 0x88);
  r[6] = _mm512_shuffle_i64x2(b1, b3, 0xDD);
  r[1] = _mm512_shuffle_i64x2(c0, c2, 0x88);
  r[3] = _mm512_shuffle_i64x2(c0, c2, 0xDD);
  r[5] = _mm512_shuffle_i64x2(c1, c3, 0x88);
  r[7] = _mm512_shuffle_i64x2(c1, c3, 0xDD);
}

/// Barrett reduction of whole 64-bit words, modulo q of 20 bits or more.
struct WideBarrett {
  Vector ratio, shift;

  TACIT_INLINE explicit WideBarrett(const ModulusWords& m) : ratio(broadcast(m.mu)), shift(broadcast(m.bits - 13)) {}

  /// Reduces to [0, 2q), dirty.
  TACIT_INLINE Vector reduce_lazy(const Field& f, Vector x) const {
    // x / 2^12 times 2^(b + 51) / q is the quotient times 2^(b + 39). With b >= 20 its roundings leave less than 2 q.
    const Vector scaled = _mm512_madd52hi_epu64(f.zero, _mm512_srli_epi64(x, 12), ratio);
    return _mm512_madd52lo_epu64(x, _mm512_srlv_epi64(scaled, shift), f.neg_q);
  }
};

}  // namespace
}  // namespace tacit::ring::simd
