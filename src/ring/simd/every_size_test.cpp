#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <string>

#include "base/instruction_set_for_test.h"
#include "ring/base_converter.h"
#include "ring/bit_reversal.h"
#include "ring/ntt.h"
#include "ring/primes_for_test.h"
#include "ring/simd/dispatch.h"
#include "ring/simd/fft_kernels.h"

namespace tacit::ring {
namespace {

__extension__ using Product = unsigned __int128;
using Row = base::AlignedVector<std::uint64_t>;
using Rows = std::vector<Row>;
constexpr std::uint64_t kSentinel = 0x5e5e5e5e5e5e5e5e;
constexpr std::size_t kBehind = 8;  // words that nothing may touch

/// Every instruction set, portable too, against integers modulo q, on every length up to a few tiles and one beyond.
class EverySize : public base::OnInstructionSet {
 protected:
  const simd::Kernels& kernels_ = simd::kernels_of(GetParam());
  std::mt19937_64 random_{23};
};

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all{264, 520};
  for (std::size_t n = 8; n <= 136; n += 8) all.push_back(n);
  return all;
}

std::vector<Modulus> chosen_primes() {
  return {testing::smallest_prime(20, 64),       testing::largest_primes(20, 64, 1)[0],
          testing::largest_primes(33, 64, 1)[0], testing::largest_primes(47, 64, 1)[0],
          testing::smallest_prime(50, 64),       testing::largest_primes(50, 64, 1)[0]};
}

std::uint64_t product_of(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(Product{a} * b % q);
}

/// `words` with the sentinel behind them.
Row guarded(Row words) {
  words.insert(words.end(), kBehind, kSentinel);
  return words;
}

TEST_P(EverySize, OfElementwiseOperationsGivesResiduesAndEndsThere) {
  for (const Modulus& modulus : chosen_primes()) {
    const std::uint64_t q = modulus.value();
    const simd::ModulusWords& m = modulus.words();
    for (const std::size_t n : lengths()) {
      Row a = testing::words(n, modulus, random_), b = testing::words(n, modulus, random_);
      const Row start = testing::words(n, modulus, random_);
      // Both ends of the range meet in the last words, which a tail handles.
      a[n - 1] = a[n - 2] = q - 1;
      b[n - 1] = b[n - 3] = q - 1;
      a[n - 3] = b[n - 2] = 0;
      const std::uint64_t w = n % 16 == 0 ? q - 1 : a[n / 2], shoup = modulus.shoup(w);
      const auto same = [&](const char* name, const Row& from,
                            const std::function<std::uint64_t(std::size_t)>& expected,
                            const std::function<void(std::uint64_t*)>& run) {
        Row out = guarded(from), want(n);
        run(out.data());
        for (std::size_t i = 0; i < n; ++i) want[i] = expected(i);
        ASSERT_EQ(out, guarded(want)) << name << ", n " << n << ", q " << q;
      };
      // The output is another row, then either input.
      for (const Row* from : std::initializer_list<const Row*>{&start, &a, &b}) {
        const auto at = [&](const Row& row, std::uint64_t* out) { return from == &row ? out : row.data(); };
        same(
            "add", *from, [&](std::size_t i) { return (a[i] + b[i]) % q; },
            [&](std::uint64_t* out) { kernels_.add(out, at(a, out), at(b, out), n, m); });
        same(
            "sub", *from, [&](std::size_t i) { return (a[i] + q - b[i]) % q; },
            [&](std::uint64_t* out) { kernels_.sub(out, at(a, out), at(b, out), n, m); });
        same(
            "negate", *from, [&](std::size_t i) { return (q - a[i]) % q; },
            [&](std::uint64_t* out) { kernels_.negate(out, at(a, out), n, m); });
        same(
            "multiply", *from, [&](std::size_t i) { return product_of(a[i], b[i], q); },
            [&](std::uint64_t* out) { kernels_.multiply(out, at(a, out), at(b, out), n, m); });
        same(
            "multiply_add", *from, [&](std::size_t i) { return ((*from)[i] + product_of(a[i], b[i], q)) % q; },
            [&](std::uint64_t* out) { kernels_.multiply_add(out, at(a, out), at(b, out), n, m); });
        same(
            "multiply_scalar", *from, [&](std::size_t i) { return product_of(a[i], w, q); },
            [&](std::uint64_t* out) { kernels_.multiply_scalar(out, at(a, out), w, shoup, n, m); });
        same(
            "sub_multiply_scalar", *from, [&](std::size_t i) { return product_of((a[i] + q - b[i]) % q, w, q); },
            [&](std::uint64_t* out) { kernels_.sub_multiply_scalar(out, at(a, out), at(b, out), w, shoup, n, m); });
        same(
            "add_scalar", *from, [&](std::size_t i) { return (a[i] + w) % q; },
            [&](std::uint64_t* out) { kernels_.add_scalar(out, at(a, out), w, n, m); });
      }
      same(
          "copy_around", start, [&](std::size_t i) { return a[i]; },
          [&](std::uint64_t* out) { kernels_.copy_around(out, a.data(), n); });
      for (const Modulus& to : {testing::smallest_prime(20, 64), testing::largest_primes(50, 64, 1)[0], modulus})
        same(
            "switch_modulus", start,
            [&](std::size_t i) {
              const std::uint64_t p = to.value();
              return a[i] > q / 2 ? (p - (q - a[i]) % p) % p : a[i] % p;
            },
            [&](std::uint64_t* out) { kernels_.switch_modulus(out, a.data(), n, m, to.words()); });
      if (!std::has_single_bit(n)) continue;
      same(
          "mirror_add", a, [&](std::size_t i) { return i == 0 ? a[0] : (a[i] + product_of(w, a[n - i], q)) % q; },
          [&](std::uint64_t* out) { kernels_.mirror_add(out, w, shoup, n, m); });
    }
  }
}

TEST_P(EverySize, HalvesOfAModulusAreCentredToItsOtherSide) {
  const Modulus from = testing::largest_primes(50, 64, 1)[0], to = testing::largest_primes(30, 64, 1)[0];
  const std::uint64_t q = from.value(), p = to.value();
  const Row a{0, 1, q / 2 - 1, q / 2, q / 2 + 1, q / 2 + 2, q - 1, q - p};
  Row out(8);
  kernels_.switch_modulus(out.data(), a.data(), 8, from.words(), to.words());
  EXPECT_EQ(out, (Row{0, 1, (q / 2 - 1) % p, q / 2 % p, p - (q - q / 2 - 1) % p, p - (q - q / 2 - 2) % p, p - 1, 0}));
}

/// A factor row with the word at each of its positions.
struct Factor {
  simd::FactorRow row;
  Row at;
};
Factor factor_of(const Row& words, std::size_t n, std::size_t log_times, bool backwards) {
  Factor factor{{backwards ? words.data() + words.size() - 1 : words.data(), log_times, backwards}, Row(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t word = i >> log_times;
    factor.at[i] = backwards ? words[words.size() - 1 - word] : words[word];
  }
  return factor;
}

/// Factors that go either way, repeat equally often or each in its own way: log_times 64 stands for the latter, and
/// direction 2 for both directions in turn.
TEST_P(EverySize, OfSumsOfProductsOfRowsThatRepeatAndGoEitherWay) {
  for (const Modulus& modulus : {testing::largest_primes(20, 64, 1)[0], testing::largest_primes(50, 64, 1)[0]}) {
    const std::uint64_t q = modulus.value();
    Rows pool;
    for (int i = 0; i < 7; ++i) pool.push_back(testing::words(136, modulus, random_));
    for (const std::size_t n : {8, 16, 24, 32, 40, 64, 72, 96, 104, 128, 136})
      for (const std::size_t log_times : {0, 1, 2, 3, 4, 5, 6, 63, 64})
        for (const int direction : {0, 1, 2}) {
          const std::size_t pairs = 1 + random_() % 7, count = std::array{0, 1, 2, 4, 5, 9}[random_() % 6];
          std::vector<Factor> factors;
          std::vector<simd::FactorRow> rows;
          for (std::size_t k = 0; k < pairs * count; ++k) {
            factors.push_back(factor_of(pool[random_() % 7], n, log_times == 64 ? k % 7 : log_times,
                                        direction == 2 ? k % 2 == 1 : direction == 1));
            rows.push_back(factors.back().row);
          }
          std::vector<const std::uint64_t*> b[2];
          for (std::size_t k = 0; k < count; ++k)
            for (auto& list : b) list.push_back(pool[random_() % 7].data());
          const auto expected = [&](std::size_t pair, std::size_t half) {
            Row sum(n, 0);
            for (std::size_t k = 0; k < count; ++k)
              for (std::size_t i = 0; i < n; ++i)
                sum[i] = (sum[i] + product_of(factors[pair * count + k].at[i], b[half][k][i], q)) % q;
            return guarded(sum);
          };
          Rows out(2 * pairs, guarded(Row(n, 1)));
          std::vector<std::uint64_t*> to;
          for (Row& row : out) to.push_back(row.data());
          kernels_.dot_pairs(to.data(), pairs, rows.data(), b[0].data(), b[1].data(), count, n, modulus.words());
          for (std::size_t row = 0; row < out.size(); ++row)
            ASSERT_EQ(out[row], expected(row / 2, row % 2))
                << "pair " << row / 2 << " of " << pairs << ", " << count << " terms, n " << n << ", 2^" << log_times
                << " times, " << direction << ", q " << q;
          Row single = guarded(Row(n, 1));
          kernels_.dot(single.data(), rows.data(), b[0].data(), count, n, modulus.words());
          ASSERT_EQ(single, expected(0, 0)) << count << " terms, n " << n << ", 2^" << log_times << " times";
        }
  }
}

/// The greatest words for so many terms as sums hold before they are folded, and around it. Where transforms are lazy
/// one factor has 52 bits, whatever stands above them.
TEST_P(EverySize, OfSumsOfTheGreatestWords) {
  const bool lazy = GetParam() == base::Isa::avx512ifma;
  constexpr std::size_t kN = 40;  // a tile and a vector
  constexpr std::uint64_t kLow = (std::uint64_t{1} << 52) - 1;
  for (const int bits : {20, 44, 47, 50}) {
    const Modulus modulus = testing::largest_primes(bits, 64, 1)[0];
    const std::uint64_t q = modulus.value();
    const std::vector<std::uint64_t> greatest =
        lazy ? std::vector<std::uint64_t>{~std::uint64_t{0}, kLow} : std::vector<std::uint64_t>{q - 1};
    for (const std::uint64_t left : greatest)
      for (const std::uint64_t right : {q - 1, std::uint64_t{1}})
        for (const std::size_t count :
             {1, 3, 4, 5, 8, 9, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097}) {
          if (count > 257 && bits != 50) continue;
          const Row a(kN, left), b(kN, right);
          const std::uint64_t expected =
              product_of(product_of((left & kLow) % q, right, q), static_cast<std::uint64_t>(count), q);
          const Row want(kN, expected);
          for (const bool swapped : {false, true}) {
            const std::vector<simd::FactorRow> rows(3 * count, {swapped ? b.data() : a.data()});
            const std::vector<const std::uint64_t*> other(count, swapped ? a.data() : b.data());
            Row single(kN);
            kernels_.dot(single.data(), rows.data(), other.data(), count, kN, modulus.words());
            ASSERT_EQ(single, want) << count << " terms of " << left << " and " << right << ", q " << q;
            if (count > 300 && right == 1) continue;
            Rows out(6, Row(kN));
            std::vector<std::uint64_t*> to;
            for (Row& row : out) to.push_back(row.data());
            kernels_.dot_pairs(to.data(), 3, rows.data(), other.data(), other.data(), count, kN, modulus.words());
            ASSERT_EQ(out, Rows(6, want)) << count << " terms of " << left << " and " << right << ", q " << q;
          }
        }
  }
}

TEST_P(EverySize, OfPermutationsByManyMaps) {
  for (std::size_t n = 8; n <= simd::kPermutedWords; n *= 2) {
    const auto bits = static_cast<unsigned>(std::countr_zero(n));
    Row a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = 1000 + i;
    for (const std::size_t multiplier : {std::size_t{1}, std::size_t{3}, n - 1, n + 1, 2 * n - 1, std::size_t{131071}})
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
        const simd::AffineMap map{static_cast<std::uint32_t>(multiplier), static_cast<std::uint32_t>(offset)};
        Row expected(n);
        for (std::size_t x = 0; x < n; ++x)
          expected[reverse_bits(x, bits)] = a[reverse_bits((multiplier * x + offset) % n, bits)];
        for (const bool around : {false, true}) {
          Row out = guarded(Row(n));
          kernels_.permute(out.data(), a.data(), map, n, around);
          ASSERT_EQ(out, guarded(expected)) << n << ", " << multiplier << " x + " << offset << ", " << around;
        }
      }
  }
}

/// Integers of 62 bits are themselves modulo every prime: no other arithmetic is needed to know what comes out.
TEST_P(EverySize, OfBaseConversionsKeepsSmallIntegers) {
  const std::vector<Modulus> primes = testing::largest_primes(50, 1 << 10, 64);
  const std::vector<Modulus> others = testing::largest_primes(49, 1 << 10, 6),
                             small = testing::largest_primes(20, 64, 3);
  std::vector<Modulus> targets = others;
  targets.insert(targets.end(), small.begin(), small.end());
  for (const std::size_t sources : {2, 3, 4, 15, 16, 17, 63, 64})
    for (const std::size_t n : {8, 16, 40, 248, 256, 264}) {
      const std::vector<Modulus> from(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(sources));
      const BaseConverter converter(from, targets, GetParam());
      std::vector<std::int64_t> integers(n);
      for (std::int64_t& x : integers) x = static_cast<std::int64_t>(random_()) >> 2;
      integers[0] = 0;
      integers[1] = -1;
      integers[n - 1] = 1;
      Rows source(sources, Row(n));
      std::vector<const std::uint64_t*> src;
      for (std::size_t k = 0; k < sources; ++k) {
        for (std::size_t i = 0; i < n; ++i) source[k][i] = from[k].reduce_signed(integers[i]);
        src.push_back(source[k].data());
      }
      Row prepared(converter.prepared_words(n));
      converter.prepare(src, prepared.data(), n);
      for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 9}, {1, 3}, {4, 5}, {8, 1}, {3, 2}}) {
        Rows out(count, guarded(Row(n)));
        std::vector<std::uint64_t*> to;
        for (Row& row : out) to.push_back(row.data());
        converter.convert_prepared(prepared.data(), first, to, n);
        for (std::size_t k = 0; k < count; ++k) {
          const Modulus& p = targets[first + k];
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_LT(out[k][i], 2 * p.value());
            ASSERT_EQ(out[k][i] % p.value(), p.reduce_signed(integers[i]))
                << sources << " sources, target " << first + k << ", n " << n << ", at " << i;
          }
          for (std::size_t i = n; i < n + kBehind; ++i) ASSERT_EQ(out[k][i], kSentinel);
        }
      }
    }
}

