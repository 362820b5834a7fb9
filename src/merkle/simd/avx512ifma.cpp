#include <immintrin.h>

#include "merkle/goldilocks.h"
#include "merkle/simd/permutation.h"

namespace tacit::merkle::simd {
namespace {

/// Eight states, one a 64-bit lane.
struct Lanes {
  using Word = __m512i;
  static constexpr int kLanes = 8, kGroup = 6;
  static constexpr std::size_t kFewest = 6;

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

/// One state across the lanes of two vectors, words 0 to 7 and 8 to 11: half the time of a vector of states with one
/// lane in use, because the chain of squarings is what takes the time.
class OneState {
 public:
  using Word = Lanes::Word;
  static void permute(const RoundConstants& constants, std::uint64_t* state) {
    Word x[2] = {_mm512_loadu_si512(state), _mm512_maskz_loadu_epi64(0x0f, state + 8)};
    for (int round = 0; round < kRounds; ++round) {
      seventh_powers<Lanes, 2>(x);
      linear_layer(constants, constants.first[round], x);
      seventh_roots<Lanes, 2>(x);
      linear_layer(constants, constants.second[round], x);
    }
    _mm512_storeu_si512(state, Lanes::canonical(x[0]));
    _mm512_mask_storeu_epi64(state + 8, 0x0f, Lanes::canonical(x[1]));
  }

 private:
  static void linear_layer(const RoundConstants& constants, const RoundConstants::Half& added, Word* x) {
    alignas(64) std::uint64_t low[16], high[16];
    const int shift = constants.circulant ? 32 : 52;
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      _mm512_store_si512(low + 8 * v, x[v]);
      _mm512_store_si512(high + 8 * v, _mm512_srli_epi64(x[v], static_cast<unsigned>(shift)));
    }
    const Word constant[2] = {_mm512_loadu_si512(added), _mm512_maskz_loadu_epi64(0x0f, added + 8)};
    if (constants.circulant)
      circulant(constants, constant, low, high, x);
    else
      dense(constants, constant, low, high, x);
  }
  static void circulant(const RoundConstants& constants, const Word* constant, const std::uint64_t* low,
                        const std::uint64_t* high, Word* x) {
    Word l[2], h[2];
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      l[v] = Lanes::low_half(constant[v]);
      h[v] = Lanes::high_half(constant[v]);
    }
#pragma GCC unroll 12
    for (int j = 0; j < kStateWords; ++j) {
      const Word low_j = Lanes::broadcast(low[j]), high_j = Lanes::broadcast(high[j]);
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const Word column = Lanes::load(constants.column[j] + 8 * v);
        l[v] = Lanes::plus(l[v], _mm512_mul_epu32(low_j, column));  // of the low halves
        h[v] = Lanes::plus(h[v], _mm512_mul_epu32(high_j, column));
      }
    }
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) x[v] = Lanes::fold(l[v], h[v]);
  }
  static void dense(const RoundConstants& constants, const Word* constant, const std::uint64_t* low,
                    const std::uint64_t* high, Word* x) {
    Word w0[2], w52[2], w104[2];
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      w0[v] = _mm512_and_si512(constant[v], Lanes::broadcast((std::uint64_t{1} << 52) - 1));
      w52[v] = _mm512_srli_epi64(constant[v], 52);
      w104[v] = Lanes::zero();
    }
#pragma GCC unroll 12
    for (int j = 0; j < kStateWords; ++j) {
      const Word low_j = Lanes::broadcast(low[j]), high_j = Lanes::broadcast(high[j]);
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const Word c52 = Lanes::load(constants.column52[j] + 8 * v), c12 = Lanes::load(constants.column12[j] + 8 * v);
        w0[v] = _mm512_madd52lo_epu64(w0[v], low_j, c52);
        w52[v] = _mm512_madd52hi_epu64(w52[v], low_j, c52);
        w52[v] = _mm512_madd52lo_epu64(w52[v], low_j, c12);
        w52[v] = _mm512_madd52lo_epu64(w52[v], high_j, c52);
        w104[v] = _mm512_madd52hi_epu64(w104[v], low_j, c12);
        w104[v] = _mm512_madd52hi_epu64(w104[v], high_j, c52);
        w104[v] = _mm512_madd52lo_epu64(w104[v], high_j, c12);
      }
    }
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) x[v] = Lanes::sum_of_pieces(w0[v], w52[v], w104[v]);
  }
};

void Lanes::permute_one(const RoundConstants& constants, std::uint64_t* state) { OneState::permute(constants, state); }

}  // namespace

const Kernels kAvx512IfmaKernels{permute_states<Lanes>, merge_pairs<Lanes>};

}  // namespace tacit::merkle::simd
