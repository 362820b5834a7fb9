#include "ring/simd/avx512ifma_passes.h"
#include "ring/simd/tables.h"

// The two phases of the transform apart, with a polynomial stored in tiles between them (ntt.h): a caller that makes
// its coefficients a few at a time, as base conversion does, does so in a tile that is still in the first cache. What
// is stored between the phases is read once, and later: when there is much of it, it goes around the caches, which then
// hold what is read often.
namespace tacit::ring::simd {
namespace {

template <int kA, int kB, int kM>
struct Split {
  static constexpr int kColumnStages = kA + kB;
  static constexpr std::size_t kLegsA = std::size_t{1} << kB, kLegsB = std::size_t{1} << kA;
  static constexpr std::size_t kRows = std::size_t{1} << kM;
  static constexpr std::size_t kTileStride = tile_stride(kColumnStages);
  /// Tiles that a row of a block touches.
  static constexpr std::size_t kTilesOfRow = kRow / kColumns;
  static constexpr std::size_t kStride = kTilesOfRow * kTileStride;

  template <class P>
  static void forward_tile(Word* from, Word* to, const NttWords& words, bool around) {
    const Field f(words.modulus);
    const Vector minus_bias = broadcast(Word{0} - P::kColumnBias);
#pragma GCC unroll 1
    for (std::size_t leg = 0; leg < kLegsA; ++leg)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kColumns; v += kPair) {
        Word* at = from + leg * kColumns + v;
        forward_column_step<P, kA, 0>(at, kLegsA * kColumns, at, kLegsA * kColumns, 0, words, f, minus_bias);
      }
#pragma GCC unroll 1
    for (std::size_t group = 0; group < kLegsB; ++group)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kColumns; v += kPair) {
        const std::size_t at = group * kLegsA * kColumns + v;
        if (around) {
          forward_column_step<P, kB, kA, true>(from + at, kColumns, to + at, kColumns, group, words, f, minus_bias);
        } else {
          forward_column_step<P, kB, kA>(from + at, kColumns, to + at, kColumns, group, words, f, minus_bias);
        }
      }
  }

  template <class P>
  static void inverse_tile(const Word* from, Word* to, const NttWords& words) {
    const Field f(words.modulus);
#pragma GCC unroll 1
    for (std::size_t group = 0; group < kLegsB; ++group)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kColumns; v += kPair) {
        const std::size_t at = group * kLegsA * kColumns + v;
#pragma GCC unroll 16
        for (std::size_t leg = 0; leg < kLegsA; ++leg) prefetch<2>(from + at + leg * kColumns, kTileStride);
        inverse_column_step<P, kB, kA>(from + at, kColumns, to + at, kColumns, group, words, f);
      }
#pragma GCC unroll 1
    for (std::size_t leg = 0; leg < kLegsA; ++leg)
#pragma GCC unroll 1
      for (std::size_t v = 0; v < kColumns; v += kPair) {
        Word* at = to + leg * kColumns + v;
        inverse_column_step<P, kA, 0>(at, kLegsA * kColumns, at, kLegsA * kColumns, 0, words, f);
      }
  }

  /// The words of columns [column, column + 16) of a block's first row, in the tiles.
  static std::size_t place(std::size_t block, std::size_t column) {
    return column / kColumns * kTileStride + block * kColumns + column % kColumns;
  }

  template <class P, bool kLazy>
  static void forward_block(const Word* tiled, std::size_t block, Word* out, const NttWords& words) {
    const Field f(words.modulus);
    const Vector minus_bias = broadcast(Word{0} - P::kColumnBias);
#pragma GCC unroll 1
    for (std::size_t column = 0; column < kRow; column += kPair) {
      const Word* from = tiled + place(block, column);
      if constexpr (kM > 0) {
        const Word* next = tiled + place(block, column + kPair);
#pragma GCC unroll 8
        for (std::size_t t = 0; t < kRows; ++t) prefetch<2, _MM_HINT_T0>(next, t * kStride);
        forward_column_step<P, kM, kColumnStages>(from, kStride, out + column, kRow, block, words, f, minus_bias);
      } else {
        store(out + column, load(from));
        store(out + column + 8, load(from + 8));
      }
    }
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRows; ++i)
      forward_row_first<P>(out + i * kRow, words.rows + (block * kRows + i) * kRowWords, f);
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRows; ++i)
      forward_row_last<P, kLazy>(out + i * kRow, words.twist, f, tiled + place(block + 1, i * kRow), kTileStride);
  }

  template <class P>
  static void inverse_block(const Word* in, std::size_t block, Word* tiled, const NttWords& words, bool around) {
    const Field f(words.modulus);
    alignas(64) Word scratch[kRows * kRow];
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kRows; ++i) {
      prefetch<kRow / 8>(in, (kRows + i) * kRow);
      inverse_row<P, false>(in + i * kRow, scratch + i * kRow, words.inverse_rows + (block * kRows + i) * kRowWords,
                            words.inverse_twist, f);
    }
