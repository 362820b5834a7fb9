#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::ring::simd {

/// Complex points that the passes nearest to the spectrum handle in registers, and the doubles that they take: groups
/// of eight, eight real parts before eight imaginary ones.
inline constexpr std::size_t kFftBlock = 64;
inline constexpr std::size_t kFftBlockWords = 2 * kFftBlock;

/// Roots of one degree, as kernels read them. The folded polynomial lives modulo Z^M - i, M = N / 2. A node of the tree
/// of factors is Z^m - e^(i t). A pass of radix r splits every node into r nodes Z^(m/r) - e^(i (t + 2 pi b) / r), b in
/// bit-reversed order. Its factors are e^(i t k / r), 0 < k < r: constants of a whole node.
struct FftTables {
  std::size_t points = 0;  ///< M
  /// Radix-2 levels above blocks: the pass that meets integers has radix 2 or 4, all others radix 4.
  unsigned top_levels = 0;
  const double* top = nullptr;  ///< pass after pass, node after node: radix - 1 pairs (real, imaginary)
  /// kFftBlockWords for every block: 7 pairs of its first radix-8 step, then of its second one 7 groups, a lane for
  /// each of the eight nodes below.
  const double* blocks = nullptr;
};
inline constexpr std::size_t kFftBlockLanes = 16;  ///< where those groups begin

/// How a 64-bit word is cut into digits: `levels` of `base_log` bits, from the top.
struct DigitCut {
  unsigned base_log = 0, levels = 0;
};

/// Words behind a polynomial that is turned.
inline constexpr std::size_t kFftGuard = 8;

/// Rows of one product of digits with a key: the digits' transforms lie in registers and the nearest cache.
inline constexpr std::size_t kMostFftRows = 32;

/// A product of a matrix of 32-bit words with digits: from out[m * out_stride + i], i < columns, is subtracted the sum
/// over r < rows of digits[m * digit_stride + r] times row r of the matrix, modulo 2^32. For `count` vectors m. Columns
/// are a multiple of kTorusColumns; so many of a row lie together, and tile_stride words further those of the next
/// tile.
struct DigitProducts {
  const std::uint32_t* key = nullptr;
  std::size_t tile_stride = 0, columns = 0, rows = 0;
  const std::int32_t* digits = nullptr;
  std::size_t digit_stride = 0;
  std::uint32_t* out = nullptr;
  std::size_t out_stride = 0, count = 0;
};
inline constexpr std::size_t kTorusColumns = 64;

/// The kernels of the real FFT and of the 32-bit torus of one instruction set. Contracts are those of negacyclic_fft.h.
/// Transforms of different sets differ by roundings alone.
struct FftKernels {
  /// The passes above the blocks, of digits of X^rotation * from - minus; rows[level], most significant level first.
  /// Behind the N words of `from` lie kFftGuard more: minus the first ones.
  void (*begin_digits)(const FftTables& tables, const std::uint64_t* from, std::size_t rotation,
                       const std::uint64_t* minus, DigitCut cut, double* const* rows);
  /// The same of reals, folded already, in place.
  void (*begin_reals)(const FftTables& tables, double* values);
  /// The passes on blocks, in place: from begin_* to the spectrum.
  void (*finish)(const FftTables& tables, double* values);
  /// The same of every row, products with the key, summed into columns, and the blocks of their inverse. A column may
  /// be a row. The key holds, block after block, kFftBlockWords for every row and column, columns nearest. As many
  /// doubles at `next`, if it is not null, are fetched towards the second cache meanwhile.
  void (*products)(const FftTables& tables, const double* const* rows, std::size_t row_count, const double* key,
                   double* const* columns, std::size_t column_count, const double* next);
  /// The passes above the blocks of the inverse; fractions of the results, times 2^64 and rounded, are added to `to`.
  /// `values` is overwritten.
  void (*add_words)(const FftTables& tables, double* values, std::uint64_t* to);
  void (*subtract_digit_products)(const DigitProducts& products);
};

extern const FftKernels kPortableFft;
extern const FftKernels kAvx2Fft;
extern const FftKernels kAvx512IfmaFft;

}  // namespace tacit::ring::simd
