#include "ring/automorphism.h"

#include <gtest/gtest.h>

#include "ring/limb.h"
#include "ring/ntt.h"
#include "ring/testing.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;

TEST(Automorphism, TableAgreesWithSubstitutionInTheCoefficients) {
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
      Words permuted(n);
      limb::permute(permuted.data(), a.data(), automorphism_table(element, n).data(), n);
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
}

TEST(Automorphism, RefusesWhatIsNoGaloisElement) {
  EXPECT_THROW(automorphism_table(2, 64), base::InputError);
  EXPECT_THROW(automorphism_table(129, 64), base::InputError);
}

}  // namespace
}  // namespace tacit::ring
