#include "ring/automorphism.h"

#include <gtest/gtest.h>

#include <bit>

#include "ring/bit_reversal.h"
#include "ring/ntt.h"
#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;

Words permuted_by(simd::AffineMap map, const Words& a) {
  const auto bits = static_cast<unsigned>(std::countr_zero(a.size()));
  Words result(a.size());
  for (std::uint64_t x = 0; x < a.size(); ++x)
    result[reverse_bits(x, bits)] = a[reverse_bits((map.multiplier * x + map.offset) % a.size(), bits)];
  return result;
}

TEST(Automorphism, MapAgreesWithSubstitutionInTheCoefficients) {
  std::mt19937_64 random(9);
  for (const std::size_t n : {8, 64, 1024}) {
    const Modulus q = testing::largest_primes(40, 2 * n, 1)[0];
    const NttTables tables(q, n);
    for (const std::uint64_t element : {rotation_element(1, n), rotation_element(-1, n), rotation_element(5, n),
                                        conjugation_element(n), std::uint64_t{1}, std::uint64_t{3}}) {
      Words a = testing::words(n, q, random);
      Words expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t power = i * element % (2 * n);
        expected[power % n] = power < n ? a[i] : q.negate(a[i]);
      }
      tables.forward(a.data());
      Words permuted = permuted_by(automorphism_map(element, n), a);
      tables.inverse(permuted.data());
      EXPECT_EQ(permuted, expected) << "n " << n << " element " << element;
    }
  }
}

TEST(Automorphism, ConjugateInvariantMapAgreesWithSubstitutionInTheCoefficients) {
  constexpr Kind kKind = Kind::conjugate_invariant;
  std::mt19937_64 random(10);
  for (const std::size_t n : {8, 64, 1024}) {
    const Modulus q = testing::largest_primes(40, 4 * n, 1)[0];
    const NttTables tables(q, n, base::active_isa(), kKind);
    for (const std::uint64_t element : {rotation_element(1, n, kKind), rotation_element(-1, n, kKind),
                                        rotation_element(5, n, kKind), std::uint64_t{1}, std::uint64_t{2 * n + 1}}) {
      Words a = testing::words(n, q, random);
      Words expected(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t power = i * element % (4 * n);
        if (power > 2 * n) power = 4 * n - power;  // X^p + X^-p
        expected[power < n ? power : 2 * n - power] = power < n ? a[i] : q.negate(a[i]);
      }
      tables.forward(a.data());
      Words permuted = permuted_by(automorphism_map(element, n, kKind), a);
      tables.inverse(permuted.data());
      EXPECT_EQ(permuted, expected) << "n " << n << " element " << element;
    }
  }
}

TEST(Automorphism, RotationElementsFormAGroup) {
  const std::size_t n = 64;
  EXPECT_EQ(rotation_element(0, n), 1u);
  EXPECT_EQ(rotation_element(1, n), 5u);
  EXPECT_EQ(rotation_element(32, n), 1u);
  EXPECT_EQ(rotation_element(-3, n) * rotation_element(3, n) % (2 * n), 1u);
  EXPECT_EQ(rotation_element(-3, n), rotation_element(29, n));
  EXPECT_EQ(conjugation_element(n), 127u);
  EXPECT_EQ(rotation_element(64, n, Kind::conjugate_invariant), 1u);
  EXPECT_NE(rotation_element(32, n, Kind::conjugate_invariant), 1u);
  for (const Kind kind : {Kind::negacyclic, Kind::conjugate_invariant})
    for (const std::int64_t steps : {0, 1, 7, 31})
      EXPECT_EQ(inverse_element(rotation_element(steps, n, kind), n, kind), rotation_element(-steps, n, kind));
}

TEST(Automorphism, RefusesWhatIsNoGaloisElement) {
  EXPECT_THROW(automorphism_map(2, 64), base::InputError);
  EXPECT_THROW(automorphism_map(129, 64), base::InputError);
  EXPECT_THROW(automorphism_map(3, 64, Kind::conjugate_invariant), base::InputError);
  EXPECT_THROW(automorphism_map(257, 64, Kind::conjugate_invariant), base::InputError);
}

}  // namespace
}  // namespace tacit::ring
