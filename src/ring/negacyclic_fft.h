#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/aligned.h"
#include "base/cpu.h"
#include "ring/simd/fft_kernels.h"

namespace tacit::ring {

/// How a word of the torus is cut into signed digits in [-B / 2, B / 2], B = 2^base_log: the word rounded to its upper
/// levels * base_log bits is the sum of digit l times 2^64 / B^(l + 1).
using simd::DigitCut;

/// Products in Z[X] / (X^N + 1) of small integer polynomials with polynomials over the 64-bit torus, whose words are
/// fractions of 1 in units of 2^-64. They go through a complex FFT of N / 2 points in double precision. The polynomial
/// is folded, and evaluated at the roots of Z^(N/2) = i (Klemsa 2021, "Fast and error-free negacyclic integer
/// convolution using extended Fourier transform"). Results are rounded and wrap around, as the torus does; their error
/// is noise of the schemes above (params/tfhe_noise.h). A spectrum is N doubles, on cache lines, whose order is the
/// kernels' own: the same for all instruction sets, whose results differ by roundings. Thread safe.
class NegacyclicFft {
 public:
  static constexpr std::size_t kLeast = 256, kMost = 1 << 16;
  /// Throws InputError unless N is a power of two in [kLeast, kMost]. The processor must support the instruction set.
  explicit NegacyclicFft(std::size_t n, base::Isa isa = base::active_isa());
  std::size_t n() const { return 2 * tables_.points; }

  /// The spectrum of words, read as fractions in [-1/2, 1/2), for the factor of a product that is not digits.
  void words_to_spectrum(std::span<const std::uint64_t> words, std::span<double> spectrum) const;

  /// Doubles of a matrix of spectra, which products() reads as it lies.
  std::size_t matrix_doubles(std::size_t rows, std::size_t columns) const { return rows * columns * n(); }
  /// Puts the spectrum of words where products() looks for it.
  void store(std::span<const double> spectrum, std::size_t row, std::size_t column, std::size_t rows,
             std::size_t columns, std::span<double> matrix) const;

  /// Words behind a polynomial that begin_digits turns: minus its first ones, which the turned polynomial goes on with.
  static constexpr std::size_t kGuard = simd::kFftGuard;
  /// Writes them, behind N words.
  void set_guard(std::uint64_t* polynomial) const {
    for (std::size_t i = 0; i < kGuard; ++i) polynomial[n() + i] = 0 - polynomial[i];
  }

  /// Digits of X^rotation * from - minus, half way to their spectra: `from` with its guard; rows[l] is that of level l,
  /// of N doubles on cache lines. 0 <= rotation < 2N. base_log <= 32, base_log * levels <= 60.
  void begin_digits(const std::uint64_t* from, std::size_t rotation, const std::uint64_t* minus, DigitCut cut,
                    double* const* rows) const {
    kernels_->begin_digits(tables_, from, rotation, minus, cut, rows);
  }
  /// Integers up to 2^52, as reals, in place, half way to their spectrum.
  void begin_reals(std::span<double> values) const;
  /// What begin_digits gave, times the matrix: `columns` polynomials, half way back. They may be rows. The matrix at
  /// `next`, of the same shape, is fetched meanwhile, unless it is null.
  void products(std::span<double* const> rows, const double* matrix, std::span<double* const> columns,
                const double* next = nullptr) const;
  /// Adds one of them to N words; overwrites it.
  void add_words(double* column, std::uint64_t* to) const { kernels_->add_words(tables_, column, to); }

 private:
  /// real(i), 0 <= i < N, as the real and imaginary parts of the N / 2 points.
  template <class Real>
  void fold(const Real& real, double* values) const;
  simd::FftTables tables_;
  std::shared_ptr<const base::AlignedVector<double>> roots_;  ///< what tables_ points into
  const simd::FftKernels* kernels_;
};

}  // namespace tacit::ring
