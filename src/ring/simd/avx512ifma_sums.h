#pragma once

#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/kernels.h"

// Included only by files compiled for AVX-512 IFMA.
namespace tacit::ring::simd {
namespace {

/// A sum of 104-bit products as two accumulators of 52-bit halves.
struct Sum {
  Vector low, high;

  TACIT_INLINE void add(Vector a, Vector b) {
    low = _mm512_madd52lo_epu64(low, a, b);
    high = _mm512_madd52hi_epu64(high, a, b);
  }
};

/// Montgomery reduction (1985) of sums of products by 2^52.
struct Montgomery {
  Vector inverse;

  TACIT_INLINE explicit Montgomery(const ModulusWords& m) : inverse(broadcast(m.inverse52)) {}

  /// Divides a sum that began with {0, q} by 2^52 modulo q. The result is at most the sum over 2^52 plus q.
  TACIT_INLINE Vector divide(const Field& f, const Sum& sum) const {
    const Vector multiple = _mm512_madd52lo_epu64(f.zero, sum.low, inverse);
    const Vector high = _mm512_add_epi64(sum.high, _mm512_srli_epi64(sum.low, 52));
    return _mm512_sub_epi64(high, _mm512_madd52hi_epu64(f.zero, multiple, f.q));
  }
};

/// The folding constants of one prime: 2^52 and 2^104 modulo q.
struct Fold {
  Vector two52, two52_shoup, two104, two104_shoup;

  TACIT_INLINE explicit Fold(const ModulusWords& m)
      : two52(broadcast(m.two52)),
        two52_shoup(broadcast(m.two52_shoup)),
        two104(broadcast(m.two104)),
        two104_shoup(broadcast(m.two104_shoup)) {}

  /// Reduces a sum below 2^104 to canonical form.
  TACIT_INLINE Vector short_sum(const Field& f, const Sum& sum) const {
    const Vector high = _mm512_add_epi64(sum.high, _mm512_srli_epi64(sum.low, 52));
    return f.canonical4(f.multiply_lazy(high, two52, two52_shoup, f.barrett(sum.low, f.zero)));
  }
  /// Reduces any sum of at most 4,096 products to canonical form.
  TACIT_INLINE Vector long_sum(const Field& f, const Sum& sum) const {
    const Vector high = _mm512_add_epi64(sum.high, _mm512_srli_epi64(sum.low, 52));
    const Vector low = f.barrett(sum.low, f.zero);
    const Vector folded = f.canonical4(f.multiply_lazy(high, two52, two52_shoup, low));
    const Vector top = f.canonical2(f.multiply_lazy(_mm512_srli_epi64(high, 52), two104, two104_shoup, f.zero));
    return f.below(_mm512_add_epi64(folded, top), f.q);
  }
};

/// The number of products after which 64-bit accumulators of 52-bit halves must be folded.
constexpr std::size_t kLazyTerms = 2048;
/// Returns the number of products of a 52-bit word and a residue whose sum stays below 2^104.
TACIT_INLINE std::size_t short_terms(const ModulusWords& m) { return std::size_t{1} << (52 - m.bits); }

/// The lanes of eight positions of a row whose words stand for one, two or four each, forwards and backwards. Each lane
/// names the word that it takes.
struct LaneRepeats {
  alignas(64) Word of[2][3][8] = {};
  __mmask8 read[3] = {};
  constexpr LaneRepeats() {
    for (std::size_t log_times = 0; log_times < 3; ++log_times) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        of[0][log_times][lane] = lane >> log_times;
        of[1][log_times][lane] = (7 - lane) >> log_times;
      }
      read[log_times] = static_cast<__mmask8>((1U << (8U >> log_times)) - 1);
    }
  }
};
constexpr LaneRepeats kLaneRepeats;

/// The least log_times for which a word of a factor serves whole vectors.
constexpr std::size_t kLogVector = 3;

/// Loads eight positions of a row whose words repeat 2^kLogTimes times; kLogVector also stands for more. `words` is the
/// word of the first position.
template <std::size_t kLogTimes, bool kBackwards>
TACIT_INLINE Vector load_repeated(const Word* words) {
  if constexpr (kLogTimes >= kLogVector) return broadcast(*words);
  if constexpr (kLogTimes == 0 && !kBackwards) return load_once(words);
  const Word* lowest = kBackwards ? words - ((8 >> kLogTimes) - 1) : words;
  const Vector read =
      kLogTimes == 0 ? load_once(lowest) : _mm512_maskz_loadu_epi64(kLaneRepeats.read[kLogTimes], lowest);
  return _mm512_permutexvar_epi64(load(kLaneRepeats.of[kBackwards][kLogTimes]), read);
}
template <bool kBackwards>
TACIT_INLINE Vector load_repeated(const Word* words, std::size_t log_times) {
  if (log_times == 0) return load_repeated<0, kBackwards>(words);
  if (log_times == 1) return load_repeated<1, kBackwards>(words);
  if (log_times == 2) return load_repeated<2, kBackwards>(words);
  return load_repeated<kLogVector, kBackwards>(words);
}

/// Loads positions [i, i + 8).
TACIT_INLINE Vector load(const FactorRow& a, std::size_t i) {
  return a.backwards ? load_repeated<true>(a.at(i), a.log_times) : load_repeated<false>(a.at(i), a.log_times);
}

/// The number of vectors of a tile, and the logarithm of their positions. All factors of a row repeat equally often.
constexpr std::size_t kTile = 4;
constexpr std::size_t kLogTilePositions = 5;

/// Loads positions [i, i + 8 kTile), i a multiple of their number.
TACIT_INLINE void load_tile(const FactorRow& a, std::size_t i, Vector (&x)[kTile]) {
  if (a.log_times == 0 && !a.backwards) {
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kTile; ++t) x[t] = load(a.words + i + 8 * t);
  } else if (a.log_times >= kLogTilePositions) {
    const Vector word = broadcast(*a.at(i));
#pragma GCC unroll 4
    for (Vector& v : x) v = word;
  } else {
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kTile; ++t) x[t] = load(a, i + 8 * t);
  }
}

}  // namespace
}  // namespace tacit::ring::simd