/// Scaled sources at the end of their range, of which a conversion's sums are the greatest: minus the sum of Q / q_i,
/// once at the first coefficient, twice at the next, and so on.
TEST_P(EverySize, OfBaseConversionsOfTheGreatestWords) {
  constexpr std::size_t kN = 64;
  const std::vector<Modulus> primes = testing::largest_primes(50, 1 << 10, 64);
  std::vector<Modulus> targets = testing::largest_primes(49, 1 << 10, 20);
  for (const int bits : {20, 35}) targets.push_back(testing::largest_primes(bits, 64, 1)[0]);
  targets.push_back(testing::smallest_prime(50, 64));
  for (const std::size_t sources : {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 32, 33, 64}) {
    const std::vector<Modulus> from(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(sources));
    const auto cofactor = [&](std::size_t of, const Modulus& p) {
      std::uint64_t product = 1;
      for (std::size_t k = 0; k < sources; ++k)
        if (k != of) product = p.mul(product, p.reduce(from[k].value()));
      return product;
    };
    Rows source(sources, Row(kN));
    std::vector<const std::uint64_t*> src;
    for (std::size_t i = 0; i < sources; ++i) {
      const std::uint64_t own = cofactor(i, from[i]);
      for (std::size_t j = 0; j < kN; ++j) source[i][j] = from[i].mul(from[i].value() - 1 - j, own);
      src.push_back(source[i].data());
    }
    const BaseConverter converter(from, targets, GetParam());
    Row prepared(converter.prepared_words(kN));
    converter.prepare(src, prepared.data(), kN);
    Rows out(targets.size(), Row(kN));
    std::vector<std::uint64_t*> to;
    for (Row& row : out) to.push_back(row.data());
    converter.convert_prepared(prepared.data(), 0, to, kN);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Modulus& p = targets[t];
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < sources; ++i) sum = p.add(sum, cofactor(i, p));
      for (std::size_t j = 0; j < kN; ++j) {
        ASSERT_LT(out[t][j], 2 * p.value()) << sources << " sources, target " << t << ", at " << j;
        ASSERT_EQ(out[t][j] % p.value(), p.negate(p.mul(sum, j + 1))) << sources << " sources, target " << t;
      }
    }
  }
}

