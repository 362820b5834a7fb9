#pragma once

#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/kernels.h"

// Included only by files compiled for AVX-512 IFMA and VAES.
namespace tacit::ring::simd {
namespace {

constexpr int kRounds = 10;

/// The counters of the blocks, in the low halves.
struct Counters {
  alignas(64) Word words[kUniformTile] = {};
  constexpr Counters() {
    for (std::size_t i = 0; i < kUniformTile; i += 2) words[i] = i / 2;
  }
};
constexpr Counters kCounters;

/// Returns the least draw that is rejected.
TACIT_INLINE Word rejected(const UniformWords& words) { return (words.multiple * words.modulus.q) << words.shift; }

/// Makes the draws of word `at`: the first one, then the replacement if it is rejected, and so on.
inline Word one_draw(const UniformWords& words, std::size_t at, Word draw) {
  const auto* keys = reinterpret_cast<const __m128i*>(words.round_keys);
  __m128i x = _mm_set_epi64x(static_cast<long long>(words.row ^ words.tweak[1]),
                             static_cast<long long>((at / 2 + (draw << 32)) ^ words.tweak[0]));
  x = _mm_xor_si128(x, _mm_loadu_si128(keys));
  for (int r = 1; r < kRounds; ++r) x = _mm_aesenc_si128(x, _mm_loadu_si128(keys + r));
  x = _mm_aesenclast_si128(x, _mm_loadu_si128(keys + kRounds));
  return static_cast<Word>(at % 2 == 0 ? _mm_cvtsi128_si64(x) : _mm_extract_epi64(x, 1));
}

/// Returns the words x of [at, at + 8) with other draws for the rejected ones. Calls are rare, so that it keeps nothing
/// in memory and reads its inputs again.
__attribute__((noinline)) Vector redrawn(const UniformWords& words, std::size_t at, Vector x) {
  alignas(64) Word draws[8];
  store(draws, x);
  for (std::size_t i = 0; i < 8; ++i)
    for (Word draw = 1; draws[i] >= rejected(words); ++draw) draws[i] = one_draw(words, at + i, draw);
  return load(draws);
}

/// The rows of one seed half: draws, and their reduction.
class Draws {
 public:
  TACIT_INLINE explicit Draws(const UniformWords& words) : words_(words) {}

  /// Makes draws of words [at, at + 8 kCount) that are not rejected; `at` is a multiple of their number. Ciphers and
  /// reductions use different ports: `between` is called with 0 … 8 once after each round but the last.
  template <std::size_t kCount, class Between>
  TACIT_INLINE void draw(std::size_t at, Vector (&x)[kCount], const Between& between) const {
    // The counter's low bits are zero here, and the others are the same for all blocks.
    const Vector mask =
        _mm512_mask_blend_epi64(kLow, broadcast(words_.row ^ words_.tweak[1]), broadcast(words_.tweak[0] ^ (at / 2)));
    const Vector start = _mm512_xor_si512(mask, key(0));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kCount; ++v) x[v] = _mm512_xor_si512(start, load(kCounters.words + 8 * v));
#pragma GCC unroll 10
    for (int r = 1; r < kRounds; ++r) {
#pragma GCC unroll 8
      for (Vector& lane : x) lane = _mm512_aesenc_epi128(lane, key(r));
      between(static_cast<std::size_t>(r - 1));
    }
    Vector most = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kCount; ++v) {
      x[v] = _mm512_aesenclast_epi128(x[v], key(kRounds));
      most = _mm512_max_epu32(most, x[v]);  // of 64 bits it would wait for the ciphers' ports
    }
    const Vector high_of_end = broadcast(rejected(words_) >> 32 << 32);
    if (__builtin_expect(_mm512_cmpge_epu64_mask(most, high_of_end) != 0, 0)) {
      for (std::size_t v = 0; v < kCount; ++v) x[v] = redrawn(words_, at + 8 * v, x[v]);
    }
  }
  /// Reduces eight draws to words in [0, q); `f` is the field of q.
  TACIT_INLINE Vector reduce(const Field& f, Vector x) const { return f.canonical2(reduce_lazy(f, x)); }
  /// Reduces draws to [0, 2q), dirty.
  TACIT_INLINE Vector reduce_lazy(const Field& f, Vector x) const { return f.barrett(shifted(x), f.zero); }
  /// Returns eight draws below 2^52. They are in [0, q) if their bound is q itself.
  TACIT_INLINE Vector shifted(Vector x) const {
    return _mm512_srl_epi64(x, _mm_cvtsi32_si128(static_cast<int>(words_.shift)));
  }

 private:
  static constexpr __mmask8 kLow = 0x55;  ///< the low halves of four blocks

  TACIT_INLINE Vector key(int round) const {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words_.round_keys) + round));
  }

  const UniformWords& words_;
};

}  // namespace
}  // namespace tacit::ring::simd
