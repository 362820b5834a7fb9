#include "ring/simd/avx2_vector.h"
#include "ring/simd/tables.h"

namespace tacit::ring::simd {
namespace {

/// a in [0, 2q) to [0, q); words stay far below the sign bit.
TACIT_INLINE Vector below(Vector a, Vector q) {
  return _mm256_sub_epi64(a, _mm256_andnot_si256(_mm256_cmpgt_epi64(q, a), q));
}

void add(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const Vector q = broadcast(m.q);
  for (std::size_t i = 0; i < n; i += 4) store(out + i, below(_mm256_add_epi64(load(a + i), load(b + i)), q));
}

void sub(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const Vector q = broadcast(m.q);
  for (std::size_t i = 0; i < n; i += 4) {
    const Vector x = load(a + i), y = load(b + i);
    store(out + i, _mm256_add_epi64(_mm256_sub_epi64(x, y), _mm256_and_si256(_mm256_cmpgt_epi64(y, x), q)));
  }
}

void negate(Word* out, const Word* a, std::size_t n, const ModulusWords& m) {
  const Vector q = broadcast(m.q);
  for (std::size_t i = 0; i < n; i += 4) {
    const Vector x = load(a + i);
    store(out + i, _mm256_andnot_si256(_mm256_cmpeq_epi64(x, _mm256_setzero_si256()), _mm256_sub_epi64(q, x)));
  }
}

void multiply(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const RealField f(m);
#pragma GCC unroll 2
  for (std::size_t i = 0; i < n; i += 4)
    store(out + i, to_words(f.lift(f.multiply(to_real(load(a + i)), to_real(load(b + i))))));
}

void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& m) {
  const RealField f(m);
#pragma GCC unroll 2
  for (std::size_t i = 0; i < n; i += 4) {
    const Real product = f.multiply(to_real(load(a + i)), to_real(load(b + i)));
    store(out + i, f.canonical(_mm256_add_pd(to_real(load(out + i)), product)));
  }
}

void multiply_scalar(Word* out, const Word* a, Word w, Word, std::size_t n, const ModulusWords& m) {
  const RealField f(m);
  const Real factor = to_real(broadcast(w));
#pragma GCC unroll 2
  for (std::size_t i = 0; i < n; i += 4) store(out + i, to_words(f.lift(f.multiply(to_real(load(a + i)), factor))));
}

void sub_multiply_scalar(Word* out, const Word* a, const Word* b, Word w, Word, std::size_t n, const ModulusWords& m) {
  const RealField f(m);
  const Real factor = to_real(broadcast(w));
#pragma GCC unroll 2
  for (std::size_t i = 0; i < n; i += 4) {
    const Real difference = _mm256_sub_pd(to_real(load(a + i)), to_real(load(b + i)));
    store(out + i, to_words(f.lift(f.multiply(difference, factor))));
  }
}

void mirror_add(Word* a, Word w, Word, std::size_t n, const ModulusWords& m) {
  const RealField f(m);
  const Real factor = to_real(broadcast(w));
  const Real ratio = _mm256_mul_pd(factor, f.inverse);
  const auto sum = [&](Vector x, Vector y) {
    const Real partner = to_real(_mm256_permute4x64_epi64(y, 0x1b));
    return f.canonical(_mm256_add_pd(to_real(x), f.multiply(partner, factor, ratio)));
  };
  // Position 0 has no partner: its lane is the one past the end.
  const Vector three = _mm256_set_epi64x(0, -1, -1, -1), one = _mm256_set_epi64x(0, 0, 0, -1);
  const auto masked = [](Word* p) { return reinterpret_cast<long long*>(p); };
  const Vector first = load(a), last = _mm256_maskload_epi64(masked(a + n - 3), three);
  store(a, sum(first, last));
  _mm256_maskstore_epi64(masked(a + n - 3), three, sum(last, first));
  for (std::size_t j = 4; j < n / 2; j += 4) {
    const Vector x = load(a + j), y = load(a + n - j - 3);
    store(a + j, sum(x, y));
    store(a + n - j - 3, sum(y, x));
  }
  const Vector middle = broadcast(a[n / 2]);
  _mm256_maskstore_epi64(masked(a + n / 2), one, sum(middle, middle));
}

void add_scalar(Word* out, const Word* a, Word w, std::size_t n, const ModulusWords& m) {
  const Vector q = broadcast(m.q), term = broadcast(w);
  for (std::size_t i = 0; i < n; i += 4) store(out + i, below(_mm256_add_epi64(load(a + i), term), q));
}

/// Products of at most 7/8 q that may be added to a reduced value before the sum must be reduced (2^53 >= 8 q).
constexpr std::size_t kLazyTerms = 8;

/// Positions [i, i + 4).
TACIT_INLINE Vector load(const FactorRow& a, std::size_t i) {
  constexpr int kReversed = 0b00'01'10'11;
  const Word* words = a.at(i);
  if (a.log_times == 0) return a.backwards ? _mm256_permute4x64_epi64(load(words - 3), kReversed) : load(words);
  if (a.log_times > 1) return broadcast(*words);
  const auto first = static_cast<long long>(words[0]),
             second = static_cast<long long>(a.backwards ? words[-1] : words[1]);
  return _mm256_set_epi64x(second, second, first, first);
}

/// Words that a row of factors is asked for ahead of its use. Each of many rows is read a line at a time, too seldom
/// for the processor to see that it is read in order.
constexpr std::size_t kAhead = 32;

TACIT_INLINE void prefetch(const FactorRow& a, std::size_t i) {
  if (a.log_times == 0) _mm_prefetch(reinterpret_cast<const char*>(a.at(i + kAhead)), _MM_HINT_T0);
}

/// `kSums` sums of the same factors, which are read once.
template <std::size_t kSums>
TACIT_INLINE void dots(Word* const* out, const FactorRow* a, const Word* const* const* b, std::size_t count,
                       std::size_t n, const ModulusWords& m) {
  const RealField f(m);
  for (std::size_t i = 0; i < n; i += 8) {
    Real first[kSums], second[kSums];
    for (std::size_t s = 0; s < kSums; ++s) first[s] = second[s] = _mm256_setzero_pd();
    for (std::size_t k = 0; k < count; ++k) {
      prefetch(a[k], i);
      const Real x = to_real(load(a[k], i)), y = to_real(load(a[k], i + 4));
      for (std::size_t s = 0; s < kSums; ++s) {
        first[s] = _mm256_add_pd(first[s], f.multiply(x, to_real(load(b[s][k] + i))));
        second[s] = _mm256_add_pd(second[s], f.multiply(y, to_real(load(b[s][k] + i + 4))));
      }
      if (k % kLazyTerms == kLazyTerms - 1)
        for (std::size_t s = 0; s < kSums; ++s) {
          first[s] = f.reduce(first[s]);
          second[s] = f.reduce(second[s]);
        }
    }
    for (std::size_t s = 0; s < kSums; ++s) {
      store(out[s] + i, f.canonical(first[s]));
      store(out[s] + i + 4, f.canonical(second[s]));
    }
  }
}

void dot(Word* out, const FactorRow* a, const Word* const* b, std::size_t count, std::size_t n, const ModulusWords& m) {
  dots<1>(&out, a, &b, count, n, m);
}

void dot_pairs(Word* const* out, std::size_t pairs, const FactorRow* a, const Word* const* b0, const Word* const* b1,
               std::size_t count, std::size_t n, const ModulusWords& m) {
  const Word* const* const b[2] = {b0, b1};
  for (std::size_t p = 0; p < pairs; ++p) dots<2>(out + 2 * p, a + p * count, b, count, n, m);
}

void permute(Word* out, const Word* a, AffineMap map, std::size_t n, bool around) {
  kPortableKernels.permute(out, a, map, n, around);
}

void copy_around(Word* out, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i];
}

