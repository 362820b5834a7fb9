#pragma once

#include "ring/simd/fft_butterflies.h"
#include "ring/simd/fft_kernels.h"

// The passes of the FFT over `Lanes` (fft_butterflies.h), which has four more members:
// - Words: kWidth words of 64 bits with load, store, add, sub and broadcast_word.
// - digit_bits: the double whose bits are those of 2^52 with a word's masked bits below.
// - fractions_times_two64: a vector's distance to the nearest integers as words.
// - transpose.
namespace tacit::ring::simd {
namespace {

constexpr std::size_t kGroup = 8, kGroupWords = 16;  // points of a group, and its doubles

/// Returns the place of point j among groups.
TACIT_INLINE std::size_t place(std::size_t j) { return j / kGroup * kGroupWords + j % kGroup; }

template <class L, int R>
TACIT_INLINE void load_legs(Points<L, R>& x, const double* from, std::size_t leg) {
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
    x.re[k] = L::load(from + k * leg);
    x.im[k] = L::load(from + k * leg + kGroup);
  }
}
template <class L, int R>
TACIT_INLINE void store_legs(const Points<L, R>& x, double* to, std::size_t leg) {
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
    L::store(to + k * leg, x.re[k]);
    L::store(to + k * leg + kGroup, x.im[k]);
  }
}

/// Runs one pass of radix R over one node of `points` points.
template <class L, int R>
TACIT_INLINE void forward_node(double* node, std::size_t points, const double* factors) {
  const std::size_t leg = 2 * points / R;
  for (std::size_t g = 0; g < leg; g += kGroupWords)
    for (std::size_t h = 0; h < kGroup; h += L::kWidth) {
      Points<L, R> x;
      load_legs<L, R>(x, node + g + h, leg);
      twist<L, R>(x, Broadcast<L>{factors});
      dft<L, R>(x);
      store_legs<L, R>(x, node + g + h, leg);
    }
}
template <class L, int R>
TACIT_INLINE void inverse_node(double* node, std::size_t points, const double* factors) {
  const std::size_t leg = 2 * points / R;
  for (std::size_t g = 0; g < leg; g += kGroupWords)
    for (std::size_t h = 0; h < kGroup; h += L::kWidth) {
      Points<L, R> x;
      load_legs<L, R>(x, node + g + h, leg);
      idft<L, R>(x);
      untwist<L, R>(x, Broadcast<L>{factors});
      store_legs<L, R>(x, node + g + h, leg);
    }
}

/// Returns the logarithm of the radix of the pass that meets integers, by the levels above blocks. The other passes
/// have radix 4. Radix 8 here would hold more words than there are registers.
TACIT_INLINE unsigned first_radix_log(unsigned top_levels) { return top_levels % 2 == 1 ? 1 : 2; }
constexpr std::size_t kPairs4 = 6;  // doubles of a radix-4 node's factors

/// Runs the passes of radix 4 that follow the first one, downwards or upwards.
template <class L>
void lower_passes(const FftTables& t, double* values) {
  const unsigned first = first_radix_log(t.top_levels);
  std::size_t nodes = std::size_t{1} << first, points = t.points >> first;
  const double* factors = t.top + 2 * (nodes - 1);
  for (; points > kFftBlock; points /= 4, nodes *= 4)
    for (std::size_t node = 0; node < nodes; ++node, factors += kPairs4)
      forward_node<L, 4>(values + 2 * node * points, points, factors);
}
template <class L>
void upper_passes(const FftTables& t, double* values) {
  const unsigned first = first_radix_log(t.top_levels);
  const std::size_t first_nodes = std::size_t{1} << first;
  std::size_t nodes = t.points / kFftBlock / 4, points = 4 * kFftBlock;
  // Factors are stored from the first pass down: nodes / 4 + nodes / 16 + ... + first_nodes of them before those of
  // `nodes`.
  for (; nodes >= first_nodes; nodes /= 4, points *= 4) {
    const double* factors = t.top + 2 * (first_nodes - 1) + kPairs4 * ((nodes - first_nodes) / 3);
    for (std::size_t node = 0; node < nodes; ++node, factors += kPairs4)
      inverse_node<L, 4>(values + 2 * node * points, points, factors);
  }
}

