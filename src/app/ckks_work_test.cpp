#include "app/ckks_work.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/ckks_benchmarks.h"
#include "app/kernel_prices.h"

namespace tacit::app {
namespace {

/// 8 + 2 primes in digits of two, of three for products: N14-d7.
const params::CkksParameters& parameters() {
  static const auto made = params::CkksParameters::check(params::named_literal("N14-d7"));
  return made;
}

double limbs(const Work& work) {
  double words = 0;
  for (const auto& [bits, count] : work.transforms) words += count;
  return words / (16384.0 * 14);
}

TEST(CkksWork, CountsKeySwitches) {
  const WorkCounter counter(parameters(), 2);
  const Work full = counter.key_switch(7);
  EXPECT_EQ(limbs(full), (4 + 2) * 10);
  EXPECT_EQ(full.macs / 16384, 4 * 2 * 8 + 2 * 4 * 10 + 2 * 2 * 8);
  EXPECT_EQ(full.bytes / (8 * 16384), 2 * 4 * 10 + 4 * 8);
  // The highest digit is cut off at level 4; keys of which half is expanded are half the traffic.
  const Work low = WorkCounter(parameters(), 1).key_switch(4);
  EXPECT_EQ(limbs(low), (3 + 2) * 7);
  EXPECT_EQ(low.macs / 16384, 2 * 2 * 5 + 1 * 6 + 2 * 3 * 7 + 2 * 2 * 5);
  EXPECT_EQ(low.bytes / (8 * 16384), 3 * 7 + 4 * 5);
  EXPECT_EQ(limbs(counter.rotate_hoisted(7, 3)), 4 * 10 + 3 * 2 * 10);
  EXPECT_EQ(limbs(counter.multiply(7)), (3 + 2) * 10);
}

TEST(CkksWork, CountsLinearMapsAndPolynomials) {
  const WorkCounter counter(parameters(), 2);
  const std::vector<params::DiagonalStep> steps{{0, 0, 0}, {1, 1, 0}, {2, 0, 2}, {3, 1, 2}};
  const Work linear = counter.linear(7, steps, 1000);
  EXPECT_EQ(limbs(linear), 4 * 10 + (10 + 4 * 10) + 2 * 10);
  // T_2 and one relinearisation more, at levels 7 and 6.
  const params::PolynomialPlan cubic =
      params::plan_polynomial(std::vector<double>{0, 1, 0, 1}, params::PolynomialSchedule::choose(3));
  const std::vector<int> levels{7, 6, 5};
  EXPECT_EQ(limbs(counter.polynomial(cubic, levels)), (3 + 2) * 10 + (3 + 2) * 9 + 2 * 8);
}

TEST(CkksWork, CountsBootstraps) {
  const auto s8 = params::CkksParameters::check(params::named_literal("S8"));
  const WorkCounter counter(s8, 2);
  const Work high = counter.bootstrap(params::plan_bootstrap(s8.literal()), 0);
  // The published count of such a circuit with two giant steps a factor is 2669 transforms and 37,600 products; ours
  // has a limb more.
  double words = 0;
  for (const auto& [bits, count] : high.transforms) words += count;
  EXPECT_NEAR(words / (65536.0 * 16), 2890, 100);
  EXPECT_NEAR(high.macs / 65536, 37600, 4000);
  const Work low = counter.bootstrap(params::plan_bootstrap(s8.literal(), {.output_level = 5}), 0);
  double lower = 0;
  for (const auto& [bits, count] : low.transforms) lower += count;
  EXPECT_LT(lower, 0.86 * words);
  EXPECT_LT(low.bytes, 0.86 * high.bytes);
}

TEST(CkksWork, PricesAreOfThisMachine) {
  KernelPrices prices;
  const double transform = prices.bound(WorkCounter(parameters(), 2).transform(40), 1);
  EXPECT_GT(transform, 1e-6);
  EXPECT_LT(transform, 1e-2);
  EXPECT_EQ(prices.bound(WorkCounter(parameters(), 2).transform(40), 2), transform / 2);
}

TEST(CkksWork, EveryRowThatIsAskedForHasAName) {
  const std::vector<std::string> names = ckks_benchmark_names();
  for (const char* name :
       {"NTT forward, N 2^16, 50-bit prime", "MAC of 4 terms, two results, N 2^16, 50-bit prime", "key switch, S11",
        "rotate, S11", "rotate 16 hoisted, S11", "multiply, relinearise, rescale, S11",
        "polynomial of degree 127 from level 11, S8", "linear map of 512 diagonals from level 4, S15",
        "bootstrap to level 11, S8", "bootstrap a pair to level 18, S15"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

}  // namespace
}  // namespace tacit::app
