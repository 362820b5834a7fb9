#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "merkle/rescue_constants.h"
#include "merkle/simd/kernels.h"

/// Rescue Prime on as many states as a vector has lanes: one vector holds word w of every state. `Lanes` defines the
/// representation:
/// - Word: field elements, one per lane, in any form. load takes any 64-bit words, store gives canonical ones.
/// - Integer: plain 64-bit integers, one per lane. A word is low_part + 2^k high_part of them. sum_of_parts makes a
///   word of parts up to 160 times as large and of an added number.
/// - kGroup: the number of words that pass an S-box together.
/// - kFewest: see permute_states.
namespace tacit::merkle::simd {

/// Computes x^7 of `kWords` words.
template <class Lanes, int kWords>
inline void seventh_powers(typename Lanes::Word* x) {
  using Word = typename Lanes::Word;
#pragma GCC unroll 12
  for (int w = 0; w < kWords; ++w) {
    const Word square = Lanes::square(x[w]);
    x[w] = Lanes::multiply(Lanes::square(square), Lanes::multiply(square, x[w]));
  }
}

template <class Lanes, int kWords>
inline void square_times(typename Lanes::Word* x, int times) {
  for (int i = 0; i < times; ++i) {
#pragma GCC unroll 12
    for (int w = 0; w < kWords; ++w) x[w] = Lanes::square(x[w]);
  }
}

/// Computes x^(1/7) of `kWords` words in 63 squarings and 8 products. With q(k) = 1 + 8 + ... + 8^(k - 1), the exponent
/// is 2^36 q(10) + 6 q(11) + 1.
template <class Lanes, int kWords>
inline void seventh_roots(typename Lanes::Word* x) {
  using Word = typename Lanes::Word;
  Word t[kWords], q2[kWords], q[kWords];
  const auto copy = [](Word* to, const Word* from) {
#pragma GCC unroll 12
    for (int w = 0; w < kWords; ++w) to[w] = from[w];
  };
  const auto multiply = [](Word* to, const Word* by) {
#pragma GCC unroll 12
    for (int w = 0; w < kWords; ++w) to[w] = Lanes::multiply(to[w], by[w]);
  };
  copy(t, x);
  square_times<Lanes, kWords>(t, 3);
  multiply(t, x);  // q(2)
  copy(q2, t);
  square_times<Lanes, kWords>(t, 6);
  multiply(t, q2);  // q(4)
  copy(q, t);
  square_times<Lanes, kWords>(t, 12);
  multiply(t, q);  // q(8)
  square_times<Lanes, kWords>(t, 6);
  multiply(t, q2);  // q(10)
  square_times<Lanes, kWords>(t, 3);
  copy(q, t);
  multiply(q, x);  // q(11)
  square_times<Lanes, kWords>(t, 31);
  multiply(t, q);  // 2^34 q(10) + q(11)
  square_times<Lanes, kWords>(t, 1);
  multiply(t, q);  // 2^35 q(10) + 3 q(11)
  square_times<Lanes, kWords>(t, 1);
  multiply(t, x);
  copy(x, t);
}

/// Multiplies integers by variant C's matrix, as sums of powers of two. The circulant of size 12 is split into a
/// circulant and a negacyclic matrix of size 6, and that circulant again into sizes 3. All entries are then 1, 2, 4, 8,
/// 16 up to sign. Results are at most 160 times as large, modulo 2^64.
template <class Lanes>
inline void circulant_product(typename Lanes::Integer* x) {
  using Word = typename Lanes::Integer;
  Word sum[6], d[4][6], u[6], v[6];
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    sum[i] = Lanes::plus(x[i], x[i + 6]);
    d[0][i] = Lanes::minus(x[i], x[i + 6]);
    d[1][i] = Lanes::template shift_left<1>(d[0][i]);
    d[2][i] = Lanes::template shift_left<2>(d[0][i]);
    d[3][i] = Lanes::template shift_left<3>(d[0][i]);
  }
  // Negacyclic part: first row -1 8 1 2 -4 1 as (power of two, sign).
  constexpr int kPower[6] = {0, 3, 0, 1, 2, 0};
  constexpr bool kMinus[6] = {true, false, false, false, true, false};
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    // The entry 8 is at j = i + 1. It is positive except in the last row, where it wraps.
    v[i] = i == 5 ? Lanes::minus(d[2][3], d[3][0]) : d[3][(i + 1) % 6];
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      const int k = (j - i + 6) % 6;
      if (k == 1 || (i == 5 && j == 3)) continue;
      const bool minus = kMinus[k] != (j < i);
      v[i] = minus ? Lanes::minus(v[i], d[kPower[k]][j]) : Lanes::plus(v[i], d[kPower[k]][j]);
    }
  }
  Word s[3], e[3];
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    s[i] = Lanes::template shift_left<3>(Lanes::plus(sum[i], sum[i + 3]));
    e[i] = Lanes::minus(sum[i], sum[i + 3]);
  }
  const Word all = Lanes::template shift_left<1>(Lanes::plus(Lanes::plus(s[0], s[1]), s[2]));
  const Word e01 = Lanes::plus(e[0], e[1]), e12 = Lanes::plus(e[1], e[2]), e02 = Lanes::minus(e[0], e[2]);
  const Word odd[3] = {Lanes::minus(Lanes::negative(Lanes::template shift_left<3>(e[0])), e12),
                       Lanes::minus(e02, Lanes::template shift_left<3>(e[1])),
                       Lanes::minus(e01, Lanes::template shift_left<3>(e[2]))};
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    const Word even = Lanes::minus(all, s[(i + 2) % 3]);
    u[i] = Lanes::plus(even, odd[i]);
    u[i + 3] = Lanes::minus(even, odd[i]);
  }
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    x[i] = Lanes::plus(u[i], v[i]);
    x[i + 6] = Lanes::minus(u[i], v[i]);
  }
}

