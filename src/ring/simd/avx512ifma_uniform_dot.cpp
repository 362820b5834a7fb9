#include "ring/simd/avx512ifma_draws.h"
#include "ring/simd/avx512ifma_permutation.h"
#include "ring/simd/avx512ifma_sums.h"
#include "ring/simd/tables.h"

namespace tacit::ring::simd {
namespace {

constexpr std::size_t kVectors = kUniformTile / 8;

/// How draws are multiplied, and what the quotients of the sums by 2^52 stay below.
enum class Kind {
  shifted_draws,  ///< draws are in [0, q) as they are, quotients below 2^52
  lazy_draws,     ///< draws in [0, 2q), quotients below 2^52
  short_sums,     ///< draws in [0, q), quotients below 2^52
  long_sums,      ///< draws in [0, q), quotients below 2^64
};

Kind kind_of(const UniformDot& dot, const ModulusWords& m) {
  const std::size_t more = dot.more_count[0] > dot.more_count[1] ? dot.more_count[0] : dot.more_count[1];
  // Left words are below 2^52, and a quotient exceeds a sum over 2^52 by at most q.
  const auto fits = [&](std::size_t words_a_term) { return words_a_term * dot.count + more + 1 <= m.ratio52; };
  bool shifted = true;
  for (std::size_t k = 0; k < dot.count; ++k) shifted = shifted && dot.terms[k].uniform->multiple == 1;
  if (shifted && fits(1)) return Kind::shifted_draws;
  if (fits(2)) return Kind::lazy_draws;
  return fits(1) ? Kind::short_sums : Kind::long_sums;
}

/// The words of a tile of a uniform row, multiplied as soon as they are drawn: the cipher's port is not that of the
/// products, and neither waits for memory.
template <Kind kKind>
TACIT_INLINE void add_term(const UniformTerm& term, const Field& f, std::size_t at, std::size_t i,
                           Sum (&sums)[2][kVectors]) {
  const Draws draws(*term.uniform);
  Vector x[kVectors];
  draws.draw<kVectors>(at + i, x, [](std::size_t) {});
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) {
    const Vector left = load_once(term.left + i + 8 * v);
    sums[0][v].add(left, load_once(term.right + i + 8 * v));
    sums[1][v].add(left, kKind == Kind::shifted_draws ? draws.shifted(x[v])
                         : kKind == Kind::lazy_draws  ? draws.reduce_lazy(f, x[v])
                                                      : draws.reduce(f, x[v]));
  }
}

/// Each kind of call is a function of its own, so that its constants fit the registers.
template <Kind kKind, bool kPermuted>
__attribute__((noinline)) void sweep(const UniformDot& dot, Word* out0, Word* out1, std::size_t at, std::size_t n,
                                     const ModulusWords& m) {
  const Field f(m);
  const Montgomery montgomery(m);
  const VectorPermutation permutation(kPermuted ? *dot.permutation : AffineMap{}, n);
  for (std::size_t i = 0; i < n; i += kUniformTile) {
    for (std::size_t s = 0; s < dot.nexts; ++s)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        _mm_prefetch(reinterpret_cast<const char*>(dot.next[s] + i + 8 * v), _MM_HINT_T1);
    Sum sums[2][kVectors];
#pragma GCC unroll 2
    for (auto& half : sums) {
#pragma GCC unroll 4
      for (Sum& sum : half) sum = {f.zero, f.q};
    }
    for (std::size_t k = 0; k < dot.count; ++k) add_term<kKind>(dot.terms[k], f, at, i, sums);
    Vector words[2][kVectors];
#pragma GCC unroll 2
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t k = 0; k < dot.more_count[half]; ++k) {
        const ProductTerm& term = dot.more[half][k];
        Vector left[kVectors];
        load_tile(term.left, i, left);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) sums[half][v].add(left[v], load_once(term.right + i + 8 * v));
      }
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector quotient = montgomery.divide(f, sums[half][v]);
        words[half][v] = kKind == Kind::long_sums ? f.canonical2(WideBarrett(m).reduce_lazy(f, quotient))
                         : kPermuted              ? quotient
                                                  : f.canonical2(f.barrett(quotient, f.zero));
      }
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kPermuted) {
        const VectorPermutation::Move move = permutation.move(i / 8 + v);
        const Vector lanes = load(move.lanes);
        store(out0 + move.to, _mm512_permutexvar_epi64(lanes, words[0][v]));
        store(out1 + move.to, _mm512_permutexvar_epi64(lanes, words[1][v]));
      } else {
        store(out0 + i + 8 * v, words[0][v]);
        store(out1 + i + 8 * v, words[1][v]);
      }
    }
  }
}

template <bool kPermuted>
TACIT_INLINE void sweep_within(const UniformDot& dot, Word* out0, Word* out1, std::size_t at, std::size_t n,
                               const ModulusWords& m) {
  switch (kind_of(dot, m)) {
    case Kind::shifted_draws: return sweep<Kind::shifted_draws, kPermuted>(dot, out0, out1, at, n, m);
    case Kind::lazy_draws: return sweep<Kind::lazy_draws, kPermuted>(dot, out0, out1, at, n, m);
    case Kind::short_sums: return sweep<Kind::short_sums, kPermuted>(dot, out0, out1, at, n, m);
    case Kind::long_sums: return sweep<Kind::long_sums, kPermuted>(dot, out0, out1, at, n, m);
  }
}

}  // namespace

void uniform_dot_pair_avx512ifma(const UniformDot& dot, Word* out0, Word* out1, std::size_t at, std::size_t n,
                                 const ModulusWords& m) {
  if (dot.permutation != nullptr) return sweep_within<true>(dot, out0, out1, at, n, m);
  sweep_within<false>(dot, out0, out1, at, n, m);
}

}  // namespace tacit::ring::simd
