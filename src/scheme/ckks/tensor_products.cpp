#include "scheme/ckks/tensor_products.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "ring/limb.h"

namespace tacit::scheme::ckks {

using ring::limb::FactorRow;

namespace {

// What one run reads of all operands stays well within the second cache, and so does the next.
constexpr std::size_t kRunBytes = std::size_t{128} << 10;
constexpr std::size_t kShortest = 64, kLongest = 1024, kLine = 8;  // words

/// Rows of the same polynomial of all terms, and where in them the next run starts.
struct Rows {
  std::vector<const std::uint64_t*> now;
  void fetch(std::size_t words) const {
    for (const std::uint64_t* row : now)
      for (std::size_t i = 0; i < words; i += kLine) __builtin_prefetch(row + words + i, 0, 2);
  }
  void advance(std::size_t words) {
    for (const std::uint64_t*& row : now) row += words;
  }
};

}  // namespace

TensorProduct tensor_products(const rlwe::ModulusChain& chain,
                              std::span<const std::pair<const Ciphertext*, const Ciphertext*>> terms, int level) {
  const std::size_t n = chain.n(), rows = rlwe::ModulusChain::rows(level);
  TensorProduct result{ring::NttPoly(n, rows), ring::NttPoly(n, rows), ring::NttPoly(n, rows)};
  const std::size_t wanted = kRunBytes / (4 * sizeof(std::uint64_t) * terms.size());
  std::size_t run = kShortest;
  while (2 * run <= std::min(wanted, kLongest)) run *= 2;
  run = std::min(run, n);
  base::parallel_for(0, rows, [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(row);
    // Of d1 the terms a0 b1 come first, then a1 b0.
    Rows a, b, b_turned;
    for (const auto& [x, y] : terms) {
      a.now.push_back(x->c0.limb(row));
      b.now.push_back(y->c0.limb(row));
      b_turned.now.push_back(y->c1.limb(row));
    }
    for (const auto& [x, y] : terms) {
      a.now.push_back(x->c1.limb(row));
      b.now.push_back(y->c1.limb(row));
      b_turned.now.push_back(y->c0.limb(row));
    }
    const std::size_t count = terms.size();
    std::vector<FactorRow> factors(a.now.size());
    for (std::size_t at = 0; at < n; at += run) {
      if (at + run < n) {
        a.fetch(run);
        b.fetch(run);
      }
      std::ranges::transform(a.now, factors.begin(), [](const std::uint64_t* words) { return FactorRow{words}; });
      const std::span<const FactorRow> left(factors);
      const std::span<const std::uint64_t* const> right(b.now);
      ring::limb::dot(result.d0.limb(row) + at, left.first(count), right.first(count), run, q);
      ring::limb::dot(result.d1.limb(row) + at, left, b_turned.now, run, q);
      ring::limb::dot(result.d2.limb(row) + at, left.last(count), right.last(count), run, q);
      for (Rows* operand : {&a, &b, &b_turned}) operand->advance(run);
    }
  });
  return result;
}

}  // namespace tacit::scheme::ckks
