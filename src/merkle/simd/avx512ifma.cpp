#include <immintrin.h>

#include "merkle/goldilocks.h"
#include "merkle/simd/permutation.h"

namespace tacit::merkle::simd {
namespace {

/// Eight states, one a 64-bit lane.
struct Lanes {
  using Word = __m512i;
  static constexpr int kLanes = 8, kGroup = 6;
  static constexpr std::size_t kFewest = 5;

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
      for (int k = 0; k < 2; ++k) result[i + k] = sum_of_pieces(w0[k], w52[k], w104[k]);
    }
    std::copy(result, result + kStateWords, state);
  }
  /// w0 + w52 2^52 + w104 2^104 for sums of twelve products' pieces: 2^104 = -2^8, and w104 < 2^29 joins what weighs 2^96.
  static Word sum_of_pieces(Word w0, Word w52, Word w104) {
    const Word low = plus(w0, shift_left<52>(w52));
    const Word carried = _mm512_srli_epi64(w52, 12);
    const Word upper = _mm512_mask_add_epi64(carried, _mm512_cmplt_epu64_mask(low, w0), carried, broadcast(1));
    return reduce(low, upper, plus(high_half(upper), shift_left<8>(w104)));
  }
  static void permute_one(const RoundConstants& constants, std::uint64_t* state);
};

/// Four words of one state, one a 64-bit lane.
struct Quarter {
  using Word = __m256i;
  static Word broadcast(std::uint64_t a) { return _mm256_set1_epi64x(static_cast<long long>(a)); }
  static Word load(const std::uint64_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Word*>(from)); }
  static void store(std::uint64_t* to, Word a) { _mm256_storeu_si256(reinterpret_cast<Word*>(to), a); }
  static Word plus(Word a, Word b) { return _mm256_add_epi64(a, b); }
  static Word minus(Word a, Word b) { return _mm256_sub_epi64(a, b); }
  static Word low_half(Word a) { return _mm256_and_si256(a, broadcast(goldilocks::kEpsilon)); }
  static Word high_half(Word a) { return _mm256_srli_epi64(a, 32); }
  /// As Lanes::reduce.
  static Word reduce(Word low, Word middle, Word top) {
    const Word epsilon = broadcast(goldilocks::kEpsilon);
    const Word difference = minus(low, top);
    const Word corrected = _mm256_mask_sub_epi64(difference, _mm256_cmplt_epu64_mask(low, top), difference, epsilon);
    const Word product = _mm256_mul_epu32(middle, epsilon), sum = plus(corrected, product);
    return _mm256_mask_add_epi64(sum, _mm256_cmplt_epu64_mask(sum, product), sum, epsilon);
  }
  static Word square(Word a) {
    const Word high = high_half(a);
    const Word ll = _mm256_mul_epu32(a, a), lh = _mm256_mul_epu32(a, high), hh = _mm256_mul_epu32(high, high);
    const Word cross = plus(lh, _mm256_srli_epi64(ll, 33));
    const Word upper = plus(hh, _mm256_srli_epi64(cross, 31));
    return reduce(plus(ll, _mm256_slli_epi64(lh, 33)), upper, high_half(upper));
  }
  static Word multiply(Word a, Word b) {
    const Word ah = high_half(a), bh = high_half(b);
    const Word ll = _mm256_mul_epu32(a, b), lh = _mm256_mul_epu32(a, bh), hl = _mm256_mul_epu32(ah, b),
               hh = _mm256_mul_epu32(ah, bh);
    const Word first = plus(hl, high_half(ll)), second = plus(lh, low_half(first));
    const Word upper = plus(plus(hh, high_half(first)), high_half(second));
    return reduce(_mm256_blend_epi32(ll, _mm256_slli_epi64(second, 32), 0xaa), upper, high_half(upper));
  }
  static Word canonical(Word a) { return _mm256_min_epu64(a, minus(a, broadcast(goldilocks::kModulus))); }
  static Word fold(Word low, Word high) {
    const Word epsilon = broadcast(goldilocks::kEpsilon), shifted = _mm256_slli_epi64(high, 32);
    const Word sum = plus(plus(low, _mm256_mul_epu32(high_half(high), epsilon)), shifted);
    return _mm256_mask_add_epi64(sum, _mm256_cmplt_epu64_mask(sum, shifted), sum, epsilon);
  }
  /// As Lanes::sum_of_pieces.
  static Word sum_of_pieces(Word w0, Word w52, Word w104) {
    const Word low = plus(w0, _mm256_slli_epi64(w52, 52));
    const Word carried = _mm256_srli_epi64(w52, 12);
    const Word upper = _mm256_mask_add_epi64(carried, _mm256_cmplt_epu64_mask(low, w0), carried, broadcast(1));
    return reduce(low, upper, plus(high_half(upper), _mm256_slli_epi64(w104, 8)));
  }
};

