#include "ring/simd/tables.h"

namespace tacit::ring::simd {
namespace {

using Word = std::uint64_t;
__extension__ using Wide = unsigned __int128;

constexpr Word kMask52 = (Word{1} << 52) - 1;

inline Word reduce_once(Word a, Word q) { return a >= q ? a - q : a; }

/// a * w mod q in [0, 2q) for a < 2^52 (Shoup's method; Harvey 2014, section 2).
inline Word multiply_lazy(Word a, Word w, Word w_shoup, Word q) {
  const Word quotient = static_cast<Word>(static_cast<Wide>(a) * w_shoup >> 52);
  return a * w - quotient * q;
}

inline Word multiply_one(Word a, Word b, const ModulusWords& q) {
  const Wide product = static_cast<Wide>(a) * b;
  const Word high = static_cast<Word>(product >> (q.bits - 1));
  const Word quotient = static_cast<Word>(static_cast<Wide>(high) * q.mu >> 52);
  return reduce_once(reduce_once(static_cast<Word>(product) - quotient * q.q, 2 * q.q), q.q);
}

/// Any 128-bit sum to [0, q): split at bits 52 and 104, where the constants are.
inline Word reduce_sum(Wide sum, const ModulusWords& q) {
  const Word low = static_cast<Word>(sum) & kMask52;
  const Word middle = static_cast<Word>(sum >> 52) & kMask52;
  const Word high = static_cast<Word>(sum >> 104);
  Word r = low - static_cast<Word>(static_cast<Wide>(low) * q.ratio52 >> 52) * q.q;
  r += multiply_lazy(middle, q.two52, q.two52_shoup, q.q);
  r += multiply_lazy(high, q.two104, q.two104_shoup, q.q);
  return reduce_once(reduce_once(reduce_once(r, 4 * q.q), 2 * q.q), q.q);
}

void add(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(a[i] + b[i], q.q);
}

void sub(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(a[i] + q.q - b[i], q.q);
}

void negate(Word* out, const Word* a, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(q.q - a[i], q.q);
}

void multiply(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = multiply_one(a[i], b[i], q);
}

void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(out[i] + multiply_one(a[i], b[i], q), q.q);
}

void multiply_scalar(Word* out, const Word* a, Word w, Word w_shoup, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(multiply_lazy(a[i], w, w_shoup, q.q), q.q);
}

void sub_multiply_scalar(Word* out, const Word* a, const Word* b, Word w, Word w_shoup, std::size_t n,
                         const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(multiply_lazy(a[i] + q.q - b[i], w, w_shoup, q.q), q.q);
}

void add_scalar(Word* out, const Word* a, Word w, std::size_t n, const ModulusWords& q) {
  for (std::size_t i = 0; i < n; ++i) out[i] = reduce_once(a[i] + w, q.q);
}

void mirror_add(Word* a, Word w, Word w_shoup, std::size_t n, const ModulusWords& q) {
  const auto sum = [&](Word x, Word y) {
    return reduce_once(reduce_once(x + multiply_lazy(y, w, w_shoup, q.q), 2 * q.q), q.q);
  };
  for (std::size_t j = 1; j <= n / 2; ++j) {
    const Word x = a[j], y = a[n - j];
    a[j] = sum(x, y);
    a[n - j] = sum(y, x);
  }
}

void dot(Word* out, const FactorRow* a, const Word* const* b, std::size_t count, std::size_t n, const ModulusWords& q) {
  constexpr std::size_t kFold = std::size_t{1} << 26;  // products of 100 bits that 128 bits hold
  for (std::size_t i = 0; i < n; ++i) {
    Wide sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      sum += static_cast<Wide>(*a[k].at(i)) * b[k][i];
      if (k % kFold == kFold - 1) sum = reduce_sum(sum, q);
    }
    out[i] = reduce_sum(sum, q);
  }
}

void dot_pairs(Word* const* out, std::size_t pairs, const FactorRow* a, const Word* const* b0, const Word* const* b1,
               std::size_t count, std::size_t n, const ModulusWords& m) {
  for (std::size_t p = 0; p < pairs; ++p, out += 2, a += count) {
    dot(out[0], a, b0, count, n, m);
    dot(out[1], a, b1, count, n, m);
  }
}

void permute(Word* out, const Word* a, AffineMap map, std::size_t n, bool /*around*/) {
  const std::size_t shift = kLogPermutedWords - static_cast<std::size_t>(__builtin_ctzll(n));
  std::size_t y = map.offset;
  for (std::size_t x = 0; x < n; ++x, y += map.multiplier)
    out[kReversals.of[x] >> shift] = a[kReversals.of[y & (n - 1)] >> shift];
}

void copy_around(Word* out, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i];
}

