#include "ring/embedding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/error.h"
#include "ring/bit_reversal.h"

// The vectoriser of GCC 12 fuses complex products (vfmaddsub) whatever -ffp-contract says.
#if defined(__GNUC__) && !defined(__clang__) && defined(__FMA__)
#pragma GCC optimize("no-tree-vectorize")
#endif

namespace tacit::ring {
namespace {

using Complex = std::complex<double>;

// std::complex's own product checks for infinities in every call.
inline Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void reverse_positions(std::span<Complex> z) {
  const auto bits = static_cast<unsigned>(std::countr_zero(z.size()));
  for (std::size_t i = 0; i < z.size(); ++i)
    if (const std::size_t j = reverse_bits(i, bits); i < j) std::swap(z[i], z[j]);
}

}  // namespace

std::vector<Complex> stage_roots(std::size_t half) {
  std::vector<Complex> result(half);
  const std::size_t order = 8 * half;
  std::size_t exponent = 1;
  for (std::size_t j = 0; j < half; ++j) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(exponent) / static_cast<long double>(order);
    result[j] = {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
    exponent = exponent * 5 % order;
  }
  return result;
}

Embedding::Embedding(std::size_t slots) : slots_(slots), roots_(slots == 0 ? 1 : slots) {
  if (!std::has_single_bit(slots))
    throw base::InputError("embedding of " + std::to_string(slots) + " slots: expected a power of two");
  for (std::size_t half = 1; half < slots; half *= 2) std::ranges::copy(stage_roots(half), &roots_[half]);
}

void Embedding::coefficients_to_slots(std::span<Complex> z) const {
  TACIT_ASSERT(std::has_single_bit(z.size()) && z.size() <= slots_);
  reverse_positions(z);
  for (std::size_t half = 1; half < z.size(); half *= 2) {
    const Complex* root = roots_.data() + half;
    for (std::size_t begin = 0; begin < z.size(); begin += 2 * half) {
      Complex* x = z.data() + begin;
      Complex* y = x + half;
      for (std::size_t j = 0; j < half; ++j) {
        const Complex t = product(y[j], root[j]);
        y[j] = x[j] - t;
        x[j] += t;
      }
    }
  }
}

void Embedding::slots_to_coefficients(std::span<Complex> z) const {
  TACIT_ASSERT(std::has_single_bit(z.size()) && z.size() <= slots_);
  for (std::size_t half = z.size() / 2; half >= 1; half /= 2) {
    const Complex* root = roots_.data() + half;
    for (std::size_t begin = 0; begin < z.size(); begin += 2 * half) {
      Complex* x = z.data() + begin;
      Complex* y = x + half;
      for (std::size_t j = 0; j < half; ++j) {
        const Complex difference = x[j] - y[j];
        x[j] += y[j];
        y[j] = product(difference, std::conj(root[j]));
      }
    }
  }
  reverse_positions(z);
  const double scale = 1.0 / static_cast<double>(z.size());
  for (Complex& value : z) value *= scale;
}

}  // namespace tacit::ring
