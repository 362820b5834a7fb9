#include "bench/tfhe/tfhe_benchmarks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tacit::bench {
namespace {

TEST(TfheBenchmarks, EveryRowThatIsAskedForHasAName) {
  const std::vector<std::string> names = tfhe_benchmark_names();
  for (const char* name : {"FFT, N 2048", "key switch + bootstrap, T2, batch 64", "key switch, T8, batch 1",
                           "bootstrap, T6, batch 64", "key switch + bootstrap, T8, batch 64"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
}

TEST(TfheBenchmarks, LookupsAreMeasuredAgainstTheirBounds) {
  std::vector<TfheBenchmarkResult> results;
  run_tfhe_benchmarks("key switch + bootstrap, T1, batch 1", 0, 1,
                      [&](const TfheBenchmarkResult& result) { results.push_back(result); });
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].batch, 1);
  EXPECT_GT(results[0].arithmetic_seconds, 0);
  EXPECT_GT(results[0].memory_seconds, 0);
  EXPECT_LT(results[0].arithmetic_seconds, 3 * results[0].measurement.median);
  EXPECT_EQ(results[0].bootstrap_key_bytes, 680 * 16 * 512 * 8);
  EXPECT_EQ(results[0].traffic_bytes, results[0].bootstrap_key_bytes + results[0].key_switch_key_bytes);
}

}  // namespace
}  // namespace tacit::bench
