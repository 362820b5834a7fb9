#include "bench/slots/ckks_benchmarks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/kernel_prices.h"
#include "bench/memory_bandwidth.h"

namespace tacit::bench {
namespace {

TEST(CkksBenchmarks, PricesAreOfThisMachine) {
  params::Work work;
  work.transforms[40] = 16384 * 14;
  KernelPrices prices;
  const double transform = prices.bound(work, 1);
  EXPECT_GT(transform, 1e-6);
  EXPECT_LT(transform, 1e-2);
  EXPECT_EQ(prices.bound(work, 2), transform / 2);
}

TEST(CkksBenchmarks, MemoryIsReadAtARateThatExists) {
  const double bandwidth = memory_bandwidth(1);
  EXPECT_GT(bandwidth, 1e8);
  EXPECT_LT(bandwidth, 1e12);
}

TEST(CkksBenchmarks, EveryRowThatIsAskedForHasAName) {
  const std::vector<std::string> names = ckks_benchmark_names();
  for (const char* name :
       {"NTT forward, N 2^16, 50-bit prime", "MAC of 4 terms, two results, N 2^16, 50-bit prime", "key switch, S11",
        "rotate, S11", "rotate 16 hoisted, S11", "multiply, relinearise, rescale, S11",
        "polynomial of degree 127 from level 11, S8", "linear map of 512 diagonals from level 4, S15",
        "bootstrap to level 11, S8", "bootstrap a pair to level 18, S15"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

}  // namespace
}  // namespace tacit::bench
