#pragma once

#include <cstddef>
#include <cstdint>

#include "ring/simd/modulus_words.h"

namespace tacit::ring::simd {

/// The roots of one prime and degree, as kernels read them. Entry m + i of a table (m = 1, 2, 4, ... and i < m) is the
/// root psi^brv(m + i) of block i in the stage with m blocks. brv is on log2 n bits (Longa, Naehrig 2016, section 3).
/// The inverse tables hold the inverses. The companions are 52-bit Shoup quotients.
struct NttWords {
  ModulusWords modulus;
  std::size_t n = 0;
  unsigned log_n = 0;
  /// Multipliers are slower than additions, so that corrections with fewer products are worth more instructions.
  bool scarce_multipliers = false;
  /// n entries each. If `rows` is given, only the first n / 256, those of the column pass.
  const std::uint64_t* root = nullptr;
  const std::uint64_t* root_shoup = nullptr;
  const std::uint64_t* inverse_root = nullptr;
  const std::uint64_t* inverse_root_shoup = nullptr;
  std::uint64_t scale = 0;  ///< 1/n, and 1/n * inverse_root[1], both applied by the last inverse stage
  std::uint64_t scale_shoup = 0;
  std::uint64_t scale_root = 0;
  std::uint64_t scale_root_shoup = 0;
  /// The tables of two_pass_tables.h, or null.
  const std::uint64_t* rows = nullptr;
  const std::uint64_t* twist = nullptr;
  const std::uint64_t* inverse_rows = nullptr;
  const std::uint64_t* inverse_twist = nullptr;
};

/// The degree from which AVX2 computes on doubles. Its root tables then hold the bits of double(w). The companions hold
/// the bits of w / q, rounded.
inline constexpr std::size_t kRealRootsMinimum = 16;

/// The shape of the two-pass tables: words of one row's entry, and how many of them are scale vectors. Then the words
/// of the twist vectors before the roots of the cyclic 16-point transform.
inline constexpr std::size_t kTwoPassRow = 256;
inline constexpr std::size_t kRowWords = 96;
inline constexpr std::size_t kRowScaleWords = 64;
inline constexpr std::size_t kTwistWords = 512;

/// The columns of a tile of the tiled transform. tile_stride gives the words between the starts of tiles of 2^log_rows
/// rows. It exceeds a tile by a cache line, so that the legs of a step across tiles do not share cache sets.
inline constexpr std::size_t kTileColumns = 32;
constexpr std::size_t tile_stride(unsigned log_rows) { return (kTileColumns << log_rows) + 8; }

/// The two phases of the transform as separate kernels (ntt.h).
struct TiledNtt {
  /// Returns the stages of the phase on tiles at this degree, or 0 if the phases are not separate.
  unsigned (*log_rows)(unsigned log_n);
  /// Takes words in [0, 2q).
  void (*forward_tile)(std::uint64_t* from, std::uint64_t* to, const NttWords& words, bool around);
  void (*forward_block)(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out, const NttWords& words);
  void (*forward_block_lazy)(const std::uint64_t* tiled, std::size_t block, std::uint64_t* out, const NttWords& words);
  void (*inverse_block)(const std::uint64_t* in, std::size_t block, std::uint64_t* tiled, const NttWords& words,
                        bool around);
  void (*inverse_tile)(const std::uint64_t* from, std::uint64_t* to, const NttWords& words);
};

/// One target prime of a base conversion.
struct ConversionTarget {
  ModulusWords modulus;
  const std::uint64_t* factor = nullptr;  ///< sources + 1 words: (Q / q_i) mod p for every source i, then -Q mod p
  const std::uint64_t* factor_two52 = nullptr;  ///< the same times 2^52 mod p, for Montgomery reduction by 2^52
  unsigned log_bound = 0;  ///< bound of a sum of products with factor_two52, divided by 2^52, plus p: 2^log_bound * p
};

/// One source prime of a base conversion.
struct ConversionSource {
  ModulusWords modulus;
  std::uint64_t factor = 0;  ///< (Q / q_i)^-1 mod q_i and its companion
  std::uint64_t factor_shoup = 0;
  double inverse = 0;  ///< 1.0 / q_i
};

/// A map of n positions, n a power of two: the reversal of position x reads the reversal of y = multiplier * x + offset
/// modulo n. The multiplier is odd.
struct AffineMap {
  std::uint32_t multiplier = 1, offset = 0;
};

/// Factors of which every word stands for 2^log_times consecutive positions: position i reads words[i >> log_times]. A
/// diagonal that repeats is held and read this way, and a constant is one word. Backwards, `words` is the word of the
/// first position. Position i then reads the word (i >> log_times) before it, the mirror image of kept words.
struct FactorRow {
  const std::uint64_t* words = nullptr;
  std::size_t log_times = 0;
  bool backwards = false;

