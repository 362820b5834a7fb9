#include "ring/ntt.h"

#include <gtest/gtest.h>

#include "ring/bit_reversal.h"
#include "ring/limb.h"
#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;

Words schoolbook(const Words& a, const Words& b, const Modulus& q) {
  Words c(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::uint64_t p = q.mul(a[i], b[j]);
      std::uint64_t& at = c[(i + j) % a.size()];
      at = i + j < a.size() ? q.add(at, p) : q.sub(at, p);
    }
  return c;
}

TEST(Ntt, MultipliesNegacyclicPolynomials) {
  std::mt19937_64 random(3);
  for (std::size_t n = 8; n <= 512; n *= 2)
    for (const int bits : {20, 40, 50}) {
      const Modulus q = testing::largest_primes(bits, 2 * n, 1)[0];
      const NttTables tables(q, n);
      Words a = testing::words(n, q, random), b = testing::words(n, q, random);
      const Words expected = schoolbook(a, b, q);
      tables.forward(a.data());
      tables.forward(b.data());
      limb::multiply(a.data(), a.data(), b.data(), n, q);
      tables.inverse(a.data());
      EXPECT_EQ(a, expected) << "n " << n << " bits " << bits;
    }
}

/// Coefficients of 1 and X^i + X^-i modulo X^2N + 1: X^i X^j meets X^(i + j) and X^(i - j).
Words paired_schoolbook(const Words& a, const Words& b, const Modulus& q) {
  const std::size_t n = a.size();
  Words c(n, 0);
  const auto put = [&](std::int64_t power, std::uint64_t value) {
    // X^p + X^-p for any p: even in p, of period 4N, its own negative after 2N.
    std::size_t p = static_cast<std::size_t>(power < 0 ? -power : power) % (4 * n);
    if (p > 2 * n) p = 4 * n - p;
    if (p == n) return;
    if (p > n) {
      p = 2 * n - p;
      value = q.negate(value);
    }
    c[p] = q.add(c[p], value);
    if (p == 0) c[p] = q.add(c[p], value);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t p = q.mul(a[i], b[j]);
      const auto x = static_cast<std::int64_t>(i), y = static_cast<std::int64_t>(j);
      if (i == 0 || j == 0) {
        c[i + j] = q.add(c[i + j], p);
      } else {
        put(x + y, p);
        put(x - y, p);
      }
    }
  return c;
}

TEST(Ntt, MultipliesConjugateInvariantPolynomials) {
  std::mt19937_64 random(6);
  for (std::size_t n = 8; n <= 512; n *= 2)
    for (const int bits : {20, 40, 50}) {
      const Modulus q = testing::largest_primes(bits, 4 * n, 1)[0];
      const NttTables tables(q, n, base::active_isa(), Kind::conjugate_invariant);
      Words a = testing::words(n, q, random), b = testing::words(n, q, random);
      const Words expected = paired_schoolbook(a, b, q);
      tables.forward(a.data());
      tables.forward(b.data());
      limb::multiply(a.data(), a.data(), b.data(), n, q);
      tables.inverse(a.data());
      EXPECT_EQ(a, expected) << "n " << n << " bits " << bits;
    }
}

TEST(Ntt, ConjugateInvariantPositionHoldsTheEvaluationAtTheDocumentedPower) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {std::size_t{8}, std::size_t{64}, std::size_t{2048}, std::size_t{8192}}) {
    const Modulus q = testing::smallest_prime(31, 4 * n);
    const NttTables tables(q, n, base::active_isa(), Kind::conjugate_invariant);
    EXPECT_EQ(q.pow(tables.psi(), 2 * n), q.value() - 1);
    const Words a = testing::words(n, q, random);
    Words transformed = a;
    tables.forward(transformed.data());
    const auto log_n = static_cast<unsigned>(std::countr_zero(n));
    for (std::size_t i = 0; i < n; i += (n > 100 ? 97 : 1)) {
      const std::uint64_t x = q.pow(tables.psi(), 4 * reverse_bits(i, log_n) + 1), inverse = q.inverse(x);
      std::uint64_t value = a[0], power = 1, inverse_power = 1;
      for (std::size_t j = 1; j < n; ++j) {
        power = q.mul(power, x);
        inverse_power = q.mul(inverse_power, inverse);
        value = q.add(value, q.mul(a[j], q.add(power, inverse_power)));
      }
      ASSERT_EQ(transformed[i], value) << "n " << n << " at " << i;
    }
    tables.inverse(transformed.data());
    EXPECT_EQ(transformed, a);
  }
}

