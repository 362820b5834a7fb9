#pragma once

#include <map>

#include "params/cost_table.h"
#include "params/work.h"

namespace tacit::bench {

/// The least time of this core for the words of `params::Work` if nothing waits for memory. It times the fastest
/// kernels of the ring on data that stay in the nearest caches. The clock and the instruction set are the machine's.
/// For one thread at a time.
class KernelPrices {
 public:
  KernelPrices();
  /// Returns the least seconds that `threads` cores need.
  double bound(const params::Work& work, int threads);
  /// Returns lower bounds of the prices of every operation on `threads` cores.
  params::CostTable least(int threads);

 private:
  double transform_seconds(int bits);
  std::map<int, double> transforms_;  // seconds per word and stage, by bits of the prime
  // A multiply-accumulate in a sum of rows; and the faster one of that and one in a conversion.
  const double row_sum_seconds_, mac_seconds_;
};

}  // namespace tacit::bench