/// One state across the lanes of three vectors: a fifth of the time of a vector of states with one lane in use, because
/// the chain of squarings is what takes the time, and shorter vectors have a shorter one.
class OneState {
 public:
  using Word = Quarter::Word;
  static constexpr int kVectors = 3;
  static void permute(const RoundConstants& constants, std::uint64_t* state) {
    Word x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = Quarter::load(state + 4 * v);
    for (int round = 0; round < kRounds; ++round) {
      seventh_powers<Quarter, kVectors>(x);
      linear_layer(constants, constants.first[round], x);
      seventh_roots<Quarter, kVectors>(x);
      linear_layer(constants, constants.second[round], x);
    }
    for (int v = 0; v < kVectors; ++v) Quarter::store(state + 4 * v, Quarter::canonical(x[v]));
  }

 private:
  static void linear_layer(const RoundConstants& constants, const RoundConstants::Half& added, Word* x) {
    alignas(64) std::uint64_t low[kStateWords], high[kStateWords];
    const unsigned shift = constants.circulant ? 32 : 52;
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      Quarter::store(low + 4 * v, x[v]);
      Quarter::store(high + 4 * v, _mm256_srli_epi64(x[v], static_cast<int>(shift)));
    }
    constants.circulant ? circulant(constants, added, low, high, x) : dense(constants, added, low, high, x);
  }
  static void circulant(const RoundConstants& constants, const RoundConstants::Half& added, const std::uint64_t* low,
                        const std::uint64_t* high, Word* x) {
    Word l[kVectors], h[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      l[v] = Quarter::low_half(Quarter::load(added + 4 * v));
      h[v] = Quarter::high_half(Quarter::load(added + 4 * v));
    }
#pragma GCC unroll 12
    for (int j = 0; j < kStateWords; ++j) {
      const Word low_j = Quarter::broadcast(low[j]), high_j = Quarter::broadcast(high[j]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        const Word column = Quarter::load(constants.column[j] + 4 * v);
        l[v] = Quarter::plus(l[v], _mm256_mul_epu32(low_j, column));  // of the low halves
        h[v] = Quarter::plus(h[v], _mm256_mul_epu32(high_j, column));
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) x[v] = Quarter::fold(l[v], h[v]);
  }
  static void dense(const RoundConstants& constants, const RoundConstants::Half& added, const std::uint64_t* low,
                    const std::uint64_t* high, Word* x) {
    Word w0[kVectors], w52[kVectors], w104[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      const Word constant = Quarter::load(added + 4 * v);
      w0[v] = _mm256_and_si256(constant, Quarter::broadcast((std::uint64_t{1} << 52) - 1));
      w52[v] = _mm256_srli_epi64(constant, 52);
      w104[v] = _mm256_setzero_si256();
    }
#pragma GCC unroll 12
    for (int j = 0; j < kStateWords; ++j) {
      const Word low_j = Quarter::broadcast(low[j]), high_j = Quarter::broadcast(high[j]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        const Word c52 = Quarter::load(constants.column52[j] + 4 * v),
                   c12 = Quarter::load(constants.column12[j] + 4 * v);
        w0[v] = _mm256_madd52lo_epu64(w0[v], low_j, c52);
        w52[v] = _mm256_madd52hi_epu64(w52[v], low_j, c52);
        w52[v] = _mm256_madd52lo_epu64(w52[v], low_j, c12);
        w52[v] = _mm256_madd52lo_epu64(w52[v], high_j, c52);
        w104[v] = _mm256_madd52hi_epu64(w104[v], low_j, c12);
        w104[v] = _mm256_madd52hi_epu64(w104[v], high_j, c52);
        w104[v] = _mm256_madd52lo_epu64(w104[v], high_j, c12);
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) x[v] = Quarter::sum_of_pieces(w0[v], w52[v], w104[v]);
  }
};

void Lanes::permute_one(const RoundConstants& constants, std::uint64_t* state) { OneState::permute(constants, state); }

}  // namespace

const Kernels kAvx512IfmaKernels{permute_states<Lanes>, merge_pairs<Lanes>};

}  // namespace tacit::merkle::simd
