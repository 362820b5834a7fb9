#include "ring/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/secret_memory.h"
#include "base/vectorised.h"
#include "base/wipe.h"
#include "ring/gaussian_table.h"

namespace tacit::ring {
static_assert(kNoiseSigma == 3.19, "kGaussianTable is of this deviation");

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

namespace {

/// Coefficients that are sampled at a time, in the first cache.
constexpr std::size_t kSampled = 256;

/// Turns uniform words into coefficients. Reads every entry of the table, whatever the words.
TACIT_VECTORISED void gaussian_of(const std::array<std::uint64_t, kSampled>& words,
                                  std::array<std::uint64_t, kSampled>& values) {
  values.fill(0);
  for (const std::uint64_t threshold : kGaussianTable)
    for (std::size_t i = 0; i < kSampled; ++i) values[i] += words[i] >= threshold ? 1 : 0;
}

}  // namespace

void sample_gaussian(std::span<std::int8_t> coefficients, base::Csprng& random) {
  std::array<std::uint64_t, kSampled> words{}, values;
  const base::WipedAtExit wiped_words(words), wiped_values(values);
  for (std::size_t at = 0; at < coefficients.size(); at += kSampled) {
    const std::size_t count = std::min(kSampled, coefficients.size() - at);
    random.fill(std::span(words).first(count));
    gaussian_of(words, values);
    for (std::size_t i = 0; i < count; ++i)
      coefficients[at + i] = static_cast<std::int8_t>(static_cast<int>(values[i]) - kGaussianTail);
  }
}

void sample_wide_gaussian(std::span<std::int64_t> coefficients, double deviation, base::Csprng& random) {
  TACIT_ASSERT(deviation >= 256 && deviation <= 0x1p52);
  constexpr std::int64_t kRatio = 4;
  // The variances of all steps add up to 1 / (1 - 1/16) of that of the first.
  const double first = deviation / kNoiseSigma * std::sqrt(1 - 1.0 / (kRatio * kRatio));
  base::SecretVector<std::int8_t> step(coefficients.size());
  std::ranges::fill(coefficients, 0);
  for (auto factor = static_cast<std::int64_t>(first); factor > 0; factor /= kRatio) {
    sample_gaussian(step, random);
    for (std::size_t i = 0; i < step.size(); ++i) coefficients[i] += factor * step[i];
  }
}

}  // namespace tacit::ring