/// Every coefficient is 2 q - 1, which is minus one. Primes of these lengths have windows of their own.
TEST_P(EverySize, OfTilesTakesWordsUpToTwiceTheModulus) {
  for (std::size_t n = 8; n <= std::size_t{1} << 13; n *= 2)
    for (const Kind kind : {Kind::negacyclic, Kind::conjugate_invariant})
      for (const int bits : {46, 47, 48, 49, 50}) {
        const Modulus q = testing::largest_primes(bits, root_order(n, kind), 1)[0];
        for (const bool scarce : {false, true}) {
          if (scarce && bits < 50) continue;
          const NttTables tables(q, n, GetParam(), kind, scarce);
          const NttTables::Tiling& tiling = tables.tiling();
          Row expected(n, q.value() - 1);
          tables.forward(expected.data());
          Row tiles(tiling.words(), 2 * q.value() - 1), tiled(tiling.words()), values(n);
          for (std::size_t t = 0; t < tiling.tiles; ++t)
            tables.forward_tile(tiles.data() + t * tiling.tile_stride, {tiled.data() + t * tiling.tile_stride});
          for (std::size_t b = 0; b < tiling.blocks; ++b)
            tables.forward_block(tiled.data(), b, values.data() + b * tiling.block_words);
          ASSERT_EQ(values, expected) << "n " << n << ", " << bits << " bits, " << scarce;
          for (std::size_t b = 0; b < tiling.blocks; ++b)
            tables.forward_block_lazy(tiled.data(), b, values.data() + b * tiling.block_words);
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(values[i] % (std::uint64_t{1} << 52) % q.value(), expected[i]) << "n " << n << " at " << i;
        }
      }
}

