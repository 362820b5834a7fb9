#pragma once

#include "ring/simd/avx512ifma_vector.h"

// Register-blocked steps of the NTT: butterflies on arrays of registers, their bounds, loads and transposes.
namespace tacit::ring::simd {
namespace {

/// Describes how values of primes of one size are corrected. kOfWindow is a lower bound W of 2^52 / q. Small primes
/// need few corrections of the running value. kScarce: multipliers are slower than additions
/// (base::halves_wide_vectors()).
///
/// W = 5 is for forward transforms only. Barrett's quotient of a word below 2^52 misses the true one by less than 1 +
/// frac(2^52 / q). A corrected value therefore spans 1 + frac(2^52 / q) multiples of q, and after two stages 5 +
/// frac(2^52 / q), the whole window. Inverse transforms take W = 4.
template <int kOfWindow, bool kScarce>
struct Policy {
  static_assert(kOfWindow == 4 || kOfWindow == 5 || kOfWindow == 8 || kOfWindow == 32);
  static constexpr int kWindow = kOfWindow;
  static constexpr bool kScarceMultipliers = kScarce;
  /// Returns true for forward column stages in which X is corrected to [kColumnBias, kColumnBias + 2) q. X then drifts
  /// by q per stage both ways.
  static constexpr bool corrects_column(int stage) {
    return kWindow == 4 ? true : kWindow == 5 ? stage % 2 == 1 : kWindow == 8 ? stage % 3 == 0 : stage == 0;
  }
  static constexpr int kColumnBias = kWindow == 4 ? 1 : kWindow == 5 ? 2 : kWindow == 8 ? 3 : 12;
  /// Returns true for later row stages that correct to [kRowStageBias, kRowStageBias + 2) q. Row steps start from fresh
  /// products [kRowBias, kRowBias + 2) q.
  static constexpr bool corrects_row(int stage) {
    return kWindow == 4 ? stage > 0 : kWindow == 5 ? stage % 2 == 1 : kWindow == 8 && stage == 3;
  }
  static constexpr int kRowBias = kWindow <= 5 ? 1 : kWindow == 8 ? 3 : 4;
  static constexpr int kRowStageBias = kWindow == 5 ? 2 : 1;
  /// The bound kEntry q of values at the start of every inverse step. Sums beyond half the window are corrected.
  static constexpr int kEntry = kWindow == 4 ? 2 : 4;
};

/// The bounds, in multiples of q, through one inverse step of radix 2^kLog, known at compile time. kCyclic: the roots
/// of the first block of every stage are one.
template <int kLog, int kWindow, int kFirst, bool kCyclic = false>
struct InverseBounds {
  int offset[kLog][1 << kLog] = {};     ///< before each stage: powers of two, at least the bounds
  bool corrects[kLog][1 << kLog] = {};  ///< the sum or unmultiplied difference at this index is corrected
  int output[1 << kLog] = {};

