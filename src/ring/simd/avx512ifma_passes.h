#pragma once

#include "ring/simd/avx512ifma_stages.h"
#include "ring/simd/kernels.h"

// The transform for N >= 256 takes two passes over memory, each with a few register-blocked steps of radix up to 16.
// The first pass moves columns through a contiguous scratch. The second works on blocks of rows of 256 that stay in the
// first cache. Within a row, the first stage also scales by powers of the row's root. The first radix-16 step and one
// constant twist follow. The second radix-16 step is then the same cyclic 16-point transform for every block. The
// tables thus stay small enough for the cache.
namespace tacit::ring::simd {
namespace {

/// Calls `run` with the policy for this prime and processor.
template <bool kForward, class Run>
void with_policy(const NttWords& words, const Run& run) {
  if (words.modulus.bits < 48) return run(Policy<32, false>());
  if (words.modulus.bits < 50) return run(Policy<8, false>());
  if constexpr (kForward) {
    if (words.modulus.ratio52 >= 5) return run(Policy<5, false>());
  }
  words.scarce_multipliers ? run(Policy<4, true>()) : run(Policy<4, false>());
}

/// Returns the corrections of a row step's later stages, as a mask.
template <class P>
constexpr unsigned row_mask() {
  unsigned mask = 0;
  for (int stage = 1; stage < 4; ++stage)
    if (P::corrects_row(stage)) mask |= 1u << stage;
  return mask;
}

/// Returns kRowBias * q, the start of a row step's products.
template <class P>
TACIT_INLINE Vector row_bias(const Field& f) {
  constexpr int kBias = P::kRowBias;
  return kBias == 3 ? _mm512_add_epi64(f.two_q, f.q) : times(f.q, kBias);
}

/// The number of rows whose tables are fetched ahead: the tables of all primes together exceed the caches.
constexpr std::size_t kRowsAhead = 4;

/// Computes the first four of a row's eight stages, with the scaling that makes the rest cyclic. Input below 2^52,
/// dirty.
template <class P>
__attribute__((noinline)) void forward_row_first(Word* row, const Word* roots, const Field& f) {
  const Vector minus_bias = broadcast(Word{0} - P::kRowStageBias);
  const Vector bias = row_bias<P>(f);
#pragma GCC unroll 1
  for (std::size_t half = 0; half < 2; ++half) {
    Vector x[16];
    gather(x, row + 8 * half, 16);
    prefetch<kRowWords / 16>(roots, kRowsAhead * kRowWords + half * (kRowWords / 2));
    const Word* scale = roots + 32 * half;
    const Vector s = load(scale), s_shoup = load(scale + 8), w = load(scale + 16), w_shoup = load(scale + 24);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const Vector u = f.multiply_lazy(x[k], s, s_shoup, bias);
      const Vector t = f.multiply_lazy(x[k + 8], w, w_shoup, f.neg_q);
      x[k] = _mm512_add_epi64(u, t);
      x[k + 8] = _mm512_sub_epi64(u, t);
    }
    forward_stages<P, 4, 1, row_mask<P>()>({x}, roots + kRowScaleWords, roots + kRowScaleWords + 16, 1, f, minus_bias);
    scatter(x, row + 8 * half, 16);
  }
}

/// Computes the last four stages: the twist and a cyclic 16-point transform of each block. Output is canonical, or
/// dirty with kLazy. The tiles from next_tile on are prefetched here, because this step takes most time and its tables
/// are near.
template <class P, bool kLazy = false>
__attribute__((noinline)) void forward_row_last(Word* row, const Word* twist, const Field& f,
                                                const Word* next_tile = nullptr, std::size_t tile_stride = 0) {
  const Vector minus_bias = broadcast(Word{0} - P::kRowStageBias);
  const Vector bias = row_bias<P>(f);
#pragma GCC unroll 1
  for (std::size_t half = 0; half < 2; ++half) {
    Vector x[16];
    load_blocks(x, row + 128 * half);
    if (next_tile != nullptr) {
#pragma GCC unroll 4
      for (std::size_t t = 4 * half; t < 4 * half + 4; ++t) prefetch<4>(next_tile, t * tile_stride);
    }
    const Word* factor = twist + 256 * half;
    x[0] = f.barrett(x[0], broadcast(Word{0} - P::kRowBias));
#pragma GCC unroll 16
    for (int j = 1; j < 16; ++j)
      x[j] = f.multiply_lazy(x[j], load(factor + 16 * j), load(factor + 16 * j + 8), j < 8 ? bias : f.neg_q);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const Vector u = x[k], t = x[k + 8];
      x[k] = _mm512_add_epi64(u, t);
      x[k + 8] = _mm512_sub_epi64(u, t);
    }
    forward_stages<P, 4, 1, row_mask<P>(), !kLazy, true>({x}, twist + kTwistWords, twist + kTwistWords + 16, 1, f,
                                                         minus_bias);
    if constexpr (!kLazy) {
#pragma GCC unroll 16
      for (int j = 0; j < 16; ++j) x[j] = P::kWindow <= 8 ? f.canonical4(x[j]) : f.canonical2(f.barrett(x[j], f.zero));
    }
    store_blocks(x, row + 128 * half);
  }
}

