#include "ring/base_converter.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Words = base::AlignedVector<std::uint64_t>;

std::uint64_t residue(const Integer& x, const Modulus& q) {
  Integer r = x % q.value();
  if (r < 0) r += q.value();
  return static_cast<std::uint64_t>(r);
}

/// Converts centred integers (0, +-1, near the ends, random) and compares with exact arithmetic. With a scale the
/// integers are what the converter makes of `source`.
void check_conversion(const std::vector<Modulus>& from, const std::vector<Modulus>& to, std::size_t n,
                      const std::vector<std::uint64_t>& scale = {}) {
  std::mt19937_64 random(8);
  Integer product = 1;
  for (const Modulus& q : from) product *= q.value();
  const Integer half = product / 2;
  // Away from the end by 2^-40 of Q, where several primes leave the representative open.
  const Integer end = from.size() == 1 ? half : half - product / (Integer(1) << 40);
  std::vector<Integer> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    Integer draw = 0;
    for (std::size_t k = 0; k <= from.size(); ++k) draw = (draw << 60) + (random() >> 4);
    x[i] = draw % product - half;
    if (x[i] > end) x[i] = end;
    if (x[i] < -end) x[i] = -end;
  }
  x[0] = 0;
  x[1] = 1;
  x[2] = -1;
  x[3] = end;
  x[4] = -end;
  std::vector<Words> source(from.size(), Words(n));
  for (std::size_t k = 0; k < from.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      source[k][i] = residue(x[i], from[k]);
      if (!scale.empty()) source[k][i] = from[k].mul(source[k][i], from[k].inverse(scale[k]));
    }
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy converts as the original does
  const BaseConverter converter(from, to, base::active_isa(), scale), copy = converter;
  const std::vector<Words> target = testing::converted(copy, source, n);
  for (std::size_t k = 0; k < to.size(); ++k)
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(target[k][i], residue(x[i], to[k]))
          << from.size() << " to " << to.size() << ", row " << k << " at " << i;
}

TEST(BaseConverter, AgreesWithExactIntegersForManyShapes) {
  const std::vector<Modulus> big = testing::largest_primes(50, 1 << 17, 60);
  const std::vector<Modulus> middle = testing::largest_primes(40, 1 << 17, 20);
  const std::vector<Modulus> small = testing::largest_primes(20, 1 << 11, 8);
  for (const std::size_t sources : {1, 2, 3, 4, 7, 12, 16, 17, 40}) {
    const std::vector<Modulus> from(big.begin(), big.begin() + static_cast<std::ptrdiff_t>(sources));
    for (const std::size_t targets : {1, 2, 3, 5, 8, 13}) {
      const std::vector<Modulus> to(big.begin() + 40, big.begin() + 40 + static_cast<std::ptrdiff_t>(targets));
      check_conversion(from, to, 40);
    }
    check_conversion(from, middle, 264);
    check_conversion(from, small, 24);
  }
  for (const std::size_t sources : {1, 5, 20}) {
    const std::vector<Modulus> from(middle.begin(), middle.begin() + static_cast<std::ptrdiff_t>(sources));
    check_conversion(from, big, 520);
    check_conversion(from, small, 16);
  }
  check_conversion(small, big, 264);
  check_conversion({small[0]}, big, 264);
}

TEST(BaseConverter, MixesPrimeSizesAndKeepsSharedPrimes) {
  const std::vector<Modulus> big = testing::largest_primes(50, 1 << 17, 3);
  const std::vector<Modulus> small = testing::largest_primes(21, 1 << 11, 3);
  check_conversion({big[0], small[0], big[1]}, {small[1], big[2], big[0], small[0]}, 256);
}

TEST(BaseConverter, ScalesWhatItConverts) {
  const std::vector<Modulus> q = testing::largest_primes(45, 1 << 14, 9);
  std::mt19937_64 random(9);
  for (const std::size_t sources : {1, 2, 5}) {
    const std::vector<Modulus> from(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(sources));
    std::vector<std::uint64_t> scale;
    for (const Modulus& p : from) scale.push_back(1 + random() % (p.value() - 1));
    check_conversion(from, {q[6], q[7], q[8]}, 264, scale);
  }
}

TEST(BaseConverter, CopiesOwnTheirTables) {
  const std::vector<Modulus> q = testing::largest_primes(45, 1 << 14, 3);
  auto original = std::make_unique<BaseConverter>(std::vector{q[0], q[1]}, std::vector{q[2]});
  BaseConverter copy = *original;
  BaseConverter moved = std::move(*original);
  original.reset();
  const std::vector<Words> one(2, Words(8, 1));
  EXPECT_EQ(testing::converted(copy, one, 8), std::vector<Words>(1, Words(8, 1)));
  EXPECT_EQ(testing::converted(moved, one, 8), std::vector<Words>(1, Words(8, 1)));
}

TEST(BaseConverter, RefusesBadBases) {
  const Modulus q(65537);
  EXPECT_THROW(BaseConverter({}, {q}), base::InputError);
  EXPECT_THROW(BaseConverter({q, q}, {q}), base::InputError);
  EXPECT_THROW(BaseConverter({q}, {q}, base::active_isa(), {1, 1}), base::InputError);
}

}  // namespace
}  // namespace tacit::ring