void switch_modulus(Word* out, const Word* a, std::size_t n, const ModulusWords& from, const ModulusWords& to) {
  const Word half = from.q / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const bool negative = a[i] > half;
    const Word magnitude = negative ? from.q - a[i] : a[i];
    const Word quotient = static_cast<Word>(static_cast<Wide>(magnitude) * to.ratio52 >> 52);
    const Word r = reduce_once(magnitude - quotient * to.q, to.q);
    out[i] = negative && r != 0 ? to.q - r : r;
  }
}

/// Cooley-Tukey from natural to bit-reversed order; values stay in [0, 4q) (Harvey 2014, section 3).
void ntt_forward(Word* a, const NttWords& words) {
  const Word q = words.modulus.q;
  std::size_t half = words.n / 2;
  for (std::size_t blocks = 1; blocks < words.n; blocks *= 2, half /= 2) {
    for (std::size_t i = 0; i < blocks; ++i) {
      const Word w = words.root[blocks + i], w_shoup = words.root_shoup[blocks + i];
      Word* x = a + 2 * i * half;
      Word* y = x + half;
      for (std::size_t j = 0; j < half; ++j) {
        const Word u = reduce_once(x[j], 2 * q);
        const Word t = multiply_lazy(y[j], w, w_shoup, q);
        x[j] = u + t;
        y[j] = u + 2 * q - t;
      }
    }
  }
  for (std::size_t i = 0; i < words.n; ++i) a[i] = reduce_once(reduce_once(a[i], 2 * q), q);
}

/// Gentleman-Sande from bit-reversed to natural order; values stay in [0, 2q), the last stage carries 1/n.
void ntt_inverse(Word* a, const NttWords& words) {
  const Word q = words.modulus.q;
  std::size_t half = 1;
  for (std::size_t blocks = words.n / 2; blocks > 1; blocks /= 2, half *= 2) {
    for (std::size_t i = 0; i < blocks; ++i) {
      const Word w = words.inverse_root[blocks + i], w_shoup = words.inverse_root_shoup[blocks + i];
      Word* x = a + 2 * i * half;
      Word* y = x + half;
      for (std::size_t j = 0; j < half; ++j) {
        const Word difference = x[j] + 2 * q - y[j];
        x[j] = reduce_once(x[j] + y[j], 2 * q);
        y[j] = multiply_lazy(difference, w, w_shoup, q);
      }
    }
  }
  for (std::size_t j = 0; j < half; ++j) {
    const Word sum = a[j] + a[j + half];
    const Word difference = a[j] + 2 * q - a[j + half];
    a[j] = reduce_once(multiply_lazy(sum, words.scale, words.scale_shoup, q), q);
    a[j + half] = reduce_once(multiply_lazy(difference, words.scale_root, words.scale_root_shoup, q), q);
  }
}

void convert_prepare(const Word* const* src, std::size_t sources, const ConversionSource* source, std::size_t begin,
                     std::size_t strip, Word* prepared) {
  double quotient[kConversionStrip];
  for (std::size_t j = 0; j < strip; ++j) quotient[j] = 0.5;
  for (std::size_t i = 0; i < sources; ++i) {
    const ConversionSource& s = source[i];
    Word* row = prepared + i * kConversionStride;
    for (std::size_t j = 0; j < strip; ++j) {
      row[j] = reduce_once(multiply_lazy(src[i][begin + j], s.factor, s.factor_shoup, s.modulus.q), s.modulus.q);
      quotient[j] += static_cast<double>(static_cast<std::int64_t>(row[j])) * s.inverse;
    }
  }
  Word* last = prepared + sources * kConversionStride;
  for (std::size_t j = 0; j < strip; ++j) last[j] = static_cast<Word>(static_cast<std::int64_t>(quotient[j]));
}

void convert_prepared(const Word* prepared, std::size_t sources, Word* const* dst, std::size_t targets,
                      const ConversionTarget* target, std::size_t begin, std::size_t strip) {
  for (std::size_t t = 0; t < targets; ++t) {
    for (std::size_t j = 0; j < strip; ++j) {
      Wide sum = 0;
      for (std::size_t i = 0; i <= sources; ++i)
        sum += static_cast<Wide>(prepared[i * kConversionStride + j]) * target[t].factor[i];
      dst[t][begin + j] = reduce_sum(sum, target[t].modulus);
    }
  }
}

}  // namespace

const Kernels kPortableKernels = {
    {add, sub, negate, multiply, multiply_add, multiply_scalar, sub_multiply_scalar, add_scalar, mirror_add},
    {dot, dot_pairs, 1},
    {nullptr, nullptr, nullptr},
    {permute, copy_around, switch_modulus},
    {ntt_forward, ntt_inverse, nullptr},
    {convert_prepare, convert_prepared}};

}  // namespace tacit::ring::simd
