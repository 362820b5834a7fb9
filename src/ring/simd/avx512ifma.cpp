#include "ring/simd/avx512ifma_permutation.h"
#include "ring/simd/avx512ifma_sums.h"
#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/tables.h"

namespace tacit::ring::simd {
namespace {

void add(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  for (std::size_t i = 0; i < n; i += 8) store(out + i, f.below(_mm512_add_epi64(load(a + i), load(b + i)), f.q));
}

void sub(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  for (std::size_t i = 0; i < n; i += 8) {
    const Vector d = _mm512_sub_epi64(load(a + i), load(b + i));
    store(out + i, _mm512_min_epu64(d, _mm512_add_epi64(d, f.q)));
  }
}

void negate(Word* out, const Word* a, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  for (std::size_t i = 0; i < n; i += 8) {
    const Vector x = load(a + i);
    store(out + i, _mm512_maskz_sub_epi64(_mm512_test_epi64_mask(x, x), f.q, x));
  }
}

/// Barrett of a product of two residues: the high part is read off already shifted by the prime's length.
struct Product {
  Vector mu;
  __m128i shift;

  TACIT_INLINE explicit Product(const ModulusWords& m)
      : mu(broadcast(m.mu)), shift(_mm_cvtsi64_si128(static_cast<long long>(52 - m.bits))) {}

  /// a * b in [0, 4q), dirty.
  TACIT_INLINE Vector operator()(const Field& f, Vector a, Vector b) const {
    const Vector high = _mm512_madd52hi_epu64(f.zero, _mm512_sll_epi64(a, shift), _mm512_add_epi64(b, b));
    const Vector quotient = _mm512_madd52hi_epu64(f.zero, high, mu);
    return _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(f.zero, a, b), quotient, f.neg_q);
  }
};

void multiply(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  const Product product(m);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < n; i += 8) store(out + i, f.canonical4(product(f, load(a + i), load(b + i))));
}

void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  const Product product(m);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < n; i += 8) {
    const Vector p = f.canonical4(product(f, load(a + i), load(b + i)));
    store(out + i, f.below(_mm512_add_epi64(load(out + i), p), f.q));
  }
}

void multiply_scalar(Word* out, const Word* a, Word w, Word w_shoup, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  const Vector factor = broadcast(w), shoup = broadcast(w_shoup);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < n; i += 8)
    store(out + i, f.canonical2(f.multiply_lazy(load(a + i), factor, shoup, f.zero)));
}

void sub_multiply_scalar(Word* out, const Word* a, const Word* b, Word w, Word w_shoup, std::size_t n,
                         const ModulusWords& m) {
  const Field f(m);
  const Vector factor = broadcast(w), shoup = broadcast(w_shoup);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < n; i += 8) {
    const Vector d = _mm512_sub_epi64(_mm512_add_epi64(load(a + i), f.q), load(b + i));
    store(out + i, f.canonical2(f.multiply_lazy(d, factor, shoup, f.zero)));
  }
}

void add_scalar(Word* out, const Word* a, Word w, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  const Vector term = broadcast(w);
  for (std::size_t i = 0; i < n; i += 8) store(out + i, f.below(_mm512_add_epi64(load(a + i), term), f.q));
}

void mirror_add(Word* a, Word w, Word w_shoup, std::size_t n, const ModulusWords& m) {
  if (n < 16) return kPortableKernels.mirror_add(a, w, w_shoup, n, m);
  const Field f(m);
  const Vector factor = broadcast(w), shoup = broadcast(w_shoup);
  const Vector backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const auto sum = [&](Vector x, Vector y) {
    return f.canonical4(f.multiply_lazy(_mm512_permutexvar_epi64(backwards, y), factor, shoup, x));
  };
  // Position 0 has no partner: its lane is the one past the end.
  constexpr __mmask8 kSeven = 0x7f;
  const Vector first = load(a), last = _mm512_maskz_loadu_epi64(kSeven, a + n - 7);
  store(a, sum(first, last));
  _mm512_mask_storeu_epi64(a + n - 7, kSeven, sum(last, first));
#pragma GCC unroll 2
  for (std::size_t j = 8; j < n / 2; j += 8) {
    const Vector x = load(a + j), y = load(a + n - j - 7);
    store(a + j, sum(x, y));
    store(a + n - j - 7, sum(y, x));
  }
  const Vector middle = _mm512_set1_epi64(static_cast<long long>(a[n / 2]));
  _mm512_mask_storeu_epi64(a + n / 2, 1, sum(middle, middle));
}