/// Transforms points [begin, end) of the first pass, begin and end multiples of a group: digits of X^rotation * from -
/// minus. Leg k reads from + k * M / R. Legs from `Split` on read n words earlier, with the other sign. `Negative` is
/// the sign of the first leg. Signs that the compiler knows cost nothing.
template <class L, int R, int Split, bool Negative>
TACIT_INLINE void digit_points(const FftTables& t, const std::uint64_t* from, const std::uint64_t* minus, DigitCut cut,
                               double* const* rows, std::size_t begin, std::size_t end) {
  using Words = typename L::Words;
  const std::size_t leg = t.points / R, n = 2 * t.points;
  const unsigned lowest = 64 - cut.base_log * cut.levels;
  // Half a unit of the lowest digit, and half a base at every digit, so that digits come out without carries.
  std::uint64_t half = std::uint64_t{1} << (lowest - 1);
  for (unsigned level = 0; level < cut.levels; ++level)
    half += std::uint64_t{1} << (lowest + cut.base_log * level + cut.base_log - 1);
  const Words offset = L::broadcast_word(half), mask = L::broadcast_word((std::uint64_t{1} << cut.base_log) - 1);
  const auto bias = L::broadcast(0x1p52 + static_cast<double>(std::uint64_t{1} << (cut.base_log - 1)));
  const auto word = [&](std::size_t k, std::size_t j) __attribute__((always_inline)) {
    const bool split = k >= static_cast<std::size_t>(Split);
    const Words own = L::sub_words(offset, L::load_words(minus + k * leg + j));
    const Words turned = L::load_words(from + k * leg + j - (split ? n : 0));
    return split == Negative ? L::add_words(own, turned) : L::sub_words(own, turned);
  };
  for (std::size_t j = begin; j < end; j += L::kWidth) {
    for (unsigned level = 0; level < cut.levels; ++level) {
      const unsigned shift = 64 - cut.base_log * (level + 1);
      Points<L, R> x;
#pragma GCC unroll 4
      for (std::size_t k = 0; k < R; ++k) {
        x.re[k] = L::sub(L::digit_bits(word(k, j), shift, mask), bias);
        x.im[k] = L::sub(L::digit_bits(word(k + R, j), shift, mask), bias);
      }
      twist<L, R>(x, Broadcast<L>{t.top});
      dft<L, R>(x);
      store_legs<L, R>(x, rows[level] + place(j), 2 * leg);
    }
  }
}

/// Does the same with `split` legs before the polynomial is read from its other end.
template <class L, int R, int Split = 2 * R>
void digit_points_of(std::size_t split, bool negative, const FftTables& t, const std::uint64_t* from,
                     const std::uint64_t* minus, DigitCut cut, double* const* rows, std::size_t begin,
                     std::size_t end) {
  if constexpr (Split > 1) {
    if (split < Split) return digit_points_of<L, R, Split - 1>(split, negative, t, from, minus, cut, rows, begin, end);
  }
  if (negative)
    digit_points<L, R, Split, true>(t, from, minus, cut, rows, begin, end);
  else
    digit_points<L, R, Split, false>(t, from, minus, cut, rows, begin, end);
}

/// Runs the first pass of digits of X^rotation * from - minus. Every leg begins a multiple of M / R before or after the
/// turning point. The turned polynomial therefore continues at its other end in one leg, at one place in the loop. The
/// group with that place reads on past the end.
template <class L, int R>
void first_digits(const FftTables& t, const std::uint64_t* from, std::size_t rotation, const std::uint64_t* minus,
                  DigitCut cut, double* const* rows) {
  const std::size_t n = 2 * t.points, leg = t.points / R;
  const auto run = [&](std::size_t begin, std::size_t end) {
    // Word `begin` comes from here, in [0, 2n): the upper half is the polynomial with a minus.
    const std::size_t first = (begin + 2 * n - rotation) % (2 * n), in_polynomial = first % n;
    const std::size_t split = (n - in_polynomial + leg - 1) / leg;
    digit_points_of<L, R>(split, first >= n, t, from + in_polynomial - begin, minus, cut, rows, begin, end);
  };
  const std::size_t turn = (rotation % leg + kGroup - 1) / kGroup * kGroup;
  if (turn > 0) run(0, turn);
  if (turn < leg) run(turn, leg);
}

template <class L>
void begin_digits(const FftTables& t, const std::uint64_t* from, std::size_t rotation, const std::uint64_t* minus,
                  DigitCut cut, double* const* rows) {
  if (first_radix_log(t.top_levels) == 1)
    first_digits<L, 2>(t, from, rotation, minus, cut, rows);
  else
    first_digits<L, 4>(t, from, rotation, minus, cut, rows);
  for (unsigned level = 0; level < cut.levels; ++level) lower_passes<L>(t, rows[level]);
}

template <class L>
void begin_reals(const FftTables& t, double* values) {
  if (first_radix_log(t.top_levels) == 1)
    forward_node<L, 2>(values, t.points, t.top);
  else
    forward_node<L, 4>(values, t.points, t.top);
  lower_passes<L>(t, values);
}

/// Runs the last inverse pass and adds its results to words.
template <class L, int R>
TACIT_INLINE void last_words(const FftTables& t, const double* values, std::uint64_t* to) {
  const std::size_t leg = t.points / R;
  for (std::size_t j = 0; j < leg; j += L::kWidth) {
    Points<L, R> x;
    load_legs<L, R>(x, values + place(j), 2 * leg);
    idft<L, R>(x);
    untwist<L, R>(x, Broadcast<L>{t.top});
#pragma GCC unroll 8
    for (int k = 0; k < R; ++k) {
      std::uint64_t* const re = to + static_cast<std::size_t>(k) * leg + j;
      std::uint64_t* const im = re + t.points;
      L::store_words(re, L::add_words(L::load_words(re), L::fractions_times_two64(x.re[k])));
      L::store_words(im, L::add_words(L::load_words(im), L::fractions_times_two64(x.im[k])));
    }
  }
}

template <class L>
void add_words(const FftTables& t, double* values, std::uint64_t* to) {
  upper_passes<L>(t, values);
  if (first_radix_log(t.top_levels) == 1)
    last_words<L, 2>(t, values, to);
  else
    last_words<L, 4>(t, values, to);
}

}  // namespace
}  // namespace tacit::ring::simd
