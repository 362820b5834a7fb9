#include "ring/negacyclic_fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.h"
#include "ring/bit_reversal.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {

using Angles = std::vector<long double>;  // in turns: exact, for they are sums of powers of two

/// The nodes below, in order.
Angles children(const Angles& nodes, unsigned log_radix) {
  const std::size_t radix = std::size_t{1} << log_radix;
  Angles result;
  for (const long double angle : nodes)
    for (std::size_t b = 0; b < radix; ++b)
      result.push_back((angle + static_cast<long double>(reverse_bits(b, log_radix))) /
                       static_cast<long double>(radix));
  return result;
}

struct Root {
  double re, im;
};
Root root(long double turns) {
  const long double angle = 2 * std::numbers::pi_v<long double> * turns;
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// e^(i t k / radix) of a node at angle t.
Root factor(long double turns, std::size_t k, std::size_t radix) {
  return root(turns * static_cast<long double>(k) / static_cast<long double>(radix));
}

/// The first pass has what the passes of radix 4 leave.
unsigned first_pass_log(unsigned top_levels) { return top_levels % 2 == 1 ? 1 : 2; }

}  // namespace

NegacyclicFft::NegacyclicFft(std::size_t n, base::Isa isa) : kernels_(&simd::fft_kernels_of(isa)) {
  if (!std::has_single_bit(n) || n < kLeast || n > kMost)
    throw base::InputError("FFT of polynomials of degree " + std::to_string(n) + ": expected a power of two from " +
                           std::to_string(kLeast) + " to " + std::to_string(kMost));
  tables_.points = n / 2;
  tables_.top_levels = static_cast<unsigned>(std::countr_zero(tables_.points / simd::kFftBlock));
  Angles nodes = {0.25L};  // Z^M = i
  std::vector<double> top;
  for (unsigned level = 0; level < tables_.top_levels;) {
    const unsigned log_radix = level == 0 ? first_pass_log(tables_.top_levels) : 2;
    const std::size_t radix = std::size_t{1} << log_radix;
    for (const long double angle : nodes)
      for (std::size_t k = 1; k < radix; ++k) {
        const Root w = factor(angle, k, radix);
        top.insert(top.end(), {w.re, w.im});
      }
    nodes = children(nodes, log_radix);
    level += log_radix;
  }
  top.resize((top.size() + 7) / 8 * 8);
  auto roots = std::make_shared<base::AlignedVector<double>>(top.size() + nodes.size() * simd::kFftBlockWords);
  std::ranges::copy(top, roots->begin());
  double* block = roots->data() + top.size();
  constexpr std::size_t kRadix = 8;
  for (const long double angle : nodes) {
    std::fill_n(block, simd::kFftBlockWords, 0.0);
    const Angles below = children({angle}, 3);
    for (std::size_t k = 1; k < kRadix; ++k) {
      const Root w = factor(angle, k, kRadix);
      block[2 * k - 2] = w.re;
      block[2 * k - 1] = w.im;
      for (std::size_t lane = 0; lane < kRadix; ++lane) {
        const Root v = factor(below[lane], k, kRadix);
        double* const group = block + simd::kFftBlockLanes + 16 * (k - 1) + lane;
        group[0] = v.re;
        group[kRadix] = v.im;
      }
    }
    block += simd::kFftBlockWords;
  }
  tables_.top = roots->data();
  tables_.blocks = roots->data() + top.size();
  roots_ = std::move(roots);
}

template <class Real>
void NegacyclicFft::fold(const Real& real, double* values) const {
  for (std::size_t j = 0; j < tables_.points; ++j) {
    double* const at = values + j / 8 * 16 + j % 8;
    at[0] = real(j);
    at[8] = real(j + tables_.points);
  }
}

// No copy in between: the words may be a secret.
void NegacyclicFft::words_to_spectrum(std::span<const std::uint64_t> words, std::span<double> spectrum) const {
  TACIT_ASSERT(words.size() == n() && spectrum.size() == n());
  // The factor 1 / M of the inverse is put here.
  const double scale = 0x1p-64 / static_cast<double>(tables_.points);
  fold([&](std::size_t i) { return static_cast<double>(static_cast<std::int64_t>(words[i])) * scale; },
       spectrum.data());
  kernels_->begin_reals(tables_, spectrum.data());
  kernels_->finish(tables_, spectrum.data());
}

void NegacyclicFft::store(std::span<const double> spectrum, std::size_t row, std::size_t column, std::size_t rows,
                          std::size_t columns, std::span<double> matrix) const {
  TACIT_ASSERT(matrix.size() == matrix_doubles(rows, columns) && row < rows && column < columns);
  const std::size_t blocks = n() / simd::kFftBlockWords;
  for (std::size_t block = 0; block < blocks; ++block)
    std::copy_n(spectrum.data() + block * simd::kFftBlockWords, simd::kFftBlockWords,
                matrix.data() + ((block * rows + row) * columns + column) * simd::kFftBlockWords);
}

void NegacyclicFft::begin_reals(std::span<double> values) const {
  TACIT_ASSERT(values.size() == n());
  const std::vector<double> reals(values.begin(), values.end());
  fold([&](std::size_t i) { return reals[i]; }, values.data());
  kernels_->begin_reals(tables_, values.data());
}

void NegacyclicFft::products(std::span<double* const> rows, const double* matrix, std::span<double* const> columns,
                             const double* next) const {
  TACIT_ASSERT(rows.size() <= simd::kMostFftRows);
  kernels_->products(tables_, rows.data(), rows.size(), matrix, columns.data(), columns.size(), next);
}

}  // namespace tacit::ring