  /// Returns the word of a position.
  const std::uint64_t* at(std::size_t i) const {
    return backwards ? words - (i >> log_times) : words + (i >> log_times);
  }
};

/// The words of the longest run that is permuted at once, and the reversals of its positions. The reversals of shorter
/// runs are the same shifted down.
inline constexpr unsigned kLogPermutedWords = 9;
inline constexpr std::size_t kPermutedWords = std::size_t{1} << kLogPermutedWords;
struct Reversals {
  std::uint16_t of[kPermutedWords] = {};
  constexpr Reversals() {
    for (std::size_t i = 1; i < kPermutedWords; ++i)
      of[i] = static_cast<std::uint16_t>(of[i / 2] / 2 + i % 2 * (kPermutedWords / 2));
  }
};
inline constexpr Reversals kReversals;

/// The inputs from which a row of uniform words is expanded (uniform_row.h).
struct UniformWords {
  ModulusWords modulus;
  unsigned shift = 0;          ///< shift of a draw
  std::uint64_t multiple = 1;  ///< multiple of q below which shifted draws are taken
  std::uint64_t row = 0;
  std::uint64_t tweak[2] = {};
  std::uint64_t round_keys[22] = {};  ///< the first two are the key, from which uniform_prepare makes the others
};

/// A product of two rows and of the first one with a uniform row; ProductTerm is a separate product.
struct UniformTerm {
  const std::uint64_t* left = nullptr;
  const std::uint64_t* right = nullptr;
  const UniformWords* uniform = nullptr;
};
struct ProductTerm {
  FactorRow left;
  const std::uint64_t* right = nullptr;
};
/// Computes the sum of left * right and the sum of left * uniform over `terms`, plus more products on either side. Both
/// are divided by 2^52 modulo q. The words of `next` are prefetched meanwhile.
struct UniformDot {
  const UniformTerm* terms = nullptr;
  std::size_t count = 0;
  const ProductTerm* more[2] = {};
  std::size_t more_count[2] = {};
  const std::uint64_t* const* next = nullptr;
  std::size_t nexts = 0;
  /// Permutes both results (limb::permute) unless it is null. Then only their low 52 bits count, modulo q.
  const AffineMap* permutation = nullptr;
};
/// The number of words that a uniform row is drawn, and multiplied, by.
inline constexpr std::size_t kUniformTile = 32;

/// Kernels that work word by word.
struct ElementKernels {
  void (*add)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const ModulusWords& q);
  void (*sub)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, const ModulusWords& q);
  void (*negate)(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const ModulusWords& q);
  void (*multiply)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                   const ModulusWords& q);
  void (*multiply_add)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::size_t n,
                       const ModulusWords& q);
  /// w_shoup = floor(w * 2^52 / q), here and below.
  void (*multiply_scalar)(std::uint64_t* out, const std::uint64_t* a, std::uint64_t w, std::uint64_t w_shoup,
                          std::size_t n, const ModulusWords& q);
  void (*sub_multiply_scalar)(std::uint64_t* out, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t w,
                              std::uint64_t w_shoup, std::size_t n, const ModulusWords& q);
  void (*add_scalar)(std::uint64_t* out, const std::uint64_t* a, std::uint64_t w, std::size_t n, const ModulusWords& q);
  /// Adds w * a[n - j] to a[j] for 0 < j < n, all at once.
  void (*mirror_add)(std::uint64_t* a, std::uint64_t w, std::uint64_t w_shoup, std::size_t n, const ModulusWords& q);
};

