#pragma once

#include <map>

#include "params/cost_table.h"
#include "params/work.h"

namespace tacit::bench {

/// What this core takes for the words of `params::Work` when nothing waits for memory: the fastest kernels of the ring,
/// timed on data that stays in the nearest caches. The clock and the instruction set are the machine's. For one thread
/// at a time.
class KernelPrices {
 public:
  KernelPrices();
  /// Seconds that `threads` cores need at least.
  double bound(const params::Work& work, int threads);
  /// No operation's prices on so many cores are below these.
  params::CostTable least(int threads);

 private:
  double transform_seconds(int bits);
  std::map<int, double> transforms_;  // seconds a word and stage, by bits of the prime
  // Of a multiply-accumulate in a sum of rows, and of one where it takes less: there or in a conversion.
  const double row_sum_seconds_, mac_seconds_;
};

}  // namespace tacit::bench