/// Applies the matrix, then adds the constants.
template <class Lanes>
inline void linear_layer(const RoundConstants& constants, const RoundConstants::Half& added,
                         typename Lanes::Word* state) {
  if (!constants.circulant) {
    Lanes::dense_product(constants, added, state);
    return;
  }
  typename Lanes::Integer low[kStateWords], high[kStateWords];
#pragma GCC unroll 12
  for (int w = 0; w < kStateWords; ++w) {
    low[w] = Lanes::low_part(state[w]);
    high[w] = Lanes::high_part(state[w]);
  }
  circulant_product<Lanes>(low);
  circulant_product<Lanes>(high);
#pragma GCC unroll 12
  for (int w = 0; w < kStateWords; ++w) state[w] = Lanes::sum_of_parts(low[w], high[w], added[w]);
}

template <class Lanes>
inline void permutation(const RoundConstants& constants, typename Lanes::Word* state) {
  constexpr int kGroup = Lanes::kGroup;
  for (int round = 0; round < kRounds; ++round) {
    for (int w = 0; w < kStateWords; w += kGroup) seventh_powers<Lanes, kGroup>(state + w);
    linear_layer<Lanes>(constants, constants.first[round], state);
    for (int w = 0; w < kStateWords; w += kGroup) seventh_roots<Lanes, kGroup>(state + w);
    linear_layer<Lanes>(constants, constants.second[round], state);
  }
}

/// Gathers states from consecutive rows of `kWords` words. Each row goes to one lane.
template <class Lanes, int kWords>
inline void gather(typename Lanes::Word* state, const std::uint64_t* rows, std::size_t count) {
  alignas(64) std::uint64_t column[kWords][Lanes::kLanes] = {};
  for (std::size_t lane = 0; lane < count; ++lane)
    for (int w = 0; w < kWords; ++w) column[w][lane] = rows[lane * kWords + w];
  for (int w = 0; w < kWords; ++w) state[w] = Lanes::load(column[w]);
}

template <class Lanes, int kWords>
inline void scatter(const typename Lanes::Word* state, std::uint64_t* rows, std::size_t count) {
  alignas(64) std::uint64_t column[kWords][Lanes::kLanes];
  for (int w = 0; w < kWords; ++w) Lanes::store(column[w], state[w]);
  for (std::size_t lane = 0; lane < count; ++lane)
    for (int w = 0; w < kWords; ++w) rows[lane * kWords + w] = column[w][lane];
}

/// Permutes states. Fewer than kFewest states go through `Lanes::permute_one` one by one, because a vector with empty
/// lanes costs as much as a full one.
template <class Lanes>
void permute_states(const RoundConstants& constants, std::uint64_t* states, std::size_t count) {
  typename Lanes::Word state[kStateWords];
  for (std::size_t done = 0; done < count; done += Lanes::kLanes) {
    const std::size_t lanes = std::min<std::size_t>(Lanes::kLanes, count - done);
    if (lanes < Lanes::kFewest) {
      for (std::size_t i = done; i < count; ++i) Lanes::permute_one(constants, states + i * kStateWords);
      return;
    }
    gather<Lanes, kStateWords>(state, states + done * kStateWords, lanes);
    permutation<Lanes>(constants, state);
    scatter<Lanes, kStateWords>(state, states + done * kStateWords, lanes);
  }
}

template <class Lanes>
void merge_pairs(const RoundConstants& constants, const std::uint64_t* capacity, const std::uint64_t* children,
                 std::uint64_t* parents, std::size_t count) {
  typename Lanes::Word state[kStateWords];
  const int rate = constants.circulant ? 4 : 0, rest = constants.circulant ? 0 : 8;
  for (std::size_t done = 0; done < count; done += Lanes::kLanes) {
    const std::size_t lanes = std::min<std::size_t>(Lanes::kLanes, count - done);
    if (lanes < Lanes::kFewest) {
      for (std::size_t i = done; i < count; ++i) {
        alignas(64) std::uint64_t one[kStateWords];
        std::copy(children + i * 8, children + i * 8 + 8, one + rate);
        std::copy(capacity, capacity + 4, one + rest);
        Lanes::permute_one(constants, one);
        std::copy(one + rate, one + rate + 4, parents + i * 4);
      }
      return;
    }
    gather<Lanes, 8>(state + rate, children + done * 8, lanes);
    for (int w = 0; w < 4; ++w) state[rest + w] = Lanes::broadcast(capacity[w]);
    permutation<Lanes>(constants, state);
    scatter<Lanes, 4>(state + rate, parents + done * 4, lanes);
  }
}

}  // namespace tacit::merkle::simd
