#include "ring/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

base::Seed seed(std::uint8_t value) {
  base::Seed result{};
  result[0] = value;
  return result;
}

TEST(Sampler, TernaryTakesThreeValuesEqually) {
  base::Csprng random(seed(2));
  std::vector<std::int8_t> x(90000);
  sample_ternary(x, random);
  int counts[3] = {};
  for (const std::int8_t value : x) {
    ASSERT_LE(std::abs(value), 1);
    ++counts[value + 1];
  }
  for (const int count : counts) EXPECT_NEAR(count, 30000, 6 * std::sqrt(90000.0 * 2 / 9));
}

TEST(Sampler, SparseHasExactlyItsWeight) {
  base::Csprng random(seed(4));
  std::vector<std::int8_t> x(1024, 5);
  sample_sparse(x, 32, random);
  EXPECT_EQ(std::ranges::count(x, 1) + std::ranges::count(x, -1), 32);
  EXPECT_EQ(std::ranges::count(x, 0), 1024 - 32);
}

TEST(Sampler, GaussianHasTheStatedDeviationAndTail) {
  base::Csprng random(seed(3));
  std::vector<std::int8_t> x(1 << 18);
  sample_gaussian(x, random);
  double sum = 0, squares = 0, fourth = 0;
  for (const std::int8_t value : x) {
    ASSERT_LE(std::abs(value), 19);
    const double v = value;
    sum += v;
    squares += v * v;
    fourth += v * v * v * v;
  }
  const auto count = static_cast<double>(x.size());
  const double variance = kNoiseSigma * kNoiseSigma + 1.0 / 12;  // rounding adds a twelfth
  EXPECT_NEAR(sum / count, 0, 6 * std::sqrt(variance / count));
  EXPECT_NEAR(squares / count, variance, 6 * variance * std::sqrt(2 / count));
  EXPECT_NEAR(fourth / count / (variance * variance), 3, 0.06);
}

}  // namespace
}  // namespace tacit::ring
