#include "ring/simd/avx2_vector.h"
#include "ring/simd/tables.h"

// Radix-4 steps on doubles, depth first above the size of the first cache. Root tables hold doubles: the root and its
// ratio to q. With sizes bounded by B q at a step's start, and 2^50 the largest q, one step of the forward transform
// leads to 1.75 + 0.3125 B (its X inputs are corrected), so B stays below 3, where words in [0, 2q) may start; one of
// the inverse keeps B <= 1.
namespace tacit::ring::simd {
namespace {

constexpr std::size_t kBlock = 4096;  // words that stay in the first cache

struct Root {
  Real w, ratio;
};

TACIT_INLINE Root root_at(const Word* root, const Word* ratio, std::size_t i) {
  return {broadcast_real(root + i), broadcast_real(ratio + i)};
}

TACIT_INLINE void forward_butterfly(Real& x, Real& y, const Root& root, const RealField& f) {
  const Real t = f.multiply(y, root.w, root.ratio);
  y = _mm256_sub_pd(x, t);
  x = _mm256_add_pd(x, t);
}

TACIT_INLINE void inverse_butterfly(Real& x, Real& y, const Root& root, const RealField& f) {
  const Real difference = _mm256_sub_pd(x, y);
  x = _mm256_add_pd(x, y);
  y = f.multiply(difference, root.w, root.ratio);
}

/// The roots of two stages: of a block, and of its halves.
struct Roots {
  Root top, left, right;
};

TACIT_INLINE Roots roots_at(const Word* root, const Word* ratio, std::size_t node) {
  return {root_at(root, ratio, node), root_at(root, ratio, 2 * node), root_at(root, ratio, 2 * node + 1)};
}

/// Two stages of a block, a quarter of it in each of x.
TACIT_INLINE void forward_stages(Real (&x)[4], const Roots& roots, const RealField& f) {
  x[0] = f.reduce(x[0]);
  x[1] = f.reduce(x[1]);
  forward_butterfly(x[0], x[2], roots.top, f);
  forward_butterfly(x[1], x[3], roots.top, f);
  forward_butterfly(x[0], x[1], roots.left, f);
  forward_butterfly(x[2], x[3], roots.right, f);
}

TACIT_INLINE void inverse_stages(Real (&x)[4], const Roots& roots, const RealField& f) {
  inverse_butterfly(x[0], x[1], roots.left, f);
  inverse_butterfly(x[2], x[3], roots.right, f);
  x[0] = f.reduce(x[0]);
  x[2] = f.reduce(x[2]);
  inverse_butterfly(x[0], x[2], roots.top, f);
  inverse_butterfly(x[1], x[3], roots.top, f);
  x[1] = f.reduce(x[1]);
}

/// stages(x) on quarters of a block of `length` words.
template <class Stages>
TACIT_INLINE void each_quarters(Word* a, std::size_t length, const Stages& stages) {
  const std::size_t quarter = length / 4;
  for (Word* p = a; p < a + quarter; p += 4) {
    Real x[4] = {load_real(p), load_real(p + quarter), load_real(p + 2 * quarter), load_real(p + 3 * quarter)};
    stages(x);
    for (std::size_t k = 0; k < 4; ++k) store_real(p + k * quarter, x[k]);
  }
}

/// Two stages of the block `node` (stage blocks + index) of `length` words.
TACIT_INLINE void forward_step(Word* a, std::size_t length, std::size_t node, const NttWords& words,
                               const RealField& f) {
  const Roots roots = roots_at(words.root, words.root_shoup, node);
  each_quarters(
      a, length, [&](Real(&x)[4]) __attribute__((always_inline)) { forward_stages(x, roots, f); });
}

TACIT_INLINE void inverse_step(Word* a, std::size_t length, std::size_t node, const NttWords& words,
                               const RealField& f) {
  const Roots roots = roots_at(words.inverse_root, words.inverse_root_shoup, node);
  each_quarters(
      a, length, [&](Real(&x)[4]) __attribute__((always_inline)) { inverse_stages(x, roots, f); });
}

/// Every second of eight words, from the first or the second on.
TACIT_INLINE Real evens(const Word* p) {
  return _mm256_permute4x64_pd(_mm256_unpacklo_pd(load_real(p), load_real(p + 4)), 0xD8);
}
TACIT_INLINE Real odds(const Word* p) {
  return _mm256_permute4x64_pd(_mm256_unpackhi_pd(load_real(p), load_real(p + 4)), 0xD8);
}

/// The roots of four blocks of four words, the first of them `node`, a lane for each.
TACIT_INLINE Roots roots_of_four(const Word* root, const Word* ratio, std::size_t node) {
  return {.top = {load_real(root + node), load_real(ratio + node)},
          .left = {evens(root + 2 * node), evens(ratio + 2 * node)},
          .right = {odds(root + 2 * node), odds(ratio + 2 * node)}};
}

/// The last two stages of 16 words: four blocks of four, the first of them `node`. Canonical words out.
TACIT_INLINE void forward_tail(Word* a, std::size_t node, const NttWords& words, const RealField& f) {
  Real x[4] = {load_real(a), load_real(a + 4), load_real(a + 8), load_real(a + 12)};
  transpose(x);
  forward_stages(x, roots_of_four(words.root, words.root_shoup, node), f);
  for (Real& value : x) value = f.lift(f.reduce(value));
  transpose(x);
  for (int i = 0; i < 4; ++i) store(a + 4 * i, to_words(x[i]));
}

TACIT_INLINE void inverse_tail(Word* a, std::size_t node, const NttWords& words, const RealField& f) {
  Real x[4] = {to_real(load(a)), to_real(load(a + 4)), to_real(load(a + 8)), to_real(load(a + 12))};
  transpose(x);
  inverse_stages(x, roots_of_four(words.inverse_root, words.inverse_root_shoup, node), f);
  transpose(x);
  for (int i = 0; i < 4; ++i) store_real(a + 4 * i, x[i]);
}

void forward_block(Word* a, std::size_t length, std::size_t node, const NttWords& words, const RealField& f) {
  if (length > kBlock) {
    forward_step(a, length, node, words, f);
    for (std::size_t i = 0; i < 4; ++i) forward_block(a + i * (length / 4), length / 4, 4 * node + i, words, f);
    return;
  }
  std::size_t step = length;
  for (; step >= 16; step /= 4, node *= 4)
    for (std::size_t i = 0; i < length / step; ++i) forward_step(a + i * step, step, node + i, words, f);
  for (std::size_t i = 0; i < length / 4; i += 4) forward_tail(a + 4 * i, node + i, words, f);
}

void inverse_block(Word* a, std::size_t length, std::size_t node, const NttWords& words, const RealField& f) {
  if (length > kBlock) {
    for (std::size_t i = 0; i < 4; ++i) inverse_block(a + i * (length / 4), length / 4, 4 * node + i, words, f);
    inverse_step(a, length, node, words, f);
    return;
  }
  const std::size_t first = node * (length / 4);
  for (std::size_t i = 0; i < length / 4; i += 4) inverse_tail(a + 4 * i, first + i, words, f);
  for (std::size_t step = 16; step <= length; step *= 4)
    for (std::size_t i = 0; i < length / step; ++i)
      inverse_step(a + i * step, step, node * (length / step) + i, words, f);
}

}  // namespace

void ntt_forward_avx2(Word* a, const NttWords& words) {
  if (words.n < kRealRootsMinimum) return kPortableKernels.ntt_forward(a, words);
  const RealField f(words.modulus);
  const std::size_t half = words.n / 2;
  if (words.log_n % 2 == 0) {
    for (std::size_t j = 0; j < words.n; j += 4) store_real(a + j, to_real(load(a + j)));
    return forward_block(a, words.n, 1, words, f);
  }
  const Root top = root_at(words.root, words.root_shoup, 1);
  for (std::size_t j = 0; j < half; j += 4) {
    Real x = to_real(load(a + j)), y = to_real(load(a + half + j));
    forward_butterfly(x, y, top, f);
    store_real(a + j, x);
    store_real(a + half + j, y);
  }
  forward_block(a, half, 2, words, f);
  forward_block(a + half, half, 3, words, f);
}

void ntt_inverse_avx2(Word* a, const NttWords& words) {
  if (words.n < kRealRootsMinimum) return kPortableKernels.ntt_inverse(a, words);
  const RealField f(words.modulus);
  const std::size_t half = words.n / 2;
  const double scale = static_cast<double>(static_cast<std::int64_t>(words.scale));
  const Real factor = _mm256_set1_pd(scale);
  const Real ratio = _mm256_mul_pd(factor, f.inverse);
  if (words.log_n % 2 == 0) {
    inverse_block(a, words.n, 1, words, f);
    for (std::size_t j = 0; j < words.n; j += 4) store(a + j, f.canonical(f.multiply(load_real(a + j), factor, ratio)));
    return;
  }
  inverse_block(a, half, 2, words, f);
  inverse_block(a + half, half, 3, words, f);
  const Real root = _mm256_set1_pd(static_cast<double>(static_cast<std::int64_t>(words.scale_root)));
  const Real root_ratio = _mm256_mul_pd(root, f.inverse);
  for (std::size_t j = 0; j < half; j += 4) {
    const Real x = load_real(a + j), y = load_real(a + half + j);
    store(a + j, f.canonical(f.multiply(_mm256_add_pd(x, y), factor, ratio)));
    store(a + half + j, f.canonical(f.multiply(_mm256_sub_pd(x, y), root, root_ratio)));
  }
}

}  // namespace tacit::ring::simd
