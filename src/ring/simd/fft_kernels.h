#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::ring::simd {

/// The complex points that the passes nearest to the spectrum handle in registers, and their doubles. The points are in
/// groups of eight, eight real parts before eight imaginary ones.
inline constexpr std::size_t kFftBlock = 64;
inline constexpr std::size_t kFftBlockWords = 2 * kFftBlock;

/// The roots of one degree, as kernels read them. The folded polynomial is modulo Z^M - i, M = N / 2. A node of the
/// tree of factors is Z^m - e^(i t). A pass of radix r splits every node into r nodes Z^(m/r) - e^(i (t + 2 pi b) / r),
/// b in bit-reversed order. Its factors are e^(i t k / r), 0 < k < r: constants of a whole node.
struct FftTables {
  std::size_t points = 0;  ///< M
  /// Radix-2 levels above blocks. The pass that meets integers has radix 2 or 4, all others radix 4.
  unsigned top_levels = 0;
  const double* top = nullptr;  ///< pass after pass, node after node: radix - 1 pairs (real, imaginary)
  /// kFftBlockWords for every block: 7 pairs of its first radix-8 step, then 7 groups of its second one. A group has a
  /// lane for each of the eight nodes below.
  const double* blocks = nullptr;
};
inline constexpr std::size_t kFftBlockLanes = 16;  ///< beginning of these groups

/// Describes how a 64-bit word is cut into digits: `levels` digits of `base_log` bits, from the top.
struct DigitCut {
  unsigned base_log = 0, levels = 0;
};

/// The number of words after a polynomial that is turned.
inline constexpr std::size_t kFftGuard = 8;

/// The most rows of one product of digits with a key. The digits' transforms stay in registers and the nearest cache.
inline constexpr std::size_t kMostFftRows = 32;

/// A product of a matrix of 32-bit words with digits, for `count` vectors m. From out[m * out_stride + i], i < columns,
/// it subtracts the sum over r < rows of digits[m * digit_stride + r] times row r of the matrix, modulo 2^32. The
/// number of columns is a multiple of kTorusColumns. That many words of a row are consecutive, and the next tile is
/// tile_stride words further.
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
  /// Runs the passes above the blocks for the digits of X^rotation * from - minus; rows[level], most significant level
  /// first. kFftGuard words follow the N words of `from`: minus the first ones.
  void (*begin_digits)(const FftTables& tables, const std::uint64_t* from, std::size_t rotation,
                       const std::uint64_t* minus, DigitCut cut, double* const* rows);
  /// Runs the same passes for reals, folded already, in place.
  void (*begin_reals)(const FftTables& tables, double* values);
  /// Runs the passes on blocks, in place: from begin_* to the spectrum.
  void (*finish)(const FftTables& tables, double* values);
  /// Finishes every row, multiplies by the key, sums into columns, and inverts their blocks. A column may be a row. The
  /// key holds, block after block, kFftBlockWords for every row and column, columns nearest. Unless `next` is null, as
  /// many doubles at `next` are fetched towards the second cache meanwhile.
  void (*products)(const FftTables& tables, const double* const* rows, std::size_t row_count, const double* key,
                   double* const* columns, std::size_t column_count, const double* next);
  /// Runs the passes above the blocks of the inverse. Fractions of the results, times 2^64 and rounded, are added to
  /// `to`. `values` is overwritten.
  void (*add_words)(const FftTables& tables, double* values, std::uint64_t* to);
  void (*subtract_digit_products)(const DigitProducts& products);
};

extern const FftKernels kPortableFft;
extern const FftKernels kAvx2Fft;
extern const FftKernels kAvx512IfmaFft;

}  // namespace tacit::ring::simd
