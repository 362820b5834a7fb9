#include "ring/negacyclic_fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;
using Reals = base::AlignedVector<double>;

std::vector<base::Isa> supported() {
  std::vector<base::Isa> result;
  for (const base::Isa isa : {base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma})
    if (base::isa_supported(isa)) result.push_back(isa);
  return result;
}

Words random_words(std::size_t n, std::mt19937_64& random) {
  Words words(n);
  for (std::uint64_t& word : words) word = random();
  return words;
}

/// X^rotation * a - b.
Words difference(const Words& a, std::size_t rotation, const Words& b) {
  const std::size_t n = a.size();
  Words result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t to = (i + rotation) % (2 * n);
    result[to % n] = to < n ? a[i] : -a[i];
  }
  for (std::size_t i = 0; i < n; ++i) result[i] -= b[i];
  return result;
}

std::vector<std::int64_t> digits_of(std::uint64_t word, DigitCut cut) {
  const unsigned kept = cut.base_log * cut.levels;
  std::uint64_t rest = (word >> (64 - kept)) + (word >> (63 - kept) & 1);
  std::vector<std::int64_t> digits(cut.levels);
  for (unsigned level = cut.levels; level-- > 0;) {
    auto digit = static_cast<std::int64_t>(rest & ((std::uint64_t{1} << cut.base_log) - 1));
    rest >>= cut.base_log;
    if (digit >= std::int64_t{1} << (cut.base_log - 1)) {
      digit -= std::int64_t{1} << cut.base_log;
      ++rest;
    }
    digits[level] = digit;
  }
  return digits;
}

/// Adds digit polynomials times words to `to`, exactly.
void add_product(const std::vector<std::int64_t>& digits, const Words& words, Words& to) {
  const std::size_t n = words.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto d = static_cast<std::uint64_t>(digits[i]);
    if (d == 0) continue;
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t product = d * words[j];
      if (i + j < n)
        to[i + j] += product;
      else
        to[i + j - n] -= product;
    }
  }
}

/// Distance on the torus, in turns.
double distance(std::uint64_t a, std::uint64_t b) {
  return std::abs(std::ldexp(static_cast<double>(static_cast<std::int64_t>(a - b)), -64));
}

struct Case {
  std::size_t n;
  DigitCut cut;
};

class Products : public ::testing::TestWithParam<Case> {};

