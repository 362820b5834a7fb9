#include <immintrin.h>

#include "merkle/goldilocks.h"
#include "merkle/simd/permutation.h"

namespace tacit::merkle::simd {
namespace {

/// Four states, one a 64-bit lane.
struct Lanes {
  using Word = __m256i;
  using Integer = Word;
  static constexpr int kLanes = 4, kGroup = 4;
  static constexpr std::size_t kFewest = 3;
  static void permute_one(const RoundConstants& constants, std::uint64_t* state) {
    kPortableKernels.permute(constants, state, 1);  // one state's chain of squarings leaves these vectors idle
  }

  static Word zero() { return _mm256_setzero_si256(); }
  static Word load(const std::uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const Word*>(from)); }
  static void store(std::uint64_t* to, Word a) { _mm256_store_si256(reinterpret_cast<Word*>(to), canonical(a)); }
  static Word broadcast(std::uint64_t a) { return _mm256_set1_epi64x(static_cast<long long>(a)); }
  static Word plus(Word a, Word b) { return _mm256_add_epi64(a, b); }
  static Word minus(Word a, Word b) { return _mm256_sub_epi64(a, b); }
  template <int kBits>
  static Word shift_left(Word a) {
    return _mm256_slli_epi64(a, kBits);
  }
  static Word negative(Word a) { return minus(zero(), a); }
  static Word low_part(Word a) { return low_half(a); }
  static Word high_part(Word a) { return high_half(a); }
  static Word low_half(Word a) { return _mm256_blend_epi32(a, zero(), 0xaa); }
  static Word high_half(Word a) { return _mm256_srli_epi64(a, 32); }
  /// The set only compares signed: unsigned words are compared with their top bits flipped.
  static Word flip(Word a) { return _mm256_xor_si256(a, broadcast(std::uint64_t{1} << 63)); }

  /// low + middle 2^64 - top 2^64 2^32, where middle is the low half of its word and top is below 2^62; `flipped` is
  /// low with its top bit flipped.
  static Word reduce_flipped(Word flipped, Word middle, Word top) {
    const Word difference = minus(flipped, top);
    const Word borrow = high_half(_mm256_cmpgt_epi64(difference, flipped));  // 2^32 - 1 where it wrapped
    const Word corrected = minus(difference, borrow);
    const Word sum = plus(corrected, _mm256_mul_epu32(middle, broadcast(goldilocks::kEpsilon)));
    return flip(plus(sum, high_half(_mm256_cmpgt_epi64(corrected, sum))));
  }
  static Word square(Word a) {
    const Word high = high_half(a);
    const Word ll = _mm256_mul_epu32(a, a), lh = _mm256_mul_epu32(a, high), hh = _mm256_mul_epu32(high, high);
    // lh < 2^64 - 2^33 + 2, so that the sum does not wrap.
    const Word cross = plus(lh, _mm256_srli_epi64(ll, 33));
    const Word upper = plus(hh, _mm256_srli_epi64(cross, 31));
    return reduce_flipped(flip(plus(ll, shift_left<33>(lh))), upper, high_half(upper));
  }
  static Word multiply(Word a, Word b) {
    const Word ah = high_half(a), bh = high_half(b);
    const Word ll = _mm256_mul_epu32(a, b), lh = _mm256_mul_epu32(a, bh), hl = _mm256_mul_epu32(ah, b),
               hh = _mm256_mul_epu32(ah, bh);
    const Word first = plus(hl, high_half(ll)), second = plus(lh, low_half(first));
    const Word upper = plus(plus(hh, high_half(first)), high_half(second));
    const Word lower = _mm256_blend_epi32(ll, shift_left<32>(second), 0xaa);
    return reduce_flipped(flip(lower), upper, high_half(upper));
  }
  static Word canonical(Word a) {
    const Word below = _mm256_cmpgt_epi64(broadcast(goldilocks::kModulus ^ std::uint64_t{1} << 63), flip(a));
    return minus(a, _mm256_andnot_si256(below, broadcast(goldilocks::kModulus)));
  }
  /// low + high 2^32 + added for parts below 2^40.
  static Word sum_of_parts(Word low, Word high, std::uint64_t added) {
    low = plus(low, broadcast(added & goldilocks::kEpsilon));
    high = plus(high, broadcast(added >> 32));
    const Word shifted = flip(shift_left<32>(high));
    const Word sum = plus(plus(low, _mm256_mul_epu32(high_half(high), broadcast(goldilocks::kEpsilon))), shifted);
    return flip(plus(sum, high_half(_mm256_cmpgt_epi64(shifted, sum))));
  }
  static void dense_product(const RoundConstants& constants, const RoundConstants::Half& added, Word* state) {
    Word high[kStateWords], result[kStateWords];
    for (int j = 0; j < kStateWords; ++j) high[j] = high_half(state[j]);
    for (int i = 0; i < kStateWords; ++i) {
      // Products of 32 by at most 22 bits: twelve of them stay below 2^58. They weigh 2^0, 2^22, 2^43 and 2^32 times
      // that.
      Word low[3], up[3];
      low[0] = broadcast(added[i] & goldilocks::kEpsilon);
      up[0] = broadcast(added[i] >> 32);
      low[1] = low[2] = up[1] = up[2] = zero();
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 12
        for (int j = 0; j < kStateWords; ++j) {
          const Word factor = broadcast(constants.matrix22[k][i][j]);
          low[k] = plus(low[k], _mm256_mul_epu32(state[j], factor));
          up[k] = plus(up[k], _mm256_mul_epu32(high[j], factor));
        }
      }
      result[i] = gather_pieces(low, up);
    }
    std::copy(result, result + kStateWords, state);
  }

 private:
  /// low[0] + low[1] 2^22 + low[2] 2^43 + 2^32 (up[0] + up[1] 2^22 + up[2] 2^43), all below 2^59.
  static Word gather_pieces(const Word* low, const Word* up) {
    const Word half = broadcast(goldilocks::kEpsilon);
    const auto add32 = [&](Word* digit, Word word, int shift) {  // word 2^shift, shift < 32, into digits of 32 bits
      const Word shifted = _mm256_slli_epi64(_mm256_and_si256(word, half), shift);
      const Word rest = _mm256_slli_epi64(high_half(word), shift);  // below 2^27 before, 2^59 after
      digit[0] = plus(digit[0], _mm256_and_si256(shifted, half));
      digit[1] = plus(digit[1], plus(high_half(shifted), _mm256_and_si256(rest, half)));
      digit[2] = plus(digit[2], high_half(rest));
    };
    Word digit[5] = {zero(), zero(), zero(), zero(), zero()};
    add32(digit, low[0], 0);
    add32(digit, low[1], 22);
    add32(digit + 1, low[2], 11);
    add32(digit + 1, up[0], 0);
    add32(digit + 1, up[1], 22);
    add32(digit + 2, up[2], 11);
    for (int k = 0; k < 4; ++k) {
      digit[k + 1] = plus(digit[k + 1], high_half(digit[k]));
      digit[k] = _mm256_and_si256(digit[k], half);
    }
    // 2^96 = -1 and 2^128 = -2^32: what weighs 2^96 is subtracted, with the last digit 32 bits further up.
    return reduce_flipped(flip(plus(digit[0], shift_left<32>(digit[1]))), digit[2],
                          plus(digit[3], shift_left<32>(digit[4])));
  }
};

}  // namespace

const Kernels kAvx2Kernels{permute_states<Lanes>, merge_pairs<Lanes>};

}  // namespace tacit::merkle::simd
