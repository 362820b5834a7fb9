#include "ring/simd/avx2_vector.h"
#include "ring/simd/fft_blocks.h"

namespace tacit::ring::simd {
namespace {

struct Lanes {
  using V = __m256d;
  using Words = __m256i;
  static constexpr std::size_t kWidth = 4;

  static TACIT_INLINE V load(const double* p) { return _mm256_loadu_pd(p); }
  static TACIT_INLINE void store(double* p, V x) { _mm256_storeu_pd(p, x); }
  static TACIT_INLINE V broadcast(double x) { return _mm256_set1_pd(x); }
  static TACIT_INLINE V add(V a, V b) { return _mm256_add_pd(a, b); }
  static TACIT_INLINE V sub(V a, V b) { return _mm256_sub_pd(a, b); }
  static TACIT_INLINE V mul(V a, V b) { return _mm256_mul_pd(a, b); }
  static TACIT_INLINE V madd(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static TACIT_INLINE V nmadd(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }

  static TACIT_INLINE Words load_words(const std::uint64_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const Words*>(p));
  }
  static TACIT_INLINE void store_words(std::uint64_t* p, Words x) {
    _mm256_storeu_si256(reinterpret_cast<Words*>(p), x);
  }
  static TACIT_INLINE Words broadcast_word(std::uint64_t w) { return _mm256_set1_epi64x(static_cast<long long>(w)); }
  static TACIT_INLINE Words add_words(Words a, Words b) { return _mm256_add_epi64(a, b); }
  static TACIT_INLINE Words sub_words(Words a, Words b) { return _mm256_sub_epi64(a, b); }
  static TACIT_INLINE V digit_bits(Words x, unsigned shift, Words mask) {
    const Words low = _mm256_and_si256(_mm256_srl_epi64(x, _mm_cvtsi32_si128(static_cast<int>(shift))), mask);
    return _mm256_castsi256_pd(_mm256_or_si256(low, _mm256_castpd_si256(_mm256_set1_pd(0x1p52))));
  }
  /// In two halves of 32 bits, each through the bits of 1.5 * 2^52 plus it.
  static TACIT_INLINE Words fractions_times_two64(V x) {
    const V fraction = _mm256_sub_pd(x, _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    const V scaled = _mm256_mul_pd(fraction, _mm256_set1_pd(0x1p32));
    const V high = _mm256_round_pd(scaled, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const V low = _mm256_mul_pd(_mm256_sub_pd(scaled, high), _mm256_set1_pd(0x1p32));
    return _mm256_add_epi64(_mm256_slli_epi64(whole(high), 32), whole(low));
  }
  static TACIT_INLINE Words whole(V x) {
    const V middle = _mm256_set1_pd(0x1.8p52);
    return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(x, middle)), _mm256_castpd_si256(middle));
  }

  static TACIT_INLINE void transpose(const double* from, double* to) {
    V x[4];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) x[i] = load(from + i * kGroupWords);
    simd::transpose(x);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) store(to + i * kGroupWords, x[i]);
  }
  /// Eight rows of eight, kGroupWords apart, in place.
  static TACIT_INLINE void transpose_plane(double* plane) {
    constexpr std::size_t kBelow = 4 * kGroupWords, kBeside = 4;
    double corner[4 * kGroupWords];
    transpose(plane, plane);
    transpose(plane + kBelow + kBeside, plane + kBelow + kBeside);
    transpose(plane + kBeside, corner);
    transpose(plane + kBelow, plane + kBeside);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) store(plane + kBelow + i * kGroupWords, load(corner + i * kGroupWords));
  }
};

constexpr std::size_t kTileVectors = 4, kTileOuts = 2;

/// A tile of `Outs` vectors by kTileVectors columns of eight.
template <std::size_t Outs>
TACIT_INLINE void subtract_tile(const DigitProducts& p, std::size_t m, std::size_t column) {
  const auto at = [](auto* words) { return reinterpret_cast<__m256i*>(const_cast<std::uint32_t*>(words)); };
  __m256i sum[Outs][kTileVectors];
  for (std::size_t o = 0; o < Outs; ++o)
    for (std::size_t v = 0; v < kTileVectors; ++v)
      sum[o][v] = _mm256_loadu_si256(at(p.out + (m + o) * p.out_stride + column + 8 * v));
  const std::uint32_t* key = p.key + column / kTorusColumns * p.tile_stride + column % kTorusColumns;
  const std::int32_t* const digits = p.digits + m * p.digit_stride;
  for (std::size_t r = 0; r < p.rows; ++r, key += kTorusColumns)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kTileVectors; ++v) {
      const __m256i row = _mm256_loadu_si256(at(key + 8 * v));
#pragma GCC unroll 2
      for (std::size_t o = 0; o < Outs; ++o)
        sum[o][v] =
            _mm256_sub_epi32(sum[o][v], _mm256_mullo_epi32(row, _mm256_set1_epi32(digits[o * p.digit_stride + r])));
    }
  for (std::size_t o = 0; o < Outs; ++o)
    for (std::size_t v = 0; v < kTileVectors; ++v)
      _mm256_storeu_si256(at(p.out + (m + o) * p.out_stride + column + 8 * v), sum[o][v]);
}

void subtract_digit_products(const DigitProducts& p) {
  for (std::size_t column = 0; column < p.columns; column += kTorusColumns / 2) {
    std::size_t m = 0;
    for (; m + kTileOuts <= p.count; m += kTileOuts) subtract_tile<kTileOuts>(p, m, column);
    for (; m < p.count; ++m) subtract_tile<1>(p, m, column);
  }
}

}  // namespace

const FftKernels kAvx2Fft = fft_kernels_of<Lanes>(subtract_digit_products);

}  // namespace tacit::ring::simd