void switch_modulus(Word* out, const Word* a, std::size_t n, const ModulusWords& from, const ModulusWords& to) {
  const RealField f(to);
  const Vector half = broadcast(from.q / 2), q = broadcast(from.q);
  for (std::size_t i = 0; i < n; i += 4) {
    const Vector x = load(a + i);
    const Vector negative = _mm256_cmpgt_epi64(x, half);
    const Real centred = _mm256_sub_pd(to_real(x), to_real(_mm256_and_si256(negative, q)));
    store(out + i, f.canonical(centred));
  }
}

/// Two vectors of one target: the products of all rows, held as doubles in the scratch, with the target's factors.
TACIT_INLINE void convert_pair(const Word* scratch, std::size_t rows, Word* dst, const ConversionTarget& target) {
  const RealField f(target.modulus);
  Real first = _mm256_setzero_pd(), second = _mm256_setzero_pd();
  for (std::size_t i = 0; i < rows; ++i) {
    const Real factor = to_real(broadcast(target.factor[i]));
    const Real ratio = _mm256_mul_pd(factor, f.inverse);
    first = _mm256_add_pd(first, f.multiply(load_real(scratch + i * kConversionStride), factor, ratio));
    second = _mm256_add_pd(second, f.multiply(load_real(scratch + i * kConversionStride + 4), factor, ratio));
    if (i % (kLazyTerms / 2) == kLazyTerms / 2 - 1) {
      first = f.reduce(first);
      second = f.reduce(second);
    }
  }
  store(dst, f.canonical(first));
  store(dst + 4, f.canonical(second));
}

void convert_prepare(const Word* const* src, std::size_t sources, const ConversionSource* source, std::size_t begin,
                     std::size_t strip, Word* prepared) {
  const Real half = _mm256_set1_pd(0.5);
  Word* last = prepared + sources * kConversionStride;
  for (std::size_t j = 0; j < strip; j += 4) store_real(last + j, half);
  for (std::size_t i = 0; i < sources; ++i) {
    const RealField f(source[i].modulus);
    const Real factor = to_real(broadcast(source[i].factor));
    const Real inverse = _mm256_set1_pd(source[i].inverse);
    Word* row = prepared + i * kConversionStride;
    for (std::size_t j = 0; j < strip; j += 4) {
      const Real y = f.lift(f.multiply(to_real(load(src[i] + begin + j)), factor));
      store_real(row + j, y);
      store_real(last + j, _mm256_add_pd(load_real(last + j), _mm256_mul_pd(y, inverse)));
    }
  }
  for (std::size_t j = 0; j < strip; j += 4)
    store_real(last + j, _mm256_round_pd(load_real(last + j), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}

void convert_prepared(const Word* prepared, std::size_t sources, Word* const* dst, std::size_t targets,
                      const ConversionTarget* target, std::size_t begin, std::size_t strip) {
  for (std::size_t t = 0; t < targets; ++t)
    for (std::size_t j = 0; j < strip; j += 8) convert_pair(prepared + j, sources + 1, dst[t] + begin + j, target[t]);
}

}  // namespace

const Kernels kAvx2Kernels = {
    {add, sub, negate, multiply, multiply_add, multiply_scalar, sub_multiply_scalar, add_scalar, mirror_add},
    {dot, dot_pairs, 1},
    {nullptr, nullptr, nullptr},
    {permute, copy_around, switch_modulus},
    {ntt_forward_avx2, ntt_inverse_avx2, nullptr},
    {convert_prepare, convert_prepared}};

}  // namespace tacit::ring::simd
