#pragma once

#include <immintrin.h>

#include "ring/simd/modulus_words.h"

// Included only by files compiled for AVX2 and FMA. Everything has internal linkage, so that no other file can be
// linked to code that this instruction set leaked into.
namespace tacit::ring::simd {
namespace {

using Word = std::uint64_t;
using Vector = __m256i;
using Real = __m256d;

#define TACIT_INLINE inline __attribute__((always_inline))

TACIT_INLINE Vector load(const Word* p) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(p)); }
TACIT_INLINE void store(Word* p, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(p), v); }
TACIT_INLINE Vector broadcast(Word w) { return _mm256_set1_epi64x(static_cast<long long>(w)); }

TACIT_INLINE Real load_real(const Word* p) { return _mm256_castsi256_pd(load(p)); }
TACIT_INLINE void store_real(Word* p, Real x) { store(p, _mm256_castpd_si256(x)); }
TACIT_INLINE Real broadcast_real(const Word* p) { return _mm256_castsi256_pd(broadcast(*p)); }

/// Convert words below 2^52 to exact doubles and back, through the bits of 2^52 + word.
TACIT_INLINE Real to_real(Vector v) {
  const Real two52 = _mm256_set1_pd(0x1p52);
  return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(v, _mm256_castpd_si256(two52))), two52);
}
TACIT_INLINE Vector to_words(Real x) {
  const Real two52 = _mm256_set1_pd(0x1p52);
  return _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(x, two52)), _mm256_castpd_si256(two52));
}
TACIT_INLINE Real nearest(Real x) { return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

/// Transposes the 4 x 4 matrix of four registers.
TACIT_INLINE void transpose(Real (&r)[4]) {
  const Real a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
  const Real c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
  r[0] = _mm256_permute2f128_pd(a, c, 0x20);
  r[1] = _mm256_permute2f128_pd(b, d, 0x20);
  r[2] = _mm256_permute2f128_pd(a, c, 0x31);
  r[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

/// Arithmetic of one prime on integers held as doubles, exact below 2^53 in size. A fused multiply-add gives the high
/// and low parts of a product, and the nearest quotient is subtracted.
struct RealField {
  Real q, inverse;

  TACIT_INLINE explicit RealField(const ModulusWords& m)
      : q(_mm256_set1_pd(static_cast<double>(static_cast<std::int64_t>(m.q)))),
        inverse(_mm256_set1_pd(1.0 / static_cast<double>(static_cast<std::int64_t>(m.q)))) {}

  /// Returns a * w mod q, of size at most (1/2 + |a| / 2^52) q, for w in [0, q), |a| <= 2^53. `w_ratio` is w / q,
  /// rounded.
  TACIT_INLINE Real multiply(Real a, Real w, Real w_ratio) const {
    const Real high = _mm256_mul_pd(a, w);
    const Real low = _mm256_fmsub_pd(a, w, high);
    const Real quotient = nearest(_mm256_mul_pd(a, w_ratio));
    return _mm256_add_pd(_mm256_fnmadd_pd(quotient, q, high), low);
  }
  /// Returns a * b mod q, of size at most 7/8 q, for |a| and b below 2^50.
  TACIT_INLINE Real multiply(Real a, Real b) const {
    const Real high = _mm256_mul_pd(a, b);
    const Real low = _mm256_fmsub_pd(a, b, high);
    const Real quotient = nearest(_mm256_mul_pd(high, inverse));
    return _mm256_add_pd(_mm256_fnmadd_pd(quotient, q, high), low);
  }
  /// Returns a mod q, of size slightly above q / 2 at most, for |a| <= 2^53.
  TACIT_INLINE Real reduce(Real a) const { return _mm256_fnmadd_pd(nearest(_mm256_mul_pd(a, inverse)), q, a); }
  /// Lifts |a| < q to [0, q).
  TACIT_INLINE Real lift(Real a) const {
    return _mm256_add_pd(a, _mm256_and_pd(q, _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_LT_OQ)));
  }
  /// Converts |a| <= 2^53 to a canonical word.
  TACIT_INLINE Vector canonical(Real a) const { return to_words(lift(reduce(a))); }
};

}  // namespace
}  // namespace tacit::ring::simd
