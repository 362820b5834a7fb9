#include "ring/simd/avx512ifma_passes.h"
#include "ring/simd/tables.h"

// The whole transform in place.
namespace tacit::ring::simd {
namespace {

/// Columns that go through the first stages together: of a matrix in place, whose rows share cache sets, longer runs
/// than of a tile.
constexpr std::size_t kWide = 2 * kColumns;

/// The first kA + kB stages, over columns of a matrix of 2^(kA + kB) rows: two steps through a contiguous scratch,
/// because legs far apart by powers of two would evict each other.
template <class P, int kA, int kB>
void forward_columns(Word* a, const NttWords& words, const Field& f) {
  constexpr std::size_t kLegsA = std::size_t{1} << kB, kLegsB = std::size_t{1} << kA;
  alignas(64) Word scratch[kWide << (kA + kB)];
  const Vector minus_bias = broadcast(Word{0} - P::kColumnBias);
  const std::size_t stride = words.n >> (kA + kB);
#pragma GCC unroll 1
  for (std::size_t column = 0; column < stride; column += kWide) {
#pragma GCC unroll 1
    for (std::size_t leg = 0; leg < kLegsA; ++leg)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kWide; v += kPair) {
        const Word* from = a + leg * stride + column + v;
        const Word* next = v + kPair < kWide ? from + kPair : from + stride - v;
#pragma GCC unroll 8
        for (std::size_t k = 0; k < kLegsB; ++k) prefetch<2, _MM_HINT_T0>(next, k * kLegsA * stride);
        forward_column_step<P, kA, 0>(from, kLegsA * stride, scratch + leg * kWide + v, kLegsA * kWide, 0, words, f,
                                      minus_bias);
      }
#pragma GCC unroll 1
    for (std::size_t group = 0; group < kLegsB; ++group)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kWide; v += kPair)
        forward_column_step<P, kB, kA>(scratch + group * kLegsA * kWide + v, kWide,
                                       a + group * kLegsA * stride + column + v, stride, group, words, f, minus_bias);
  }
}

template <class P, int kA, int kB>
void inverse_columns(Word* a, const NttWords& words, const Field& f) {
  constexpr std::size_t kLegsA = std::size_t{1} << kB, kLegsB = std::size_t{1} << kA;
  alignas(64) Word scratch[kWide << (kA + kB)];
  const std::size_t stride = words.n >> (kA + kB);
#pragma GCC unroll 1
  for (std::size_t column = 0; column < stride; column += kWide) {
#pragma GCC unroll 1
    for (std::size_t group = 0; group < kLegsB; ++group) {
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kWide; v += kPair)
        inverse_column_step<P, kB, kA>(a + group * kLegsA * stride + column + v, stride,
                                       scratch + group * kLegsA * kWide + v, kWide, group, words, f);
    }
#pragma GCC unroll 1
    for (std::size_t leg = 0; leg < kLegsA; ++leg)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kWide; v += kPair)
        inverse_column_step<P, kA, 0>(scratch + leg * kWide + v, kLegsA * kWide, a + leg * stride + column + v,
                                      kLegsA * stride, 0, words, f);
  }
}

/// The whole transform: kA + kB stages over columns, then for blocks of 2^kM rows that stay in the first cache kM
/// stages across the rows and the last eight along them.
template <class P, int kA, int kB, int kM>
void forward_passes(Word* a, const NttWords& words) {
  const Field f(words.modulus);
  if constexpr (kA > 0) forward_columns<P, kA, kB>(a, words, f);
  const Vector minus_bias = broadcast(Word{0} - P::kColumnBias);
  constexpr std::size_t kRows = std::size_t{1} << kM;
#pragma GCC unroll 1
  for (std::size_t block = 0; block < words.n / (kRows * kRow); ++block) {
    Word* top = a + block * kRows * kRow;
    if constexpr (kM > 0) {
#pragma GCC unroll 1
      for (std::size_t column = 0; column < kRow; column += kPair)
        forward_column_step<P, kM, kA + kB>(top + column, kRow, top + column, kRow, block, words, f, minus_bias);
    }
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRows; ++i)
      forward_row_first<P>(top + i * kRow, words.rows + (block * kRows + i) * kRowWords, f);
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRows; ++i) forward_row_last<P>(top + i * kRow, words.twist, f);
  }
}

template <class P, int kA, int kB, int kM>
void inverse_passes(Word* a, const NttWords& words) {
  const Field f(words.modulus);
  constexpr std::size_t kRows = std::size_t{1} << kM;
#pragma GCC unroll 1
  for (std::size_t block = 0; block < words.n / (kRows * kRow); ++block) {
    Word* top = a + block * kRows * kRow;
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::size_t row = block * kRows + i;
      inverse_row<P, kA + kM == 0>(a + row * kRow, a + row * kRow, words.inverse_rows + row * kRowWords,
                                   words.inverse_twist, f);
    }
    if constexpr (kM > 0) {
#pragma GCC unroll 1
      for (std::size_t column = 0; column < kRow; column += kPair)
        inverse_column_step<P, kM, kA + kB>(top + column, kRow, top + column, kRow, block, words, f);
    }
  }
  if constexpr (kA > 0) inverse_columns<P, kA, kB>(a, words, f);
}

/// Calls run<stages of both column steps, stages over rows> for this degree, 2^8 at least.
template <class Run>
void with_stages(unsigned log_n, const Run& run) {
  switch (log_n) {
    case 8: return run.template operator()<0, 0, 0>();
    case 9: return run.template operator()<0, 0, 1>();
    case 10: return run.template operator()<0, 0, 2>();
    case 11: return run.template operator()<0, 0, 3>();
    case 12: return run.template operator()<2, 2, 0>();
    case 13: return run.template operator()<3, 2, 0>();
    case 14: return run.template operator()<3, 3, 0>();
    case 15: return run.template operator()<3, 2, 2>();
    case 16: return run.template operator()<3, 2, 3>();
    case 17: return run.template operator()<3, 3, 3>();
    default: return;
  }
}

}  // namespace

void ntt_forward_avx512ifma(Word* a, const NttWords& words) {
  if (words.n < kRow) return kPortableKernels.ntt_forward(a, words);
  with_policy<true>(words, [&]<class P>(P) {
    with_stages(words.log_n, [&]<int kA, int kB, int kM>() { forward_passes<P, kA, kB, kM>(a, words); });
  });
}

void ntt_inverse_avx512ifma(Word* a, const NttWords& words) {
  if (words.n < kRow) return kPortableKernels.ntt_inverse(a, words);
  with_policy<false>(words, [&]<class P>(P) {
    with_stages(words.log_n, [&]<int kA, int kB, int kM>() { inverse_passes<P, kA, kB, kM>(a, words); });
  });
}

}  // namespace tacit::ring::simd