  constexpr InverseBounds() {
    for (int& bound : output) bound = kFirst;
    for (int stage = 0; stage < kLog; ++stage) {
      int input[1 << kLog] = {};
      for (int i = 0; i < 1 << kLog; ++i) {
        input[i] = output[i];
        for (offset[stage][i] = 1; offset[stage][i] < input[i];) offset[stage][i] *= 2;
      }
      for (int i = 0; i < 1 << kLog; ++i) {
        const int pair = i | 1 << stage;
        const bool product = i == pair && !(kCyclic && i >> (stage + 1) == 0);
        const int sum = input[pair - (1 << stage)] + offset[stage][pair];
        corrects[stage][i] = !product && sum > kWindow / 2;
        output[i] = product || corrects[stage][i] ? 2 : sum;
      }
    }
  }
};

TACIT_INLINE Vector times(Vector v, int factor) {
  return factor == 1   ? v
         : factor == 2 ? _mm512_slli_epi64(v, 1)
         : factor == 4 ? _mm512_slli_epi64(v, 2)
         : factor == 8 ? _mm512_slli_epi64(v, 3)
                       : _mm512_slli_epi64(v, 4);
}

/// Returns true for corrections that do not wait for the multipliers. They occur if every stage corrects and
/// multipliers are scarce. Two sets of registers in a forward step keep the multipliers busy, and all corrections are
/// of this kind. With one set, every second one is.
template <class P, int kSets>
constexpr bool spares_multipliers(int butterfly) {
  return P::kWindow == 4 && P::kScarceMultipliers && (kSets == 2 || butterfly % 2 == 0);
}

/// Computes stages kFirst .. kLog - 1 of a forward step of radix 2^kLog on several sets of registers, whose
/// instructions alternate. Stage s of block `index` reads root[(index << s) + i].
/// - kMask has a bit for every stage that corrects, by minus_bias.
/// - kBelow4q: the last stage's results are below 4 q.
/// - kCyclic: the roots of the first block of every stage are one.
template <class P, int kLog, int kFirst, unsigned kMask, bool kBelow4q = false, bool kCyclic = false, int kSets>
TACIT_INLINE void forward_stages(Vector* const (&sets)[kSets], const Word* root, const Word* shoup, std::size_t index,
                                 const Field& f, Vector minus_bias) {
  const Vector one = broadcast(1), minus_one = broadcast(~Word{0});
#pragma GCC unroll 4
  for (int stage = kFirst; stage < kLog; ++stage) {
    const int half = 1 << (kLog - 1 - stage);
#pragma GCC unroll 8
    for (int i = 0; i < 1 << stage; ++i) {
      const Vector w = broadcast(root[(index << stage) + static_cast<std::size_t>(i)]);
      const Vector w_shoup = broadcast(shoup[(index << stage) + static_cast<std::size_t>(i)]);
#pragma GCC unroll 16
      for (int j = 0; j < half * kSets; ++j) {
        Vector& u = sets[j % kSets][2 * i * half + j / kSets];
        Vector& v = sets[j % kSets][2 * i * half + j / kSets + half];
        const bool below_4q = kBelow4q && stage == kLog - 1;
        const bool spare = spares_multipliers<P, kSets>(i * half + j) && !below_4q;
        if (kMask >> stage & 1) u = spare ? f.fold(u) : f.barrett(u, below_4q ? minus_one : minus_bias);
        const Vector t = kCyclic && i == 0 ? f.barrett(v, one) : f.multiply_lazy(v, w, w_shoup, f.neg_q);
        v = _mm512_sub_epi64(u, t);
        u = _mm512_add_epi64(u, t);
      }
    }
  }
}

/// Reduces `a` below 4 q, if `spare`, to below 2 q.
TACIT_INLINE Vector below_2q(Vector a, bool spare, const Field& f) {
  return spare ? f.below(f.clean(a), f.two_q) : f.barrett(a, f.zero);
}

/// Computes all stages of an inverse step except the last kLast, on several sets of registers. It mirrors
/// forward_stages, apart from the number of stages.
template <class P, int kLog, int kLast, int kEntry, bool kCyclic = false, int kSets>
TACIT_INLINE void inverse_stages(Vector* const (&sets)[kSets], const Word* root, const Word* shoup, std::size_t index,
                                 const Field& f) {
  constexpr InverseBounds<kLog, P::kWindow, kEntry, kCyclic> kBounds;
#pragma GCC unroll 4
  for (int stage = kLog - 1; stage >= kLast; --stage) {
    const int done = kLog - 1 - stage;
    const int half = 1 << done;
#pragma GCC unroll 8
    for (int i = 0; i < 1 << stage; ++i) {
      const Vector w = broadcast(root[(index << stage) + static_cast<std::size_t>(i)]);
      const Vector w_shoup = broadcast(shoup[(index << stage) + static_cast<std::size_t>(i)]);
#pragma GCC unroll 16
      for (int j = 0; j < half * kSets; ++j) {
        const int at = 2 * i * half + j / kSets;
        Vector* const x = sets[j % kSets];
        const bool spare = spares_multipliers<P, 1>(i * half + j);
        const Vector u = x[at], v = x[at + half];
        const Vector difference = _mm512_sub_epi64(_mm512_add_epi64(u, times(f.q, kBounds.offset[done][at + half])), v);
        x[at] = _mm512_add_epi64(u, v);
        if (kBounds.corrects[done][at]) x[at] = below_2q(x[at], spare, f);
        if (!(kCyclic && i == 0)) {
          x[at + half] = f.multiply_lazy(difference, w, w_shoup, f.zero);
        } else {
          x[at + half] = kBounds.corrects[done][at + half] ? below_2q(difference, spare, f) : difference;
        }
      }
    }
  }
}

template <int kCount>
TACIT_INLINE void gather(Vector (&x)[kCount], const Word* from, std::size_t stride) {
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kCount; ++k) x[k] = load(from + k * stride);
}

template <bool kStream = false, int kCount>
TACIT_INLINE void scatter(const Vector (&x)[kCount], Word* to, std::size_t stride) {
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kCount; ++k) kStream ? stream(to + k * stride, x[k]) : store(to + k * stride, x[k]);
}

/// Loads eight vectors 16 words apart and transposes them. Offsets of masked loads exchange their upper and lower
/// halves, because the ports that shuffle also multiply.
TACIT_INLINE void load_transposed(Vector* x, const Word* from) {
  constexpr __mmask8 kLower = 0x0F, kUpper = 0xF0;
  Vector r[8];
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    const Word* first = from + 16 * (k & ~2);
    const Word* second = first + 32;
    r[k] = k & 2 ? _mm512_mask_loadu_epi64(load(second), kLower, first + 4)
                 : _mm512_mask_loadu_epi64(load(first), kUpper, second - 4);
  }
  Vector s[8];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    s[k] = _mm512_shuffle_i64x2(r[k], r[k + 4], 0x88);
    s[k + 4] = _mm512_shuffle_i64x2(r[k], r[k + 4], 0xDD);
  }
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2) {
    // Bits of k: which half of the vectors, which quarter of it.
    const int at = 2 * (k & 2) + 2 * (k >> 2);
    x[at] = _mm512_unpacklo_epi64(s[k], s[k + 1]);
    x[at + 1] = _mm512_unpackhi_epi64(s[k], s[k + 1]);
  }
}

/// Loads eight blocks of 16 consecutive words and transposes them: x[j] holds word j of every block.
TACIT_INLINE void load_blocks(Vector (&x)[16], const Word* from) {
  load_transposed(x, from);
  load_transposed(x + 8, from + 8);
}

TACIT_INLINE void store_blocks(Vector (&x)[16], Word* to) {
  transpose(x);
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) store(to + 16 * k, x[k]);
  transpose(x + 8);
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) store(to + 16 * k + 8, x[8 + k]);
}

/// Prefetches kLines cache lines, by default to the second cache: the next limb is read soon, but only after this one
/// is done.
template <std::size_t kLines, auto kHint = _MM_HINT_T1>
TACIT_INLINE void prefetch(const Word* next, std::size_t first_word) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLines; ++i)
    _mm_prefetch(reinterpret_cast<const char*>(next + first_word + 8 * i), kHint);
}

}  // namespace
}  // namespace tacit::ring::simd
