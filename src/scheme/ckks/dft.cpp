#include "scheme/ckks/dft.h"

#include <cstdint>
#include <map>

#include "base/error.h"
#include "ring/embedding.h"

namespace tacit::scheme::ckks {
namespace {

using Complex = std::complex<double>;
using Diagonals = std::map<std::int64_t, std::vector<Complex>>;  // by rotation; each of the same period

/// (x, y) -> (x + w y, x - w y), or its inverse (x, y) -> ((x + y) / 2, conj(w) (x - y) / 2).
Diagonals stage(int index, DftDirection direction, std::size_t period) {
  const std::size_t half = std::size_t{1} << index;
  const auto distance = static_cast<std::int64_t>(half);
  const std::vector<Complex> w = ring::stage_roots(half);
  Diagonals result;
  for (const std::int64_t d : {std::int64_t{0}, distance, -distance}) result[d].resize(period);
  for (std::size_t k = 0; k < period; ++k) {
    const std::size_t j = k % half;
    const bool upper = k % (2 * half) >= half;
    if (direction == DftDirection::slots_to_coefficients) {
      result[0][k] = upper ? -w[j] : 1.0;
      (upper ? result[-distance] : result[distance])[k] = upper ? 1.0 : w[j];
    } else {
      result[0][k] = upper ? -0.5 * std::conj(w[j]) : 0.5;
      (upper ? result[-distance] : result[distance])[k] = upper ? 0.5 * std::conj(w[j]) : 0.5;
    }
  }
  return result;
}

/// Adds x[k] y[k + shift] to sum[k]; positions wrap around.
void add_products(const std::vector<Complex>& x, const std::vector<Complex>& y, std::size_t shift,
                  std::vector<Complex>& sum) {
  const auto add = [&](std::size_t begin, std::size_t end, const Complex* of_y) {
    for (std::size_t k = begin; k < end; ++k) {
      const Complex u = x[k], v = of_y[k - begin];
      sum[k] += Complex(u.real() * v.real() - u.imag() * v.imag(), u.real() * v.imag() + u.imag() * v.real());
    }
  };
  add(0, x.size() - shift, y.data() + shift);
  add(x.size() - shift, x.size(), y.data());
}

/// `second` applied after `first`. The period is a power of two.
Diagonals compose(const Diagonals& second, const Diagonals& first, std::size_t period) {
  Diagonals result;
  for (const auto& [a, x] : second)
    for (const auto& [b, y] : first) {
      auto& sum = result[a + b];
      sum.resize(period);
      add_products(x, y, static_cast<std::size_t>(a) & (period - 1), sum);
    }
  return result;
}

}  // namespace

std::vector<std::vector<Complex>> dft_diagonals(const params::DftFactor& factor, DftDirection direction,
                                                std::size_t slots) {
  const std::size_t period = std::size_t{1} << (factor.first_stage + factor.stages);
  TACIT_ASSERT(factor.stages > 0 && period <= slots);
  Diagonals product;
  for (int i = 0; i < factor.stages; ++i) {
    const bool rising = direction == DftDirection::slots_to_coefficients;
    const int index = factor.first_stage + (rising ? i : factor.stages - 1 - i);
    Diagonals next = stage(index, direction, period);
    product = i == 0 ? std::move(next) : compose(next, product, period);
  }
  const auto modulus = static_cast<std::int64_t>(slots);
  Diagonals wrapped;
  for (auto& [rotation, values] : product) {
    auto& sum = wrapped[(rotation % modulus + modulus) % modulus];
    sum.resize(period);
    for (std::size_t k = 0; k < period; ++k) sum[k] += values[k];
  }
  std::vector<std::vector<Complex>> result;
  for (const params::DiagonalStep& step : factor.schedule.steps) {
    const auto it = wrapped.find(step.diagonal);
    if (it == wrapped.end())
      throw base::InternalError("a transform factor's schedule names a diagonal that it has not");
    result.push_back(std::move(it->second));
    wrapped.erase(it);
  }
  if (!wrapped.empty()) throw base::InternalError("a transform factor's schedule leaves out a diagonal");
  return result;
}

}  // namespace tacit::scheme::ckks