TACIT_INLINE void fetch(const Word* words) { _mm_prefetch(reinterpret_cast<const char*>(words), _MM_HINT_T0); }

/// Rows of factors come from memory, many side by side and too short a piece of each for the processor to see that it
/// goes on: the words of the next tile are fetched while this one is multiplied. This one is [i, i + 8 kTile). A line
/// of words that repeat 2^log_times times serves as many vectors.
TACIT_INLINE void fetch_next_tile(const FactorRow& a, std::size_t i) {
  const std::ptrdiff_t line = a.backwards ? -8 : 8;
  if (std::size_t{1} << a.log_times <= kTile) {
    const Word* next = a.at(i + 8 * kTile);
    for (std::size_t k = 0; k < kTile >> a.log_times; ++k) fetch(next + static_cast<std::ptrdiff_t>(k) * line);
  } else if (i / 8 % (std::size_t{1} << a.log_times) == 0) {
    fetch(a.at(i) + line);
  }
}

/// out[k] = sum over i of a[i] * b[k][i]: every a[i] is read once.
template <std::size_t kSums>
TACIT_INLINE void dots(Word* const (&out)[kSums], const FactorRow* a, const Word* const* const (&b)[kSums],
                       std::size_t count, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  const Fold fold(m);
  const bool is_short = count <= short_terms(m);
  std::size_t i = 0;
  for (; i + 8 * kTile <= n && count <= kLazyTerms; i += 8 * kTile) {
    Sum sum[kSums][kTile];
#pragma GCC unroll 2
    for (auto& sums : sum) {
#pragma GCC unroll 4
      for (Sum& s : sums) s = {f.zero, f.zero};
    }
    for (std::size_t k = 0; k < count; ++k) {
      Vector x[kTile];
      load_tile(a[k], i, x);
      fetch_next_tile(a[k], i);
#pragma GCC unroll 4
      for (std::size_t t = 0; t < kTile; ++t) {
#pragma GCC unroll 2
        for (std::size_t s = 0; s < kSums; ++s) {
          fetch(b[s][k] + i + 8 * (kTile + t));
          sum[s][t].add(x[t], load_once(b[s][k] + i + 8 * t));
        }
      }
    }
#pragma GCC unroll 2
    for (std::size_t s = 0; s < kSums; ++s) {
      if (is_short) {
#pragma GCC unroll 4
        for (std::size_t t = 0; t < kTile; ++t) store(out[s] + i + 8 * t, fold.short_sum(f, sum[s][t]));
      } else {
#pragma GCC unroll 4
        for (std::size_t t = 0; t < kTile; ++t) store(out[s] + i + 8 * t, fold.long_sum(f, sum[s][t]));
      }
    }
  }
  for (; i < n; i += 8) {
    for (std::size_t s = 0; s < kSums; ++s) {
      Sum sum{f.zero, f.zero};
      for (std::size_t k = 0; k < count; ++k) {
        sum.add(load(a[k], i), load(b[s][k] + i));
        if (k % kLazyTerms == kLazyTerms - 1) sum = {fold.long_sum(f, sum), f.zero};
      }
      store(out[s] + i, fold.long_sum(f, sum));
    }
  }
}

void dot(Word* out, const FactorRow* a, const Word* const* b, std::size_t count, std::size_t n, const ModulusWords& m) {
  dots<1>({out}, a, {b}, count, n, m);
}