/// Sums of products.
struct SumKernels {
  void (*dot)(std::uint64_t* out, const FactorRow* a, const std::uint64_t* const* b, std::size_t count, std::size_t n,
              const ModulusWords& q);
  /// Factor k of pair p is a[p * count + k] (limb.h).
  void (*dot_pairs)(std::uint64_t* const* out, std::size_t pairs, const FactorRow* a, const std::uint64_t* const* b0,
                    const std::uint64_t* const* b1, std::size_t count, std::size_t n, const ModulusWords& q);
  std::size_t pairs_together;  ///< pairs for which b0 and b1 are read once
};

/// Kernels of uniform rows.
struct UniformKernels {
  /// Writes words [at, at + n) of a uniform row. This and the next are null if the cryptographic library's cipher is
  /// used.
  void (*uniform_prepare)(UniformWords& words);
  void (*uniform)(std::uint64_t* out, std::size_t at, std::size_t n, const UniformWords& words);
  /// uniform_dot.h; `at` and n are multiples of kUniformTile.
  void (*uniform_dot_pair)(const UniformDot& dot, std::uint64_t* out0, std::uint64_t* out1, std::size_t at,
                           std::size_t n, const ModulusWords& q);
};

/// Kernels that move words.
struct MoveKernels {
  /// n a power of two from 8 to kPermutedWords.
  void (*permute)(std::uint64_t* out, const std::uint64_t* a, AffineMap map, std::size_t n, bool around);
  void (*copy_around)(std::uint64_t* out, const std::uint64_t* a, std::size_t n);
  void (*switch_modulus)(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const ModulusWords& from,
                         const ModulusWords& to);
};

/// Kernels that transform one polynomial.
struct TransformKernels {
  void (*ntt_forward)(std::uint64_t* a, const NttWords& words);
  void (*ntt_inverse)(std::uint64_t* a, const NttWords& words);
  const TiledNtt* tiled;  ///< null if the phases are separate at no degree
};

/// Kernels that convert between primes.
struct ConversionKernels {
  /// Converts a strip, the coefficients [begin, begin + strip) of every limb, in two halves. `prepared` starts on a
  /// cache line and holds (sources + 1) * kConversionStride words: the scaled sources and the quotient. Only the same
  /// instruction set reads their form. The results are in [0, 2q).
  void (*convert_prepare)(const std::uint64_t* const* src, std::size_t sources, const ConversionSource* source,
                          std::size_t begin, std::size_t strip, std::uint64_t* prepared);
  void (*convert_prepared)(const std::uint64_t* prepared, std::size_t sources, std::uint64_t* const* dst,
                           std::size_t targets, const ConversionTarget* target, std::size_t begin, std::size_t strip);
};

/// The element-wise and transform kernels of one instruction set. Contracts are those of limb.h, ntt.h and
/// base_converter.h: canonical words in and out, n a multiple of 8. Every table gives equal bits.
struct Kernels : ElementKernels, SumKernels, UniformKernels, MoveKernels, TransformKernels, ConversionKernels {};

/// The most coefficients that a base conversion handles at a time. The scratch of a dozen sources then stays in the
/// first cache. Its rows are slightly further apart, so that they do not share cache sets.
inline constexpr std::size_t kConversionStrip = 256;
inline constexpr std::size_t kConversionStride = kConversionStrip + 16;

}  // namespace tacit::ring::simd