TEST_P(EverySize, OfDigitProductsModuloTwo32) {
  constexpr std::size_t kColumns = simd::kTorusColumns;
  for (const std::size_t rows : {1, 2, 3, 4, 5, 8, 9, 16})
    for (const std::size_t count : {1, 4, 9}) {
      std::vector<std::uint32_t> key(rows * kColumns + 1), out(count * kColumns + 4, 0xabababab);
      for (std::uint32_t& word : key) word = random_() % 4 == 0 ? ~0u : static_cast<std::uint32_t>(random_());
      std::vector<std::int32_t> digits(count * rows + 1);
      for (std::int32_t& digit : digits) digit = static_cast<std::int32_t>(random_() % 65536) - 32768;
      std::vector<std::uint32_t> expected = out;
      for (std::size_t m = 0; m < count; ++m)
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t i = 0; i < kColumns; ++i)
            expected[m * kColumns + i] -= static_cast<std::uint32_t>(digits[m * rows + r]) * key[r * kColumns + i];
      simd::fft_kernels_of(GetParam())
          .subtract_digit_products({.key = key.data(),
                                    .tile_stride = rows * kColumns,
                                    .columns = kColumns,
                                    .rows = rows,
                                    .digits = digits.data(),
                                    .digit_stride = rows,
                                    .out = out.data(),
                                    .out_stride = kColumns,
                                    .count = count});
      ASSERT_EQ(out, expected) << rows << " rows, " << count << " vectors";
    }
}

INSTANTIATE_TEST_SUITE_P(Isas, EverySize,
                         ::testing::Values(base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma),
                         [](const auto& isa) { return std::string(base::isa_name(isa.param)); });

}  // namespace
}  // namespace tacit::ring
