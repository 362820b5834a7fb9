#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/fft_blocks.h"

namespace tacit::ring::simd {
namespace {

struct Lanes {
  using V = __m512d;
  using Words = __m512i;
  static constexpr std::size_t kWidth = 8;

  static TACIT_INLINE V load(const double* p) { return _mm512_loadu_pd(p); }
  static TACIT_INLINE void store(double* p, V x) { _mm512_storeu_pd(p, x); }
  static TACIT_INLINE V broadcast(double x) { return _mm512_set1_pd(x); }
  static TACIT_INLINE V add(V a, V b) { return _mm512_add_pd(a, b); }
  static TACIT_INLINE V sub(V a, V b) { return _mm512_sub_pd(a, b); }
  static TACIT_INLINE V mul(V a, V b) { return _mm512_mul_pd(a, b); }
  static TACIT_INLINE V madd(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static TACIT_INLINE V nmadd(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }

  static TACIT_INLINE Words load_words(const std::uint64_t* p) { return _mm512_loadu_si512(p); }
  static TACIT_INLINE void store_words(std::uint64_t* p, Words x) { _mm512_storeu_si512(p, x); }
  static TACIT_INLINE Words broadcast_word(std::uint64_t w) { return _mm512_set1_epi64(static_cast<long long>(w)); }
  static TACIT_INLINE Words add_words(Words a, Words b) { return _mm512_add_epi64(a, b); }
  static TACIT_INLINE Words sub_words(Words a, Words b) { return _mm512_sub_epi64(a, b); }
  static TACIT_INLINE V digit_bits(Words x, unsigned shift, Words mask) {
    const Words two52 = _mm512_castpd_si512(_mm512_set1_pd(0x1p52));
    constexpr int kAndOr = 0xEA;  // (x and mask) or two52
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
        _mm512_srl_epi64(x, _mm_cvtsi32_si128(static_cast<int>(shift))), mask, two52, kAndOr));
  }
  static TACIT_INLINE Words fractions_times_two64(V x) {
    return _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_reduce_pd(x, 0), _mm512_set1_pd(0x1p64)));
  }

  /// 8 x 8, in place.
  static TACIT_INLINE void transpose(V* x) { simd::transpose(reinterpret_cast<Vector*>(x)); }
};

constexpr std::size_t kTileVectors = 4, kTileOuts = 6;

/// A tile of `Outs` vectors by kTileVectors columns of sixteen.
template <std::size_t Outs>
TACIT_INLINE void subtract_tile(const DigitProducts& p, std::size_t m, std::size_t column) {
  __m512i sum[Outs][kTileVectors];
  for (std::size_t o = 0; o < Outs; ++o)
    for (std::size_t v = 0; v < kTileVectors; ++v)
      sum[o][v] = _mm512_loadu_si512(p.out + (m + o) * p.out_stride + column + 16 * v);
  const std::uint32_t* key = p.key + column / kTorusColumns * p.tile_stride + column % kTorusColumns;
  const std::int32_t* const digits = p.digits + m * p.digit_stride;
  for (std::size_t r = 0; r < p.rows; ++r, key += kTorusColumns) {
    __m512i row[kTileVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kTileVectors; ++v) row[v] = _mm512_loadu_si512(key + 16 * v);
#pragma GCC unroll 6
    for (std::size_t o = 0; o < Outs; ++o) {
      const __m512i digit = _mm512_set1_epi32(digits[o * p.digit_stride + r]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kTileVectors; ++v)
        sum[o][v] = _mm512_sub_epi32(sum[o][v], _mm512_mullo_epi32(row[v], digit));
    }
  }
  for (std::size_t o = 0; o < Outs; ++o)
    for (std::size_t v = 0; v < kTileVectors; ++v)
      _mm512_storeu_si512(p.out + (m + o) * p.out_stride + column + 16 * v, sum[o][v]);
}

void subtract_digit_products(const DigitProducts& p) {
  for (std::size_t column = 0; column < p.columns; column += kTorusColumns) {
    std::size_t m = 0;
    for (; m + kTileOuts <= p.count; m += kTileOuts) subtract_tile<kTileOuts>(p, m, column);
    for (; m + 2 <= p.count; m += 2) subtract_tile<2>(p, m, column);
    for (; m < p.count; ++m) subtract_tile<1>(p, m, column);
  }
}

}  // namespace

const FftKernels kAvx512IfmaFft = fft_kernels_of<Lanes>(subtract_digit_products);

}  // namespace tacit::ring::simd
