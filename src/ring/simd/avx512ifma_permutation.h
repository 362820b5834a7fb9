#pragma once

#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/kernels.h"

// Included only by files compiled for AVX-512 IFMA.
namespace tacit::ring::simd {
namespace {

/// The lanes that a vector of a permuted run takes, by the multiplier modulo 8 and the offset's addition to its upper
/// bits.
struct LanePatterns {
  alignas(64) Word of[4][8][8] = {};
  constexpr LanePatterns() {
    constexpr std::size_t kReversed[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (std::size_t odd = 0; odd < 4; ++odd)
      for (std::size_t carry = 0; carry < 8; ++carry)
        for (std::size_t lane = 0; lane < 8; ++lane)
          of[odd][carry][lane] = kReversed[((2 * odd + 1) * kReversed[lane] + carry) % 8];
  }
};
constexpr LanePatterns kLanePatterns;

/// A permutation of a run (limb::permute), from the side of the words that are read. Positions that differ only in
/// their last three bits, reversed the first three, stay together. All moves are computed at once, 32 at a time,
/// because the kernels have no instructions to spare for them.
class VectorPermutation {
 public:
  /// Prepares the permutation of n words, n a power of two from 8 to kPermutedWords.
  TACIT_INLINE VectorPermutation(AffineMap map, std::size_t n) : patterns_(kLanePatterns.of[map.multiplier / 2 % 4]) {
    // Newton's iteration doubles the correct bits, of which an odd number has three to begin with.
    std::size_t inverse = map.multiplier;
    for (int bits = 3; bits < static_cast<int>(kLogPermutedWords); bits *= 2) inverse *= 2 - map.multiplier * inverse;
    // Positions and multiples count modulo n, and 16 bits hold that.
    static_assert(kMostVectors == 64 && kLogPermutedWords <= 16);
    const auto word16 = [](std::size_t x) __attribute__((always_inline)) {
      return _mm512_set1_epi16(static_cast<short>(x));
    };
    const auto log_vectors = static_cast<unsigned>(__builtin_ctzll(n / 8));
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(kLogPermutedWords - log_vectors));
    const __m128i carry = _mm_cvtsi32_si128(static_cast<int>(log_vectors));
    const Vector reversals[2] = {_mm512_loadu_si512(kReversals.of), _mm512_loadu_si512(kReversals.of + 32)};
#pragma GCC unroll 2
    for (std::size_t half = 0; half < 2; ++half) {
      const Vector from = _mm512_srl_epi16(reversals[half], shift);
      const Vector moved = _mm512_mullo_epi16(_mm512_sub_epi16(from, word16(map.offset)), word16(inverse));
      const Vector position = _mm512_and_si512(moved, word16(n / 8 - 1));
      const Vector read = _mm512_add_epi16(word16(map.offset), _mm512_mullo_epi16(word16(map.multiplier), position));
      const Vector to = _mm512_permutex2var_epi16(reversals[0], position, reversals[1]);
      _mm512_store_si512(to_ + 32 * half, _mm512_srl_epi16(to, shift));
      _mm512_store_si512(pattern_ + 32 * half, _mm512_and_si512(_mm512_srl_epi16(read, carry), word16(7)));
    }
  }
  /// The destination of input vector `from`, and the input word of each lane.
  struct Move {
    std::size_t to;
    const Word* lanes;
  };
  TACIT_INLINE Move move(std::size_t from) const { return {std::size_t{8} * to_[from], patterns_[pattern_[from]]}; }

 private:
  static constexpr std::size_t kMostVectors = kPermutedWords / 8;

  const Word (&patterns_)[8][8];
  alignas(64) std::uint16_t to_[kMostVectors], pattern_[kMostVectors];
};

}  // namespace
}  // namespace tacit::ring::simd
