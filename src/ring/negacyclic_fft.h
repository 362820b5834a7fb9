#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/aligned.h"
#include "base/cpu.h"
#include "ring/simd/fft_kernels.h"

namespace tacit::ring {

/// Describes how a word of the torus is cut into signed digits in [-B / 2, B / 2] with B = 2^base_log. The word is
/// rounded to its upper levels * base_log bits. It then equals the sum of digit l times 2^64 / B^(l + 1).
using simd::DigitCut;

/// Multiplies small integer polynomials by polynomials over the 64-bit torus, in Z[X] / (X^N + 1). Words of the torus
/// are fractions of 1 in units of 2^-64. The products use a complex FFT of N / 2 points in double precision. The
/// polynomial is folded, and evaluated at the roots of Z^(N/2) = i (Klemsa 2021, "Fast and error-free negacyclic
/// integer convolution using extended Fourier transform"). Results are rounded and wrap around, as the torus does.
/// Their error is noise of the schemes above (params/tfhe_noise.h).
///
/// A spectrum is N doubles on cache lines, in the kernels' own order. The order is the same for all instruction sets,
/// and results of different sets differ by roundings. Thread safe.
class NegacyclicFft {
 public:
  static constexpr std::size_t kLeast = 256, kMost = 1 << 16;
  /// Throws InputError unless N is a power of two in [kLeast, kMost]. The processor must support the instruction set.
  explicit NegacyclicFft(std::size_t n, base::Isa isa = base::active_isa());
  std::size_t n() const { return 2 * tables_.points; }

  /// Computes the spectrum of words, read as fractions in [-1/2, 1/2). It is for the factor of a product that is not
  /// digits.
  void words_to_spectrum(std::span<const std::uint64_t> words, std::span<double> spectrum) const;

  /// Returns the number of doubles of a matrix of spectra in the order of products().
  std::size_t matrix_doubles(std::size_t rows, std::size_t columns) const { return rows * columns * n(); }
  /// Stores the spectrum of words at the place where products() reads it.
  void store(std::span<const double> spectrum, std::size_t row, std::size_t column, std::size_t rows,
             std::size_t columns, std::span<double> matrix) const;

  /// The number of words after a polynomial that begin_digits turns. They are minus its first words, with which the
  /// turned polynomial continues.
  static constexpr std::size_t kGuard = simd::kFftGuard;
  /// Writes the guard words after N words.
  void set_guard(std::uint64_t* polynomial) const {
    for (std::size_t i = 0; i < kGuard; ++i) polynomial[n() + i] = 0 - polynomial[i];
  }

  /// Writes the digits of X^rotation * from - minus, transformed half way to their spectra. `from` has its guard.
  /// rows[l] is the row of level l, N doubles on cache lines. 0 <= rotation < 2N. base_log <= 32, base_log * levels <=
  /// 60.
  void begin_digits(const std::uint64_t* from, std::size_t rotation, const std::uint64_t* minus, DigitCut cut,
                    double* const* rows) const {
    kernels_->begin_digits(tables_, from, rotation, minus, cut, rows);
  }
  /// Transforms integers up to 2^52, held as reals, half way to their spectrum, in place.
  void begin_reals(std::span<double> values) const;
  /// Multiplies the rows from begin_digits by the matrix. The results are `columns` polynomials, half way back. Columns
  /// may be rows. Unless `next` is null, the matrix of the same shape at `next` is fetched meanwhile.
  void products(std::span<double* const> rows, const double* matrix, std::span<double* const> columns,
                const double* next = nullptr) const;
  /// Adds a column to N words, and overwrites the column.
  void add_words(double* column, std::uint64_t* to) const { kernels_->add_words(tables_, column, to); }

 private:
  /// Writes real(i), 0 <= i < N, as the real and imaginary parts of the N / 2 points.
  template <class Real>
  void fold(const Real& real, double* values) const;
  simd::FftTables tables_;
  std::shared_ptr<const base::AlignedVector<double>> roots_;  ///< the memory of tables_
  const simd::FftKernels* kernels_;
};

}  // namespace tacit::ring