#pragma GCC unroll 1
    for (std::size_t column = 0; column < kRow; column += kPair) {
      Word* to = tiled + place(block, column);
      if constexpr (kM == 0) {
        around ? stream(to, load(scratch + column)) : store(to, load(scratch + column));
        around ? stream(to + 8, load(scratch + column + 8)) : store(to + 8, load(scratch + column + 8));
      } else if (around) {
        inverse_column_step<P, kM, kColumnStages, true>(scratch + column, kRow, to, kStride, block, words, f);
      } else {
        inverse_column_step<P, kM, kColumnStages>(scratch + column, kRow, to, kStride, block, words, f);
      }
    }
  }
};

/// Calls run with the split of this degree, 2^12 at least.
template <class Run>
void with_split(unsigned log_n, const Run& run) {
  switch (log_n) {
    case 12: return run(Split<2, 2, 0>());
    case 13: return run(Split<2, 2, 1>());
    case 14: return run(Split<3, 2, 1>());
    case 15: return run(Split<3, 2, 2>());
    case 16: return run(Split<3, 2, 3>());
    case 17: return run(Split<3, 3, 3>());
    default: return;
  }
}

/// Calls run with the split for this degree and the policy for this prime and direction.
template <bool kForward, class Run>
void with_phases(const NttWords& words, const Run& run) {
  with_policy<kForward>(
      words, [&]<class P>(P policy) { with_split(words.log_n, [&]<class S>(S split) { run(split, policy); }); });
}

void forward_tile(Word* from, Word* to, const NttWords& words, bool around) {
  with_phases<true>(words, [&]<class S, class P>(S, P) { S::template forward_tile<P>(from, to, words, around); });
}
template <bool kLazy>
void forward_block(const Word* tiled, std::size_t block, Word* out, const NttWords& words) {
  with_phases<true>(words,
                    [&]<class S, class P>(S, P) { S::template forward_block<P, kLazy>(tiled, block, out, words); });
}
void inverse_block(const Word* in, std::size_t block, Word* tiled, const NttWords& words, bool around) {
  with_phases<false>(words,
                     [&]<class S, class P>(S, P) { S::template inverse_block<P>(in, block, tiled, words, around); });
}
void inverse_tile(const Word* from, Word* to, const NttWords& words) {
  with_phases<false>(words, [&]<class S, class P>(S, P) { S::template inverse_tile<P>(from, to, words); });
}

unsigned log_rows(unsigned log_n) {
  unsigned stages = 0;
  with_split(log_n, [&]<class S>(S) { stages = S::kColumnStages; });
  return stages;
}

}  // namespace

const TiledNtt kAvx512IfmaTiledNtt = {log_rows,      forward_tile, forward_block<false>, forward_block<true>,
                                      inverse_block, inverse_tile};

}  // namespace tacit::ring::simd