/// Inverts one row, from `from` to `row`, which may be the same. Input is canonical. Output is below kEntry q and
/// dirty, or canonical if the row is the whole polynomial.
template <class P, bool kWhole>
__attribute__((noinline)) void inverse_row(const Word* from, Word* row, const Word* roots, const Word* twist,
                                           const Field& f) {
#pragma GCC unroll 1
  for (std::size_t half = 0; half < 2; ++half) {
    Vector x[16];
    load_blocks(x, from + 128 * half);
    prefetch<kRowWords / 16>(roots, kRowsAhead * kRowWords + half * (kRowWords / 2));
    inverse_stages<P, 4, 1, 1, true>({x}, twist + kTwistWords, twist + kTwistWords + 16, 1, f);
    constexpr InverseBounds<4, P::kWindow, 1, true> kBounds;
    const Word* factor = twist + 256 * half;
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const Vector u = x[k], t = x[k + 8];
      const Vector sum = _mm512_add_epi64(u, t);
      const Vector difference = _mm512_sub_epi64(_mm512_add_epi64(u, times(f.q, kBounds.offset[3][k + 8])), t);
      x[k] = k == 0 ? f.barrett(sum, f.zero)
                    : f.multiply_lazy(sum, load(factor + 16 * k), load(factor + 16 * k + 8), f.zero);
      x[k + 8] = f.multiply_lazy(difference, load(factor + 16 * k + 128), load(factor + 16 * k + 136), f.zero);
    }
    store_blocks(x, row + 128 * half);
  }
#pragma GCC unroll 1
  for (std::size_t half = 0; half < 2; ++half) {
    Vector x[16];
    gather(x, row + 8 * half, 16);
    inverse_stages<P, 4, 1, 2>({x}, roots + kRowScaleWords, roots + kRowScaleWords + 16, 1, f);
    constexpr InverseBounds<4, P::kWindow, 2> kBounds;
    const Word* scale = roots + 32 * half;
    const Vector s = load(scale), s_shoup = load(scale + 8), w = load(scale + 16), w_shoup = load(scale + 24);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const Vector u = x[k], t = x[k + 8];
      const Vector sum = _mm512_add_epi64(u, t);
      const Vector difference = _mm512_sub_epi64(_mm512_add_epi64(u, times(f.q, kBounds.offset[3][k + 8])), t);
      x[k] = f.multiply_lazy(sum, s, s_shoup, f.zero);
      x[k + 8] = f.multiply_lazy(difference, w, w_shoup, f.zero);
    }
    if (kWhole) {
#pragma GCC unroll 16
      for (int k = 0; k < 16; ++k) x[k] = f.canonical2(x[k]);
    }
    scatter(x, row + 8 * half, 16);
  }
  static_assert(P::kEntry >= 2);
}

constexpr std::size_t kRow = kTwoPassRow;

/// Returns the stages of first .. first + count - 1 that correct, as a mask. Stage 0 reads words below 2 q and only
/// adds.
template <class P>
constexpr unsigned column_mask(int first, int count) {
  unsigned mask = 0;
  for (int stage = 0; stage < count; ++stage)
    if (first + stage > 0 && P::corrects_column(first + stage)) mask |= 1u << stage;
  return mask;
}

/// The columns of two neighbouring registers. They go through a step together, so that both lines of a pair are read
/// while they are near.
constexpr std::size_t kPair = 16;

/// Computes one forward step of radix 2^kLog on 16 columns, after kStage stages, in block `group` of its stage.
template <class P, int kLog, int kStage, bool kStream = false>
TACIT_INLINE void forward_column_step(const Word* from, std::size_t from_stride, Word* to, std::size_t to_stride,
                                      std::size_t group, const NttWords& words, const Field& f, Vector minus_bias) {
  Vector x[1 << kLog], y[1 << kLog];
  gather(x, from, from_stride);
  gather(y, from + 8, from_stride);
  if (kStage == 0) {
    const Vector bias = _mm512_madd52lo_epu64(f.zero, minus_bias, f.neg_q);
#pragma GCC unroll 8
    for (int k = 0; k < 1 << (kLog - 1); ++k) {
      x[k] = _mm512_add_epi64(x[k], bias);
      y[k] = _mm512_add_epi64(y[k], bias);
    }
  }
  const std::size_t index = (std::size_t{1} << kStage) + group;
  constexpr unsigned kMask = column_mask<P>(kStage, kLog);
  forward_stages<P, kLog, 0, kMask>({x, y}, words.root, words.root_shoup, index, f, minus_bias);
  scatter<kStream>(x, to, to_stride);
  scatter<kStream>(y, to + 8, to_stride);
}

template <class P, int kLog, int kStage, bool kStream = false>
TACIT_INLINE void inverse_column_step(const Word* from, std::size_t from_stride, Word* to, std::size_t to_stride,
                                      std::size_t group, const NttWords& words, const Field& f) {
  constexpr InverseBounds<kLog, P::kWindow, P::kEntry> kBounds;
  const std::size_t index = (std::size_t{1} << kStage) + group;
  Vector x[1 << kLog], y[1 << kLog];
  gather(x, from, from_stride);
  gather(y, from + 8, from_stride);
  inverse_stages<P, kLog, 0, P::kEntry>({x, y}, words.inverse_root, words.inverse_root_shoup, index, f);
#pragma GCC unroll 16
  for (int k = 0; k < 1 << kLog; ++k) {
    if (kBounds.output[k] > (kStage == 0 ? 2 : P::kEntry)) {
      x[k] = f.barrett(x[k], f.zero);
      y[k] = f.barrett(y[k], f.zero);
    }
    if (kStage == 0) {
      x[k] = f.canonical2(x[k]);
      y[k] = f.canonical2(y[k]);
    }
  }
  scatter<kStream>(x, to, to_stride);
  scatter<kStream>(y, to + 8, to_stride);
}

/// The number of columns that go through the first stages together. The runs are long enough for the prefetchers and
/// small enough for the first cache.
constexpr std::size_t kColumns = kTileColumns;

}  // namespace
}  // namespace tacit::ring::simd
