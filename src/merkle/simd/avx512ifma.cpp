#include <immintrin.h>

#include "merkle/goldilocks.h"
#include "merkle/simd/permutation.h"

namespace tacit::merkle::simd {
namespace {

/// Eight states, one a 64-bit lane.
struct Lanes {
  using Word = __m512i;
  static constexpr int kLanes = 8, kGroup = 6;

  static Word zero() { return _mm512_setzero_si512(); }
  static Word load(const std::uint64_t* from) { return _mm512_load_si512(from); }
  static void store(std::uint64_t* to, Word a) { _mm512_store_si512(to, a); }
  static Word broadcast(std::uint64_t a) { return _mm512_set1_epi64(static_cast<long long>(a)); }
  static Word plus(Word a, Word b) { return _mm512_add_epi64(a, b); }
  static Word minus(Word a, Word b) { return _mm512_sub_epi64(a, b); }
  template <int kBits>
  static Word shift_left(Word a) { return _mm512_slli_epi64(a, kBits); }
  static Word low_half(Word a) { return _mm512_and_si512(a, broadcast(goldilocks::kEpsilon)); }
  static Word high_half(Word a) { return _mm512_srli_epi64(a, 32); }

  /// low + middle 2^64 - top 2^64 2^32, where middle is the low half of its word and top is below 2^62.
  static Word reduce(Word low, Word middle, Word top) {
    const Word epsilon = broadcast(goldilocks::kEpsilon);
    const Word difference = minus(low, top);
    const Word corrected =
        _mm512_mask_sub_epi64(difference, _mm512_cmplt_epu64_mask(low, top), difference, epsilon);
    const Word product = _mm512_mul_epu32(middle, epsilon), sum = plus(corrected, product);
    return _mm512_mask_add_epi64(sum, _mm512_cmplt_epu64_mask(sum, product), sum, epsilon);
  }
  static Word square(Word a) {
    const Word high = high_half(a);
    const Word ll = _mm512_mul_epu32(a, a), lh = _mm512_mul_epu32(a, high), hh = _mm512_mul_epu32(high, high);
    // lh < 2^64 - 2^33 + 2, so that the sum does not wrap.
    const Word cross = plus(lh, _mm512_srli_epi64(ll, 33));
    const Word upper = plus(hh, _mm512_srli_epi64(cross, 31));
    return reduce(plus(ll, shift_left<33>(lh)), upper, high_half(upper));
  }
  static Word multiply(Word a, Word b) {
    const Word ah = high_half(a), bh = high_half(b);
    const Word ll = _mm512_mul_epu32(a, b), lh = _mm512_mul_epu32(a, bh), hl = _mm512_mul_epu32(ah, b),
               hh = _mm512_mul_epu32(ah, bh);
    const Word first = plus(hl, high_half(ll)), second = plus(lh, low_half(first));
    const Word upper = plus(plus(hh, high_half(first)), high_half(second));
    const Word lower = _mm512_mask_shuffle_epi32(ll, 0xaaaa, second, _MM_PERM_CCAA);
    return reduce(lower, upper, high_half(upper));
  }
  static Word canonical(Word a) { return _mm512_min_epu64(a, minus(a, broadcast(goldilocks::kModulus))); }
  /// low + high 2^32 for sums below 2^41.
  static Word fold(Word low, Word high) {
    const Word epsilon = broadcast(goldilocks::kEpsilon), shifted = shift_left<32>(high);
    const Word sum = plus(plus(low, _mm512_mul_epu32(high_half(high), epsilon)), shifted);
    return _mm512_mask_add_epi64(sum, _mm512_cmplt_epu64_mask(sum, shifted), sum, epsilon);
  }
  static void dense_product(const RoundConstants& constants, const RoundConstants::Half& added, Word* state) {
    const Word mask52 = broadcast((std::uint64_t{1} << 52) - 1), none = zero();
    Word top[kStateWords], result[kStateWords];
    for (int j = 0; j < kStateWords; ++j) top[j] = _mm512_srli_epi64(state[j], 52);  // the low 52 bits need no mask
    for (int i = 0; i < kStateWords; i += 2) {
      Word w0[2], w52[2], w104[2];
#pragma GCC unroll 2
      for (int k = 0; k < 2; ++k) {
        w0[k] = _mm512_and_si512(broadcast(added[i + k]), mask52);
        w52[k] = broadcast(added[i + k] >> 52);
        w104[k] = none;
      }
#pragma GCC unroll 12
      for (int j = 0; j < kStateWords; ++j) {
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
          const Word low = broadcast(constants.matrix52[i + k][j]), high = broadcast(constants.matrix12[i + k][j]);
          w0[k] = _mm512_madd52lo_epu64(w0[k], state[j], low);
          w52[k] = _mm512_madd52hi_epu64(w52[k], state[j], low);
          w52[k] = _mm512_madd52lo_epu64(w52[k], state[j], high);
          w52[k] = _mm512_madd52lo_epu64(w52[k], top[j], low);
          w104[k] = _mm512_madd52hi_epu64(w104[k], state[j], high);
          w104[k] = _mm512_madd52hi_epu64(w104[k], top[j], low);
          w104[k] = _mm512_madd52lo_epu64(w104[k], top[j], high);
        }
      }
#pragma GCC unroll 2
      for (int k = 0; k < 2; ++k) {
        // w0 + w52 2^52 < 2^110, and 2^104 = -2^8: w104 < 2^29 joins what weighs 2^96.
        const Word low = plus(w0[k], shift_left<52>(w52[k]));
        const Word carried = _mm512_srli_epi64(w52[k], 12);
        const Word upper =
            _mm512_mask_add_epi64(carried, _mm512_cmplt_epu64_mask(low, w0[k]), carried, broadcast(1));
        result[i + k] = reduce(low, upper, plus(high_half(upper), shift_left<8>(w104[k])));
      }
    }
    std::copy(result, result + kStateWords, state);
  }
};

}  // namespace

const Kernels kAvx512IfmaKernels{permute_states<Lanes>, merge_pairs<Lanes>};

}  // namespace tacit::merkle::simd