/// kPairs sums of dot_pairs together, so that each word of b0 and b1 is read once for all of them. All factors repeat
/// equally often: 2^kLogTimes times, kLogVector standing for more, too, and go one way. n is a multiple of 8 kVectors.
template <std::size_t kPairs, std::size_t kVectors, std::size_t kLogTimes, bool kBackwards>
void dots_together(Word* const* out, const FactorRow* a, const Word* const* b0, const Word* const* b1,
                   std::size_t count, std::size_t n, const ModulusWords& m) {
  const Field f(m);
  const Fold fold(m);
  const bool is_short = count <= short_terms(m);
  const std::size_t log_times = a[0].log_times;
  // A line of repeated factors serves 2^log_times vectors. While these are multiplied, the next line of every row is
  // fetched, a few rows at a time.
  const std::size_t rows = kPairs * count, rows_a_vector = ((rows - 1) >> log_times) + 1;
  for (std::size_t i = 0; i < n; i += 8 * kVectors) {
    if constexpr (kLogTimes > 0) {
      const std::size_t vector = i / 8 % (std::size_t{1} << log_times);
      const std::size_t first = vector * rows_a_vector;
      for (std::size_t k = first; k < first + kVectors * rows_a_vector && k < rows; ++k)
        fetch(a[k].at(i) + (kBackwards ? -8 : 8));
    }
    Sum sum[kPairs][2][kVectors];
#pragma GCC unroll 4
    for (auto& pair : sum) {
#pragma GCC unroll 2
      for (auto& half : pair) {
#pragma GCC unroll 2
        for (Sum& s : half) s = {f.zero, f.zero};
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector x0 = load_once(b0[k] + i + 8 * v), x1 = load_once(b1[k] + i + 8 * v);
#pragma GCC unroll 4
        for (std::size_t p = 0; p < kPairs; ++p) {
          const auto at = static_cast<std::ptrdiff_t>(kLogTimes == 0 ? i + 8 * v : (i + 8 * v) >> log_times);
          const Word* words = a[p * count + k].words + (kBackwards ? -at : at);
          if constexpr (kLogTimes == 0)
            fetch(kBackwards ? words - 8 * static_cast<std::ptrdiff_t>(kVectors) : words + 8 * kVectors);
          const Vector w = load_repeated<kLogTimes, kBackwards>(words);
          sum[p][0][v].add(w, x0);
          sum[p][1][v].add(w, x1);
        }
      }
    }
#pragma GCC unroll 4
    for (std::size_t p = 0; p < kPairs; ++p) {
#pragma GCC unroll 2
      for (std::size_t half = 0; half < 2; ++half) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kVectors; ++v) {
          const Sum& s = sum[p][half][v];
          store(out[2 * p + half] + i + 8 * v, is_short ? fold.short_sum(f, s) : fold.long_sum(f, s));
        }
      }
    }
  }
}

constexpr std::size_t kPairsTogether = 4;

template <std::size_t kLogTimes, bool kBackwards>
void dots_in_groups(Word* const* out, std::size_t pairs, const FactorRow* a, const Word* const* b0,
                    const Word* const* b1, std::size_t count, std::size_t n, const ModulusWords& m) {
  const auto go_on = [&](std::size_t done) {
    out += 2 * done;
    a += done * count;
    pairs -= done;
  };
  for (; pairs >= kPairsTogether; go_on(kPairsTogether))
    dots_together<kPairsTogether, 1, kLogTimes, kBackwards>(out, a, b0, b1, count, n, m);
  if (pairs == 3) return dots_together<3, 1, kLogTimes, kBackwards>(out, a, b0, b1, count, n, m);
  if (pairs == 2 && n % 16 == 0) return dots_together<2, 2, kLogTimes, kBackwards>(out, a, b0, b1, count, n, m);
  if (pairs == 2) return dots_together<2, 1, kLogTimes, kBackwards>(out, a, b0, b1, count, n, m);
  if (pairs == 1) dots<2>({out[0], out[1]}, a, {b0, b1}, count, n, m);
}

