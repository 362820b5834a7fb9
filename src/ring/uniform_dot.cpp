#include "ring/uniform_dot.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/aligned.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {

namespace {

/// The uniform words first, then the products.
void dot_pair_in_steps(std::uint64_t* out0, std::uint64_t* out1, std::span<const UniformTerm> terms,
                       const std::array<std::span<const ProductTerm>, 2>& more, std::size_t at, std::size_t n,
                       const Modulus& q) {
  base::AlignedVector<std::uint64_t> uniform(n * terms.size());
  std::vector<limb::FactorRow> left[2];
  std::vector<const std::uint64_t*> right[2];
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::span<std::uint64_t> words(uniform.data() + i * n, n);
    terms[i].uniform->fill(at, words);
    for (auto& list : left) list.push_back({terms[i].left});
    right[0].push_back(terms[i].right);
    right[1].push_back(words.data());
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (const ProductTerm& term : more[k]) {
      left[k].push_back(term.left);
      right[k].push_back(term.right);
    }
    std::uint64_t* const out = k == 0 ? out0 : out1;
    limb::dot(out, left[k], right[k], n, q);
    limb::multiply_scalar(out, out, q.words().two52_inverse, n, q);
  }
}

/// False where no kernel serves.
bool dot_pair_by_kernel(std::uint64_t* out0, std::uint64_t* out1, std::span<const UniformTerm> terms,
                        const std::array<std::span<const ProductTerm>, 2>& more, std::size_t at, std::size_t n,
                        const Modulus& q, std::span<const std::uint64_t* const> next,
                        const limb::AffineMap* permutation) {
  TACIT_ASSERT(n % 8 == 0 && at % 8 == 0);
  const auto kernel = simd::kernels().uniform_dot_pair;
  constexpr std::size_t kMostTerms = 64, kMostProducts = 2048;  // what the kernel's stack and its sums hold
  if (kernel == nullptr || n % simd::kUniformTile != 0 || at % simd::kUniformTile != 0 || terms.size() > kMostTerms ||
      terms.size() + std::max(more[0].size(), more[1].size()) > kMostProducts ||
      std::ranges::any_of(terms, [](const UniformTerm& term) { return term.uniform->words() == nullptr; }))
    return false;
  simd::UniformTerm words[kMostTerms];
  for (std::size_t i = 0; i < terms.size(); ++i) words[i] = {terms[i].left, terms[i].right, terms[i].uniform->words()};
  const simd::UniformDot dot = {.terms = words,
                                .count = terms.size(),
                                .more = {more[0].data(), more[1].data()},
                                .more_count = {more[0].size(), more[1].size()},
                                .next = next.data(),
                                .nexts = next.size(),
                                .permutation = permutation};
  kernel(dot, out0, out1, at, n, q.words());
  return true;
}

}  // namespace

void uniform_dot_pair(std::uint64_t* out0, std::uint64_t* out1, std::span<const UniformTerm> terms,
                      const std::array<std::span<const ProductTerm>, 2>& more, std::size_t at, std::size_t n,
                      const Modulus& q, std::span<const std::uint64_t* const> next,
                      const limb::AffineMap* permutation) {
  TACIT_ASSERT(permutation == nullptr || (std::has_single_bit(n) && n <= limb::kPermutedWords &&
                                          permutation->multiplier % 2 == 1 && out0 != out1));
  if (dot_pair_by_kernel(out0, out1, terms, more, at, n, q, next, permutation)) return;
  if (permutation == nullptr) return dot_pair_in_steps(out0, out1, terms, more, at, n, q);
  base::AlignedVector<std::uint64_t> sums(2 * n);
  dot_pair_in_steps(sums.data(), sums.data() + n, terms, more, at, n, q);
  limb::permute({out0}, sums.data(), *permutation, n);
  limb::permute({out1}, sums.data() + n, *permutation, n);
}

}  // namespace tacit::ring
