#pragma once

#include "ring/simd/fft_passes.h"

// The passes on blocks of 64 points, which stay in registers or the nearest cache, and the products between them. A
// block is eight rows of eight points. It takes a radix-8 step across the rows, a transposition, and a radix-8 step
// across the former columns. Place 8 v + r of a spectrum's block then holds leaf 8 r + v of the tree.
namespace tacit::ring::simd {
namespace {

/// Calls step(x, half) for the eight vectors of every part of a block, `half` of a group. `in` and `out` may be the
/// same.
template <class L, class Step>
TACIT_INLINE void each_half(const double* in, double* out, const Step& step) {
  for (std::size_t half = 0; half < kGroup; half += L::kWidth) {
    Points<L, 8> x;
    load_legs<L, 8>(x, in + half, kGroupWords);
    step(x, half);
    store_legs<L, 8>(x, out + half, kGroupWords);
  }
}

/// Transforms a block; `in` and `out` may be the same.
template <class L>
TACIT_INLINE void forward_block(const double* in, double* out, const double* factors) {
  each_half<L>(
      in, out, [&](Points<L, 8> & x, std::size_t) __attribute__((always_inline)) {
        twist<L, 8>(x, Broadcast<L>{factors});
        dft8<L>(x);
        if constexpr (L::kWidth == kGroup) {
          L::transpose(x.re);
          L::transpose(x.im);
          twist<L, 8>(x, PerLane<L>{factors + kFftBlockLanes});
          dft8<L>(x);
        }
      });
  if constexpr (L::kWidth < kGroup) {
    L::transpose_plane(out);
    L::transpose_plane(out + kGroup);
    each_half<L>(
        out, out, [&](Points<L, 8> & x, std::size_t half) __attribute__((always_inline)) {
          twist<L, 8>(x, PerLane<L>{factors + kFftBlockLanes + half});
          dft8<L>(x);
        });
  }
}

template <class L>
TACIT_INLINE void inverse_block(Points<L, 8>& x, const double* factors, double* out) {
  static_assert(L::kWidth == kGroup);
  idft8<L>(x);
  untwist<L, 8>(x, PerLane<L>{factors + kFftBlockLanes});
  L::transpose(x.re);
  L::transpose(x.im);
  idft8<L>(x);
  untwist<L, 8>(x, Broadcast<L>{factors});
  store_legs<L, 8>(x, out, kGroupWords);
}
/// Inverts a block in place, with narrower vectors.
template <class L>
TACIT_INLINE void inverse_block(double* block, const double* factors) {
  each_half<L>(
      block, block, [&](Points<L, 8> & x, std::size_t half) __attribute__((always_inline)) {
        idft8<L>(x);
        untwist<L, 8>(x, PerLane<L>{factors + kFftBlockLanes + half});
      });
  L::transpose_plane(block);
  L::transpose_plane(block + kGroup);
  each_half<L>(
      block, block, [&](Points<L, 8> & x, std::size_t) __attribute__((always_inline)) {
        idft8<L>(x);
        untwist<L, 8>(x, Broadcast<L>{factors});
      });
}

template <class L>
void finish(const FftTables& t, double* values) {
  for (std::size_t at = 0; at < 2 * t.points; at += kFftBlockWords)
    forward_block<L>(values + at, values + at, t.blocks + at);
}

/// Adds the products of rows of blocks with one column of the key, `half` of every group.
template <class L>
TACIT_INLINE void block_products(Points<L, 8>& sum, const double* rows, std::size_t row_count, const double* key,
                                 std::size_t key_stride, std::size_t half) {
#pragma GCC unroll 8
  for (int v = 0; v < 8; ++v) sum.re[v] = sum.im[v] = L::broadcast(0);
  for (std::size_t r = 0; r < row_count; ++r, rows += kFftBlockWords, key += key_stride) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 8; ++v) {
      const auto re = L::load(rows + v * kGroupWords + half), im = L::load(rows + v * kGroupWords + kGroup + half);
      const auto key_re = L::load(key + v * kGroupWords + half);
      const auto key_im = L::load(key + v * kGroupWords + kGroup + half);
      sum.re[v] = L::nmadd(im, key_im, L::madd(re, key_re, sum.re[v]));
      sum.im[v] = L::madd(im, key_re, L::madd(re, key_im, sum.im[v]));
    }
  }
}

template <class L>
void products(const FftTables& t, const double* const* rows, std::size_t row_count, const double* key,
              double* const* columns, std::size_t column_count, const double* next) {
  alignas(64) double digits[kMostFftRows * kFftBlockWords];
  for (std::size_t at = 0; at < 2 * t.points; at += kFftBlockWords) {
    const double* const factors = t.blocks + at;
    for (std::size_t r = 0; r < row_count; ++r) forward_block<L>(rows[r] + at, digits + r * kFftBlockWords, factors);
    for (std::size_t c = 0; c < column_count; ++c) {
      if (next) {
        constexpr std::size_t kLine = 8;
        for (std::size_t i = 0; i < row_count * kFftBlockWords; i += kLine) __builtin_prefetch(next + i, 0, 2);
        next += row_count * kFftBlockWords;
      }
      const double* const part = key + c * kFftBlockWords;
      for (std::size_t half = 0; half < kGroup; half += L::kWidth) {
        Points<L, 8> sum;
        block_products<L>(sum, digits, row_count, part, column_count * kFftBlockWords, half);
        if constexpr (L::kWidth == kGroup)
          inverse_block<L>(sum, factors, columns[c] + at);
        else
          store_legs<L, 8>(sum, columns[c] + at + half, kGroupWords);
      }
      if constexpr (L::kWidth < kGroup) inverse_block<L>(columns[c] + at, factors);
    }
    key += row_count * column_count * kFftBlockWords;
  }
}

template <class L>
constexpr FftKernels fft_kernels_of(void (*subtract_digit_products)(const DigitProducts&)) {
  return {begin_digits<L>, begin_reals<L>, finish<L>, products<L>, add_words<L>, subtract_digit_products};
}

}  // namespace
}  // namespace tacit::ring::simd