// Digits of a turned difference times two rows of keys, against exact integers, at turning points within groups, at
// their borders and at both ends.
TEST_P(Products, AreThoseOfIntegersUpToTheStatedError) {
  const auto [n, cut] = GetParam();
  std::mt19937_64 random(n + cut.levels);
  const Words a = random_words(n, random), b = random_words(n, random), start = random_words(n, random);
  std::vector<Words> key;
  for (unsigned i = 0; i < 2 * cut.levels; ++i) key.push_back(random_words(n, random));
  std::vector<std::size_t> rotations = {0, 1, n / 2 + 3, 2 * n - 1};
  if (n <= 512) rotations.insert(rotations.end(), {8, n - 1, n, n + 5, n + n / 8, 2 * n - 8, 77});
  for (const std::size_t rotation : rotations) {
    const Words turned = difference(a, rotation, b);
    std::vector<std::vector<std::int64_t>> digits(cut.levels, std::vector<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const auto cuts = digits_of(turned[i], cut);
      for (unsigned level = 0; level < cut.levels; ++level) digits[level][i] = cuts[level];
    }
    std::vector<Words> expected(2, start);
    for (std::size_t column = 0; column < 2; ++column)
      for (unsigned level = 0; level < cut.levels; ++level)
        add_product(digits[level], key[2 * level + column], expected[column]);
    for (const base::Isa isa : supported()) {
      const NegacyclicFft fft(n, isa);
      Reals matrix(fft.matrix_doubles(cut.levels, 2)), spectrum(n);
      for (unsigned level = 0; level < cut.levels; ++level)
        for (std::size_t column = 0; column < 2; ++column) {
          fft.words_to_spectrum(key[2 * level + column], spectrum);
          fft.store(spectrum, level, column, cut.levels, 2, matrix);
        }
      std::vector<Reals> rows(cut.levels + 1, Reals(n));
      std::vector<double*> at;
      for (Reals& row : rows) at.push_back(row.data());
      Words guarded = a;
      guarded.resize(n + NegacyclicFft::kGuard);
      fft.set_guard(guarded.data());
      fft.begin_digits(guarded.data(), rotation, b.data(), cut, at.data());
      const std::vector<double*> columns = {at[0], at[cut.levels]};
      fft.products(std::span(at).first(cut.levels), matrix.data(), columns);
      // Variance of one product by params/tfhe_noise.h is about 0.007 * 2^(22 + 2 base - 128) * n^2.22; ten deviations.
      const double deviation =
          std::sqrt(0.00705 * 2.1 * std::exp2(22 + 2.0 * cut.base_log - 128) * cut.levels * std::pow(double(n), 2.22));
      for (std::size_t column = 0; column < 2; ++column) {
        Words result = start;
        fft.add_words(columns[column], result.data());
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, distance(result[i], expected[column][i]));
        EXPECT_LT(worst, 10 * deviation) << base::isa_name(isa) << ", N = " << n << ", rotation " << rotation;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, Products,
                         ::testing::Values(Case{256, {17, 1}}, Case{256, {9, 2}}, Case{512, {23, 1}},
                                           Case{1024, {7, 3}}, Case{2048, {15, 2}}, Case{4096, {22, 1}},
                                           Case{8192, {15, 2}}, Case{256, {32, 1}}, Case{512, {30, 2}},
                                           Case{256, {15, 4}}, Case{512, {1, 9}}),
                         [](const auto& test) {
                           std::string name = "n";
                           name.append(std::to_string(test.param.n)).append("_l");
                           name.append(std::to_string(test.param.cut.levels)).append("_b");
                           return name.append(std::to_string(test.param.cut.base_log));
                         });

// Times a monomial whose coefficient is one unit of a small power of two, a product is the digits themselves: every
// rotation, on all instruction sets, to the bit. Of both radices that the pass with the digits may have.
TEST(NegacyclicFft, DigitsOfEveryRotationAreExact) {
  for (const std::size_t n : {256, 512}) {
    std::mt19937_64 random(n);
    Words a = random_words(n, random), b = random_words(n, random);
    // Words at the ends of the range, and halfway between two digits.
    a[0] = b[1] = 0;
    a[1] = b[0] = ~std::uint64_t{0};
    a[n - 1] = std::uint64_t{1} << 63;
    b[n - 1] = (std::uint64_t{1} << 63) - 1;
    a[2] = std::uint64_t{1} << 48;
    b[2] = std::uint64_t{1} << 49;
    constexpr DigitCut kCut{7, 2};
    constexpr unsigned kUnit = 30;
    Words one(n, 0);
    one[0] = std::uint64_t{1} << kUnit;
    for (const base::Isa isa : supported()) {
      const NegacyclicFft fft(n, isa);
      Reals matrix(fft.matrix_doubles(1, 1)), spectrum(n);
      fft.words_to_spectrum(one, spectrum);
      fft.store(spectrum, 0, 0, 1, 1, matrix);
      Words guarded = a;
      guarded.resize(n + NegacyclicFft::kGuard);
      fft.set_guard(guarded.data());
      std::vector<Reals> rows(kCut.levels, Reals(n));
      std::vector<double*> at;
      for (Reals& row : rows) at.push_back(row.data());
      std::size_t wrong = 0;
      for (std::size_t rotation = 0; rotation < 2 * n; ++rotation) {
        const Words turned = difference(a, rotation, b);
        fft.begin_digits(guarded.data(), rotation, b.data(), kCut, at.data());
        for (unsigned level = 0; level < kCut.levels; ++level) {
          const std::span<double* const> row(&at[level], 1);
          fft.products(row, matrix.data(), row);
          Words result(n, 0);
          fft.add_words(at[level], result.data());
          for (std::size_t i = 0; i < n; ++i) {
            // Rounded to the unit: the rest is the transform's error, far below it.
            const std::uint64_t digit = (result[i] + (std::uint64_t{1} << (kUnit - 1))) >> kUnit << kUnit;
            wrong += digit != static_cast<std::uint64_t>(digits_of(turned[i], kCut)[level]) << kUnit;
          }
        }
      }
      EXPECT_EQ(wrong, 0u) << base::isa_name(isa) << ", N = " << n;
    }
  }
}

// Integers of a few bits have products that doubles hold: the result is exact.
TEST(NegacyclicFft, SmallProductsAreExactAtEveryDegree) {
  for (std::size_t n = NegacyclicFft::kLeast; n <= NegacyclicFft::kMost; n *= 2) {
    std::mt19937_64 random(n);
    std::vector<std::int64_t> sparse(n, 0);
    for (int i = 0; i < 20; ++i) sparse[random() % n] = static_cast<std::int64_t>(random() % 15) - 7;
    Words words(n);
    for (std::uint64_t& word : words) word = random() << 44;
    Words expected(n, 0);
    add_product(sparse, words, expected);
    for (const base::Isa isa : supported()) {
      const NegacyclicFft fft(n, isa);
      Reals matrix(n), spectrum(n), row(n);
      fft.words_to_spectrum(words, spectrum);
      fft.store(spectrum, 0, 0, 1, 1, matrix);
      for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<double>(sparse[i]);
      fft.begin_reals(row);
      double* const rows[] = {row.data()};
      fft.products(rows, matrix.data(), rows);
      Words result(n, 0);
      fft.add_words(row.data(), result.data());
      for (std::size_t i = 0; i < n; ++i) ASSERT_LT(distance(result[i], expected[i]), 0x1p-44) << n << " " << i;
    }
  }
}

TEST(NegacyclicFft, InstructionSetsHaveOneSpectrum) {
  for (const std::size_t n : {256, 512, 1024, 2048, 16384}) {
    std::mt19937_64 random(n);
    std::vector<std::int64_t> integers(n);
    for (std::int64_t& x : integers) x = static_cast<std::int64_t>(random() % 2048) - 1024;
    // As words they are fractions, and spectra come divided by N / 2: by powers of two.
    Words words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<std::uint64_t>(integers[i]) << 53;
    const auto spectrum = [&](base::Isa isa, Reals& values) {
      NegacyclicFft(n, isa).words_to_spectrum(words, values);
      for (double& value : values) value *= 0x1p10 * static_cast<double>(n);
    };
    Reals first(n), other(n);
    spectrum(base::Isa::portable, first);
    // Factor of the first leaf: the value at the root e^(2 pi i / 4N).
    double re = 0, im = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = M_PI * static_cast<double>(i) / static_cast<double>(n);
      re += static_cast<double>(integers[i]) * std::cos(angle);
      im += static_cast<double>(integers[i]) * std::sin(angle);
    }
    EXPECT_NEAR(first[0], re, 1e-6);
    EXPECT_NEAR(first[8], im, 1e-6);
    for (const base::Isa isa : supported()) {
      spectrum(isa, other);
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(first[i], other[i], 1e-7) << base::isa_name(isa) << " " << n;
    }
  }
}

TEST(NegacyclicFft, RefusesOtherDegrees) {
  for (const std::size_t n : {0, 128, 1000, 1 << 17}) EXPECT_THROW(NegacyclicFft{n}, base::InputError) << n;
}

}  // namespace
}  // namespace tacit::ring
