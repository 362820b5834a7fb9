#include "ring/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace tacit::ring {
namespace {

constexpr int kTail = 19;  // floor(6 * 3.19)

/// Entry k: P(x < -kTail + 1 + k) * 2^64 for the rounded Gaussian restricted to [-kTail, kTail].
std::array<std::uint64_t, 2 * kTail> cumulative_table() {
  const auto below = [](long double x) {
    return std::erfc(-x / (static_cast<long double>(kNoiseSigma) * std::numbers::sqrt2_v<long double>)) / 2;
  };
  const long double lowest = below(-kTail - 0.5L);
  const long double total = below(kTail + 0.5L) - lowest;
  std::array<std::uint64_t, 2 * kTail> table{};
  for (int k = 0; k < 2 * kTail; ++k)
    table[static_cast<std::size_t>(k)] =
        static_cast<std::uint64_t>((below(static_cast<long double>(k - kTail) + 0.5L) - lowest) / total * 0x1p64L);
  return table;
}

}  // namespace

void sample_ternary(std::span<std::int8_t> coefficients, base::Csprng& random) {
  std::uint64_t word = 0;
  int pairs = 0;
  for (std::int8_t& coefficient : coefficients) {
    std::uint64_t pair = 3;
    while (pair == 3) {
      if (pairs == 0) {
        word = random.next();
        pairs = 32;
      }
      pair = word & 3;
      word >>= 2;
      --pairs;
    }
    coefficient = static_cast<std::int8_t>(static_cast<int>(pair) - 1);
  }
}

void sample_sparse(std::span<std::int8_t> coefficients, int weight, base::Csprng& random) {
  const std::size_t n = coefficients.size();
  TACIT_ASSERT(std::has_single_bit(n) && weight > 0 && static_cast<std::size_t>(weight) <= n / 2);
  std::ranges::fill(coefficients, 0);
  // A place that is taken is drawn again: the number of draws tells nothing about the places.
  for (int placed = 0; placed < weight;) {
    const std::uint64_t word = random.next();
    std::int8_t& coefficient = coefficients[word & (n - 1)];
    if (coefficient != 0) continue;
    coefficient = static_cast<std::int8_t>((word >> 63) == 0 ? 1 : -1);
    ++placed;
  }
}

void sample_gaussian(std::span<std::int8_t> coefficients, base::Csprng& random) {
  static const std::array<std::uint64_t, 2 * kTail> table = cumulative_table();
  for (std::int8_t& coefficient : coefficients) {
    const std::uint64_t word = random.next();
    int value = -kTail;
    for (const std::uint64_t threshold : table) value += word >= threshold ? 1 : 0;  // every entry, whatever the word
    coefficient = static_cast<std::int8_t>(value);
  }
}

}  // namespace tacit::ring
