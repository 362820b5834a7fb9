#pragma once

#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/kernels.h"

// Included only by files compiled for AVX-512 IFMA.
namespace tacit::ring::simd {
namespace {

/// Lanes that a vector of a permuted run takes, by the multiplier modulo 8 and what the offset adds to its upper bits.
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

/// A permutation of a run (limb::permute), from the side of the words that are read. Positions that differ in their
/// last three bits alone, reversed the first three, stay together.
class VectorPermutation {
 public:
  /// Of n words, n a power of two from 8 to kPermutedWords.
  TACIT_INLINE VectorPermutation(AffineMap map, std::size_t n)
      : patterns_(kLanePatterns.of[map.multiplier / 2 % 4]),
        multiplier_(map.multiplier),
        offset_(map.offset),
        log_vectors_(static_cast<std::size_t>(__builtin_ctzll(n / 8))) {
    // Newton's iteration doubles the correct bits, of which an odd number has three to begin with.
    std::size_t inverse = multiplier_;
    for (int bits = 3; bits < static_cast<int>(kLogPermutedWords); bits *= 2) inverse *= 2 - multiplier_ * inverse;
    inverse_ = inverse;
  }
  /// Where vector `from` of what is read goes, and which of its words each lane takes.
  struct Move {
    std::size_t to;
    const Word* lanes;
  };
  TACIT_INLINE Move move(std::size_t from) const {
    const std::size_t shift = kLogPermutedWords - log_vectors_, last = (std::size_t{1} << log_vectors_) - 1;
    const std::size_t position = ((kReversals.of[from] >> shift) - offset_) * inverse_ & last;
    const std::size_t read = offset_ + multiplier_ * position;
    return {8 * (static_cast<std::size_t>(kReversals.of[position]) >> shift), patterns_[read >> log_vectors_ & 7]};
  }

 private:
  const Word (&patterns_)[8][8];
  std::size_t multiplier_, offset_, log_vectors_, inverse_ = 1;
};

}  // namespace
}  // namespace tacit::ring::simd
