#pragma once

#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/kernels.h"

// Included only by files compiled for AVX-512 IFMA and VAES.
namespace tacit::ring::simd {
namespace {

constexpr int kRounds = 10;

/// Counters of their blocks, in the low halves.
struct Counters {
  alignas(64) Word words[kUniformTile] = {};
  constexpr Counters() {
    for (std::size_t i = 0; i < kUniformTile; i += 2) words[i] = i / 2;
  }
};
constexpr Counters kCounters;

/// The rows of one seed half: draws, and their reduction.
class Draws {
 public:
  explicit Draws(const UniformWords& words)
      : keys_(reinterpret_cast<const __m128i*>(words.round_keys)),
        row_(words.row ^ words.tweak[1]),
        tweak_(words.tweak[0]),
        end_((words.multiple * words.modulus.q) << words.shift),
        shift_(_mm_cvtsi32_si128(static_cast<int>(words.shift))),
        field_(words.modulus) {}

  /// Draws of words [at, at + 8 kCount) that are not rejected; `at` is a multiple of their number. Ciphers and
  /// reductions use different ports: `between` is called with 0 … 8 once after each round but the last.
  template <std::size_t kCount, class Between>
  TACIT_INLINE void draw(std::size_t at, Vector (&x)[kCount], const Between& between) const {
    // The counter's low bits are zero here, and the others are the same for all blocks.
    const Vector mask = _mm512_mask_blend_epi64(kLow, broadcast(row_), broadcast(tweak_ ^ (at / 2)));
    const Vector start = _mm512_xor_si512(mask, key(0));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kCount; ++v) x[v] = _mm512_xor_si512(start, load(kCounters.words + 8 * v));
#pragma GCC unroll 10
    for (int r = 1; r < kRounds; ++r) {
#pragma GCC unroll 8
      for (Vector& lane : x) lane = _mm512_aesenc_epi128(lane, key(r));
      between(static_cast<std::size_t>(r - 1));
    }
    Vector most = field_.zero;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kCount; ++v) {
      x[v] = _mm512_aesenclast_epi128(x[v], key(kRounds));
      most = _mm512_max_epu32(most, x[v]);  // of 64 bits it would wait for the ciphers' ports
    }
    const Vector high_of_end = broadcast(end_ >> 32 << 32);
    if (__builtin_expect(_mm512_cmpge_epu64_mask(most, high_of_end) != 0, 0)) {
      for (std::size_t v = 0; v < kCount; ++v) x[v] = redrawn(at + 8 * v, x[v]);
    }
  }
  /// Eight draws to words in [0, q).
  TACIT_INLINE Vector reduce(Vector x) const { return field_.canonical2(reduce_lazy(x)); }
  /// The same in [0, 2q), dirty.
  TACIT_INLINE Vector reduce_lazy(Vector x) const { return field_.barrett(shifted(x), field_.zero); }
  /// Eight draws below 2^52, and in [0, q) where the multiple of q that they are below is q itself.
  TACIT_INLINE Vector shifted(Vector x) const { return _mm512_srl_epi64(x, shift_); }

 private:
  static constexpr __mmask8 kLow = 0x55;  ///< the low halves of four blocks

  __attribute__((noinline)) Vector redrawn(std::size_t at, Vector x) const {
    alignas(64) Word words[8];
    store(words, x);
    for (std::size_t i = 0; i < 8; ++i)
      for (Word draw = 1; words[i] >= end_; ++draw) words[i] = one(at + i, draw);
    return load(words);
  }
  Word one(std::size_t at, Word draw) const {
    __m128i x = _mm_set_epi64x(static_cast<long long>(row_), static_cast<long long>((at / 2 + (draw << 32)) ^ tweak_));
    x = _mm_xor_si128(x, _mm_loadu_si128(keys_));
    for (int r = 1; r < kRounds; ++r) x = _mm_aesenc_si128(x, _mm_loadu_si128(keys_ + r));
    x = _mm_aesenclast_si128(x, _mm_loadu_si128(keys_ + kRounds));
    return static_cast<Word>(at % 2 == 0 ? _mm_cvtsi128_si64(x) : _mm_extract_epi64(x, 1));
  }

  TACIT_INLINE Vector key(int round) const { return _mm512_broadcast_i32x4(_mm_loadu_si128(keys_ + round)); }

  const __m128i* keys_;
  Word row_, tweak_, end_;
  __m128i shift_;
  Field field_;
};

}  // namespace
}  // namespace tacit::ring::simd