TEST(Ntt, PositionHoldsTheEvaluationAtTheDocumentedPower) {
  std::mt19937_64 random(4);
  for (const std::size_t n : {std::size_t{8}, std::size_t{64}, std::size_t{2048}, std::size_t{8192}}) {
    const Modulus q = testing::smallest_prime(31, 2 * n);
    const NttTables tables(q, n);
    EXPECT_EQ(q.pow(tables.psi(), n), q.value() - 1);
    const Words a = testing::words(n, q, random);
    Words transformed = a;
    tables.forward(transformed.data());
    const auto log_n = static_cast<unsigned>(std::countr_zero(n));
    for (std::size_t i = 0; i < n; i += (n > 100 ? 97 : 1)) {
      const std::uint64_t x = q.pow(tables.psi(), 2 * reverse_bits(i, log_n) + 1);
      std::uint64_t value = 0;
      for (std::size_t j = n; j-- > 0;) value = q.add(q.mul(value, x), a[j]);
      ASSERT_EQ(transformed[i], value) << "n " << n << " at " << i;
    }
  }
}

TEST(Ntt, FewCoefficientsGiveTheDistinctValuesOfARepeatingTransform) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {std::size_t{8}, std::size_t{2048}, std::size_t{65536}}) {
    const Modulus q = testing::smallest_prime(50, 2 * n);
    const NttTables tables(q, n);
    for (std::size_t size = 2; size <= n; size *= 2) {
      Words few = testing::words(size, q, random), whole(n, 0);
      for (std::size_t i = 0; i < size; ++i) whole[i * (n / size)] = few[i];
      tables.forward(whole.data());
      tables.forward_repeating(few);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(whole[i], few[i / (n / size)]) << "n " << n << " size " << size;
    }
  }
}

TEST(Ntt, InverseUndoesForwardAtEveryDegree) {
  std::mt19937_64 random(5);
  for (std::size_t n = 8; n <= std::size_t{1} << 17; n *= 2)
    for (const int bits : {20, 30, 46, 47, 48, 49, 50}) {
      if (bits == 20 && n > 1 << 15) continue;
      const Modulus q = testing::largest_primes(bits, 2 * n, 1)[0];
      const NttTables tables(q, n);
      const Words a = testing::words(n, q, random);
      Words b = a;
      tables.forward(b.data());
      for (const std::uint64_t word : b) ASSERT_LT(word, q.value());
      tables.inverse(b.data());
      ASSERT_EQ(a, b) << "n " << n << " bits " << bits;
    }
}

TEST(Ntt, ConstantsAndMonomials) {
  const std::size_t n = 1 << 12;
  const Modulus q = testing::largest_primes(50, 2 * n, 1)[0];
  const NttTables tables(q, n);
  Words a(n, 0);
  a[0] = q.value() - 1;
  tables.forward(a.data());
  EXPECT_EQ(a, Words(n, q.value() - 1));
  Words x(n, 0);
  x[n - 1] = 1;  // X^(n-1) * X = -1
  Words y(n, 0);
  y[1] = 1;
  tables.forward(x.data());
  tables.forward(y.data());
  limb::multiply(x.data(), x.data(), y.data(), n, q);
  EXPECT_EQ(x, Words(n, q.value() - 1));
}

TEST(Ntt, RefusesWhatHasNoTransform) {
  EXPECT_THROW(NttTables(Modulus(65537), 1 << 16), base::InputError);
  EXPECT_THROW(NttTables(Modulus(65537), 24), base::InputError);
  EXPECT_THROW(NttTables(Modulus(65537), 4), base::InputError);
  EXPECT_THROW(NttTables(Modulus(65537), 1 << 18), base::InputError);
  EXPECT_THROW(NttTables(Modulus(17 * 17), 8), base::InputError);
  EXPECT_NO_THROW(NttTables(Modulus(65537), 1 << 14, base::active_isa(), Kind::conjugate_invariant));
  EXPECT_THROW(NttTables(Modulus(65537), 1 << 15, base::active_isa(), Kind::conjugate_invariant), base::InputError);
}

}  // namespace
}  // namespace tacit::ring
