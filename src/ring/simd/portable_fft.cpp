#include <bit>
#include <cmath>
#include <utility>

#include "ring/simd/fft_blocks.h"

namespace tacit::ring::simd {
namespace {

struct Lanes {
  using V = double;
  using Words = std::uint64_t;
  static constexpr std::size_t kWidth = 1;

  static TACIT_INLINE V load(const double* p) { return *p; }
  static TACIT_INLINE void store(double* p, V x) { *p = x; }
  static TACIT_INLINE V broadcast(double x) { return x; }
  static TACIT_INLINE V add(V a, V b) { return a + b; }
  static TACIT_INLINE V sub(V a, V b) { return a - b; }
  static TACIT_INLINE V mul(V a, V b) { return a * b; }
  // Rounded twice: a processor without fused instructions would take a function call for each.
  static TACIT_INLINE V madd(V a, V b, V c) { return c + a * b; }
  static TACIT_INLINE V nmadd(V a, V b, V c) { return c - a * b; }

  static TACIT_INLINE Words load_words(const std::uint64_t* p) { return *p; }
  static TACIT_INLINE void store_words(std::uint64_t* p, Words x) { *p = x; }
  static TACIT_INLINE Words broadcast_word(std::uint64_t w) { return w; }
  static TACIT_INLINE Words add_words(Words a, Words b) { return a + b; }
  static TACIT_INLINE Words sub_words(Words a, Words b) { return a - b; }
  static TACIT_INLINE V digit_bits(Words x, unsigned shift, Words mask) {
    return std::bit_cast<double>(((x >> shift) & mask) | std::bit_cast<std::uint64_t>(0x1p52));
  }
  static TACIT_INLINE Words fractions_times_two64(V x) {
    const V scaled = (x - nearest(x)) * 0x1p32;
    const V high = nearest(scaled);
    return (whole(high) << 32) + whole((scaled - high) * 0x1p32);
  }
  /// To even, as the vector instructions round.
  static TACIT_INLINE V nearest(V x) { return std::nearbyint(x); }
  static TACIT_INLINE Words whole(V x) {
    return std::bit_cast<std::uint64_t>(x + 0x1.8p52) - std::bit_cast<std::uint64_t>(0x1.8p52);
  }
  static void transpose_plane(double* plane) {
    for (std::size_t i = 0; i < kGroup; ++i)
      for (std::size_t j = 0; j < i; ++j) std::swap(plane[i * kGroupWords + j], plane[j * kGroupWords + i]);
  }
};

void subtract_digit_products(const DigitProducts& p) {
  for (std::size_t m = 0; m < p.count; ++m)
    for (std::size_t r = 0; r < p.rows; ++r) {
      const auto digit = static_cast<std::uint32_t>(p.digits[m * p.digit_stride + r]);
      std::uint32_t* const out = p.out + m * p.out_stride;
      for (std::size_t column = 0; column < p.columns; column += kTorusColumns) {
        const std::uint32_t* const key = p.key + column / kTorusColumns * p.tile_stride + r * kTorusColumns;
        for (std::size_t i = 0; i < kTorusColumns; ++i) out[column + i] -= digit * key[i];
      }
    }
}

}  // namespace

const FftKernels kPortableFft = fft_kernels_of<Lanes>(subtract_digit_products);

}  // namespace tacit::ring::simd