template <bool kBackwards>
void dots_in_groups(Word* const* out, std::size_t pairs, const FactorRow* a, const Word* const* b0,
                    const Word* const* b1, std::size_t count, std::size_t n, const ModulusWords& m) {
  switch (a[0].log_times) {
    case 0: return dots_in_groups<0, kBackwards>(out, pairs, a, b0, b1, count, n, m);
    case 1: return dots_in_groups<1, kBackwards>(out, pairs, a, b0, b1, count, n, m);
    case 2: return dots_in_groups<2, kBackwards>(out, pairs, a, b0, b1, count, n, m);
    default: return dots_in_groups<kLogVector, kBackwards>(out, pairs, a, b0, b1, count, n, m);
  }
}

void dot_pairs(Word* const* out, std::size_t pairs, const FactorRow* a, const Word* const* b0, const Word* const* b1,
               std::size_t count, std::size_t n, const ModulusWords& m) {
  bool together = pairs > 1 && count > 0 && count <= kLazyTerms;
  for (std::size_t k = 0; together && k < pairs * count; ++k)
    together = a[k].log_times == a[0].log_times && a[k].backwards == a[0].backwards;
  if (together && a[0].backwards) return dots_in_groups<true>(out, pairs, a, b0, b1, count, n, m);
  if (together) return dots_in_groups<false>(out, pairs, a, b0, b1, count, n, m);
  for (std::size_t p = 0; p < pairs; ++p) dots<2>({out[2 * p], out[2 * p + 1]}, a + p * count, {b0, b1}, count, n, m);
}

void permute(Word* out, const Word* a, AffineMap map, std::size_t n, bool around) {
  const VectorPermutation permutation(map, n);
  const auto permute_to = [&](const auto& put) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < n / 8; ++i) {
      const VectorPermutation::Move move = permutation.move(i);
      put(out + move.to, _mm512_permutexvar_epi64(load(move.lanes), load(a + 8 * i)));
    }
  };
  if (around) return permute_to([](Word* to, Vector x) { stream(to, x); });
  permute_to([](Word* to, Vector x) { store(to, x); });
}

void copy_around(Word* out, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8) stream(out + i, load(a + i));
}

void switch_modulus(Word* out, const Word* a, std::size_t n, const ModulusWords& from, const ModulusWords& to) {
  const Field f(to);
  const Vector source = broadcast(from.q), half = broadcast(from.q / 2);
  for (std::size_t i = 0; i < n; i += 8) {
    const Vector x = load(a + i);
    const __mmask8 negative = _mm512_cmpgt_epu64_mask(x, half);
    const Vector magnitude = _mm512_mask_sub_epi64(x, negative, source, x);
    const Vector r = f.canonical2(f.barrett(magnitude, f.zero));
    store(out + i, _mm512_mask_sub_epi64(r, negative & _mm512_test_epi64_mask(r, r), f.q, r));
  }
}

/// kVectors x kTargets sums in registers over all rows of the strip's scratch, reduced to [0, 2q) after Montgomery
/// (1985) by 2^52.
template <std::size_t kVectors, std::size_t kTargets>
TACIT_INLINE void convert_tile(const Word* scratch, std::size_t rows, Word* const* dst, const ConversionTarget* target,
                               std::size_t at) {
  Sum sum[kTargets][kVectors];
#pragma GCC unroll 8
  for (std::size_t t = 0; t < kTargets; ++t) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) sum[t][v] = {_mm512_setzero_si512(), broadcast(target[t].modulus.q)};
  }
  for (std::size_t i = 0; i < rows; ++i) {
    Vector x[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = load(scratch + i * kConversionStride + 8 * v);
#pragma GCC unroll 8
    for (std::size_t t = 0; t < kTargets; ++t) {
      const Vector factor = broadcast(target[t].factor_two52[i]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) sum[t][v].add(x[v], factor);
    }
  }
#pragma GCC unroll 8
  for (std::size_t t = 0; t < kTargets; ++t) {
    const Field f(target[t].modulus);
    const Montgomery montgomery(target[t].modulus);
    Vector r[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) r[v] = montgomery.divide(f, sum[t][v]);
    for (unsigned log_bound = target[t].log_bound; log_bound > 1; --log_bound) {
      const Vector bound = broadcast(target[t].modulus.q << (log_bound - 1));
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) r[v] = _mm512_min_epu64(r[v], _mm512_sub_epi64(r[v], bound));
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) store(dst[t] + at + 8 * v, r[v]);
  }
}

