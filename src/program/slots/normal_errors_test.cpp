#include "program/slots/normal_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace tacit::slots {
namespace {

std::vector<double> errors(std::size_t count, double deviation, std::mt19937_64& random) {
  std::vector<double> numbers(count);
  NormalErrors(random, deviation).add_to(numbers);
  return numbers;
}

#ifdef __GLIBCXX__
// Also in parts of any length, which begin within a pair, and with the same generator afterwards.
TEST(NormalErrors, AreThoseOfTheLibraryBitForBit) {
  std::mt19937_64 random(1), plain(1);
  for (const std::size_t first : {0u, 1u, 2u, 7u, 511u, 1024u, 5001u})
    for (const std::size_t second : {0u, 1u, 6u, 2000u}) {
      std::vector<double> numbers(first + second, 0.5), expected(numbers);
      NormalErrors made(random, 0.3);
      made.add_to(std::span(numbers).first(first));
      made.add_to(std::span(numbers).subspan(first));
      std::normal_distribution<double> error(0, 0.3);
      for (double& x : expected) x += error(plain);
      ASSERT_EQ(numbers, expected) << first << " and " << second;
      ASSERT_EQ(random(), plain());
    }
}
#endif

TEST(NormalErrors, HaveTheMomentsOfANormalDistribution) {
  std::mt19937_64 random(2);
  constexpr std::size_t kCount = 200000;
  double sum = 0, squares = 0, fourth = 0, beyond = 0;
  for (const double x : errors(kCount, 2, random)) {
    sum += x / 2;
    squares += x * x / 4;
    fourth += x * x * x * x / 16;
    beyond += std::abs(x) > 4 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
  EXPECT_NEAR(fourth / kCount, 3, 0.15);
  EXPECT_NEAR(beyond / kCount, 0.0455, 0.003);
}

}  // namespace
}  // namespace tacit::slots
