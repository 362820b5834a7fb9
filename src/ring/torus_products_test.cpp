#include "ring/torus_products.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/cpu.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {

// Two tiles of columns, every remainder of vectors that kernels take together, against sums of single words; to the bit
// on all instruction sets.
TEST(TorusProducts, AreSumsOfWordsModuloTwo32) {
  std::mt19937_64 random(9);
  constexpr std::size_t kRows = 37, kColumns = 2 * kTorusColumns, kDigitStride = kRows + 3, kOutStride = kColumns + 5;
  std::vector<std::uint32_t> key(kRows * kColumns);
  for (std::uint32_t& word : key) word = static_cast<std::uint32_t>(random());
  for (const std::size_t count : {0, 1, 2, 3, 5, 6, 7, 8, 13, 15}) {
    std::vector<std::int32_t> digits(count * kDigitStride);
    for (std::int32_t& digit : digits) digit = static_cast<std::int32_t>(random() % 33) - 16;
    std::vector<std::uint32_t> start(count * kOutStride), expected;
    for (std::uint32_t& word : start) word = static_cast<std::uint32_t>(random());
    expected = start;
    for (std::size_t m = 0; m < count; ++m)
      for (std::size_t i = 0; i < kColumns; ++i)
        for (std::size_t r = 0; r < kRows; ++r)
          expected[m * kOutStride + i] -=
              static_cast<std::uint32_t>(digits[m * kDigitStride + r]) *
              key[i / kTorusColumns * kRows * kTorusColumns + r * kTorusColumns + i % kTorusColumns];
    const auto products = [&](std::vector<std::uint32_t>& out) {
      return DigitProducts{.key = key.data(),
                           .tile_stride = kRows * kTorusColumns,
                           .columns = kColumns,
                           .rows = kRows,
                           .digits = digits.data(),
                           .digit_stride = kDigitStride,
                           .out = out.data(),
                           .out_stride = kOutStride,
                           .count = count};
    };
    for (const base::Isa isa : {base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma}) {
      if (!base::isa_supported(isa)) continue;
      std::vector<std::uint32_t> out = start;
      simd::fft_kernels_of(isa).subtract_digit_products(products(out));
      EXPECT_EQ(out, expected) << base::isa_name(isa) << ", " << count << " vectors";
    }
  }
}

// More rows than are read in one run.
TEST(TorusProducts, OfManyRowsAreReadInRuns) {
  std::mt19937_64 random(10);
  constexpr std::size_t kRows = 2500;
  std::vector<std::uint32_t> key(kRows * kTorusColumns), out(kTorusColumns, 0), expected = out;
  std::vector<std::int32_t> digits(kRows);
  for (std::uint32_t& word : key) word = static_cast<std::uint32_t>(random());
  for (std::int32_t& digit : digits) digit = static_cast<std::int32_t>(random() % 5) - 2;
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t i = 0; i < kTorusColumns; ++i)
      expected[i] -= static_cast<std::uint32_t>(digits[r]) * key[r * kTorusColumns + i];
  subtract_digit_products({.key = key.data(),
                           .tile_stride = key.size(),
                           .columns = kTorusColumns,
                           .rows = kRows,
                           .digits = digits.data(),
                           .digit_stride = kRows,
                           .out = out.data(),
                           .out_stride = kTorusColumns,
                           .count = 1});
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace tacit::ring
