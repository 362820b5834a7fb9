#pragma once

#include <numbers>

// Included by one source of each instruction set, which defines `Lanes`: a vector V of kWidth doubles (8, 4 or 1) with
// its arithmetic. Internal linkage, as in the other kernels.
namespace tacit::ring::simd {
namespace {

#ifndef TACIT_INLINE
#define TACIT_INLINE inline __attribute__((always_inline))
#endif

/// R complex vectors.
template <class L, int R>
struct Points {
  typename L::V re[R], im[R];
};

/// Multiplies point k by factor k - 1, read from pairs of numbers or from groups.
template <class L, int R, class Factor>
TACIT_INLINE void twist(Points<L, R>& x, const Factor& factor) {
#pragma GCC unroll 8
  for (int k = 1; k < R; ++k) {
    const auto wr = factor.re(k - 1), wi = factor.im(k - 1);
    const auto re = L::nmadd(x.im[k], wi, L::mul(x.re[k], wr));
    x.im[k] = L::madd(x.re[k], wi, L::mul(x.im[k], wr));
    x.re[k] = re;
  }
}
/// Multiplies by the conjugates of the factors.
template <class L, int R, class Factor>
TACIT_INLINE void untwist(Points<L, R>& x, const Factor& factor) {
#pragma GCC unroll 8
  for (int k = 1; k < R; ++k) {
    const auto wr = factor.re(k - 1), wi = factor.im(k - 1);
    const auto re = L::madd(x.im[k], wi, L::mul(x.re[k], wr));
    x.im[k] = L::nmadd(x.re[k], wi, L::mul(x.im[k], wr));
    x.re[k] = re;
  }
}

/// Factors that are one number for all lanes, in pairs.
template <class L>
struct Broadcast {
  const double* pairs;
  TACIT_INLINE typename L::V re(int k) const { return L::broadcast(pairs[2 * k]); }
  TACIT_INLINE typename L::V im(int k) const { return L::broadcast(pairs[2 * k + 1]); }
};
/// Separate factors for every lane, in groups.
template <class L>
struct PerLane {
  const double* groups;
  TACIT_INLINE typename L::V re(int k) const { return L::load(groups + 16 * k); }
  TACIT_INLINE typename L::V im(int k) const { return L::load(groups + 16 * k + 8); }
};

template <class L>
TACIT_INLINE void sum_and_difference(typename L::V& a, typename L::V& b) {
  const auto sum = L::add(a, b);
  b = L::sub(a, b);
  a = sum;
}
template <class L, int R>
TACIT_INLINE void pair(Points<L, R>& x, int a, int b) {
  sum_and_difference<L>(x.re[a], x.re[b]);
  sum_and_difference<L>(x.im[a], x.im[b]);
}
/// Does the same for a and i b, or for a and -i b.
template <class L, int R>
TACIT_INLINE void pair_turned(Points<L, R>& x, int a, int b) {
  const auto re = x.re[b], im = x.im[b];
  x.re[b] = L::add(x.re[a], im);
  x.im[b] = L::sub(x.im[a], re);
  x.re[a] = L::sub(x.re[a], im);
  x.im[a] = L::add(x.im[a], re);
}
template <class L, int R>
TACIT_INLINE void swap_points(Points<L, R>& x, int a, int b) {
  const auto re = x.re[a], im = x.im[a];
  x.re[a] = x.re[b];
  x.im[a] = x.im[b];
  x.re[b] = re;
  x.im[b] = im;
}

/// Sets point j of the result to the sum of x_k e^(2 pi i k b / 4), b the reversal of j, at points `at` to `at + 3`.
template <class L, int R>
TACIT_INLINE void dft4(Points<L, R>& x, int at) {
  pair<L, R>(x, at, at + 2);
  pair<L, R>(x, at + 1, at + 3);
  pair<L, R>(x, at, at + 1);
  pair_turned<L, R>(x, at + 2, at + 3);
}
/// Computes 4 times the inverse of dft4.
template <class L, int R>
TACIT_INLINE void idft4(Points<L, R>& x, int at) {
  pair<L, R>(x, at, at + 1);
  pair<L, R>(x, at + 2, at + 3);
  pair<L, R>(x, at, at + 2);
  // (x1, -i x3): the sum is the difference of the turned pair.
  pair_turned<L, R>(x, at + 1, at + 3);
  swap_points<L, R>(x, at + 1, at + 3);
}

/// Multiplies the points 5 to 7 by zeta, i, i zeta with zeta = e^(i pi / 4). pair_turned applies the factor i.
template <class L>
TACIT_INLINE void dft8(Points<L, 8>& x) {
  const auto half_root = L::broadcast(std::numbers::sqrt2 / 2);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) pair<L, 8>(x, k, k + 4);
  dft4<L, 8>(x, 0);
  // b_1 zeta and b_3 zeta^3 = i (b_3 zeta).
  const auto turn = [&](int k) __attribute__((always_inline)) {
    const auto re = L::mul(L::sub(x.re[k], x.im[k]), half_root);
    x.im[k] = L::mul(L::add(x.re[k], x.im[k]), half_root);
    x.re[k] = re;
  };
  turn(5);
  turn(7);
  pair_turned<L, 8>(x, 4, 6);
  pair_turned<L, 8>(x, 5, 7);
  pair<L, 8>(x, 4, 5);
  pair_turned<L, 8>(x, 6, 7);
}
template <class L>
TACIT_INLINE void idft8(Points<L, 8>& x) {
  const auto half_root = L::broadcast(std::numbers::sqrt2 / 2);
  idft4<L, 8>(x, 0);
  pair<L, 8>(x, 4, 5);
  pair<L, 8>(x, 6, 7);
  pair<L, 8>(x, 4, 6);
  pair_turned<L, 8>(x, 5, 7);
  swap_points<L, 8>(x, 5, 7);
  // Now 4..7 hold b_0, zeta b_1, i b_2, i zeta b_3 with their turns undone below: conjugate factors.
  const auto turn_back = [&](int k) __attribute__((always_inline)) {
    const auto re = L::mul(L::add(x.re[k], x.im[k]), half_root);
    x.im[k] = L::mul(L::sub(x.im[k], x.re[k]), half_root);
    x.re[k] = re;
  };
  turn_back(5);
  turn_back(7);
  pair<L, 8>(x, 0, 4);
  pair<L, 8>(x, 1, 5);
  // Points 6 and 7 lack -i: the sum with -i b is the difference of the turned pair.
  pair_turned<L, 8>(x, 2, 6);
  swap_points<L, 8>(x, 2, 6);
  pair_turned<L, 8>(x, 3, 7);
  swap_points<L, 8>(x, 3, 7);
}

template <class L, int R>
TACIT_INLINE void dft(Points<L, R>& x) {
  static_assert(R == 2 || R == 4);
  if constexpr (R == 2) pair<L, 2>(x, 0, 1);
  if constexpr (R == 4) dft4<L, 4>(x, 0);
}
template <class L, int R>
TACIT_INLINE void idft(Points<L, R>& x) {
  static_assert(R == 2 || R == 4);
  if constexpr (R == 2) pair<L, 2>(x, 0, 1);
  if constexpr (R == 4) idft4<L, 4>(x, 0);
}

}  // namespace
}  // namespace tacit::ring::simd