void convert_prepare(const Word* const* src, std::size_t sources, const ConversionSource* source, std::size_t begin,
                     std::size_t strip, Word* prepared) {
  const __m512d half = _mm512_set1_pd(0.5);
  Word* last = prepared + sources * kConversionStride;
  for (std::size_t j = 0; j < strip; j += 8) _mm512_storeu_pd(last + j, half);
  for (std::size_t i = 0; i < sources; ++i) {
    const Field f(source[i].modulus);
    const Vector factor = broadcast(source[i].factor), shoup = broadcast(source[i].factor_shoup);
    const __m512d inverse = _mm512_set1_pd(source[i].inverse);
    Word* row = prepared + i * kConversionStride;
    for (std::size_t j = 0; j < strip; j += 8) {
      const Word* next_strip = src[i] + begin + j + kConversionStrip;
      _mm_prefetch(reinterpret_cast<const char*>(next_strip), _MM_HINT_T1);
      const Vector y = f.canonical2(f.multiply_lazy(load(src[i] + begin + j), factor, shoup, f.zero));
      store(row + j, y);
      const __m512d term = _mm512_mul_pd(_mm512_cvtepu64_pd(y), inverse);
      _mm512_storeu_pd(last + j, _mm512_add_pd(_mm512_loadu_pd(last + j), term));
    }
  }
  for (std::size_t j = 0; j < strip; j += 8) store(last + j, _mm512_cvttpd_epu64(_mm512_loadu_pd(last + j)));
}

void convert_prepared(const Word* prepared, std::size_t sources, Word* const* dst, std::size_t targets,
                      const ConversionTarget* target, std::size_t begin, std::size_t strip) {
  std::size_t t = 0;
  const auto sweep = [&]<std::size_t kTargets>() __attribute__((always_inline)) {
    constexpr std::size_t kVectors = kTargets == 1 ? 4 : 2;  // enough sums at once to hide the latency of a product
    std::size_t j = 0;
    for (; j + 8 * kVectors <= strip; j += 8 * kVectors)
      convert_tile<kVectors, kTargets>(prepared + j, sources + 1, dst + t, target + t, begin + j);
    for (; j < strip; j += 8) convert_tile<1, kTargets>(prepared + j, sources + 1, dst + t, target + t, begin + j);
    t += kTargets;
  };
  while (targets - t >= 4) sweep.template operator()<4>();
  if (targets - t == 3) sweep.template operator()<3>();
  if (targets - t == 2) sweep.template operator()<2>();
  if (targets - t == 1) sweep.template operator()<1>();
}

}  // namespace

const Kernels kAvx512IfmaKernels = {
    {add, sub, negate, multiply, multiply_add, multiply_scalar, sub_multiply_scalar, add_scalar, mirror_add},
    {dot, dot_pairs, kPairsTogether},
    {uniform_prepare_avx512ifma, uniform_avx512ifma, uniform_dot_pair_avx512ifma},
    {permute, copy_around, switch_modulus},
    {ntt_forward_avx512ifma, ntt_inverse_avx512ifma, &kAvx512IfmaTiledNtt},
    {convert_prepare, convert_prepared}};

}  // namespace tacit::ring::simd
