#pragma once

#include <functional>
#include <string>
#include <vector>

#include "params/cost_table.h"

namespace tacit::bench {

/// One operation of the scheme at a secure size, and what two tables predict for it.
struct PredictedOperation {
  std::string operation, set;
  double seconds = 0;  ///< first decile
  double by_default = 0, by_measured = 0;
};

struct CostMeasurementOptions {
  std::vector<std::string> sets{"N13-d4", "N14-d7", "N15-d15", "S8"};  ///< named parameter sets to time operations at
  double seconds = 0.4;                                                ///< for each operation
};

struct CostMeasurement {
  params::CostTable costs;
  std::vector<PredictedOperation> operations;
};

/// Measures this machine's prices on as many threads as base::set_thread_limit allows, by default in about a minute and
/// with up to 4 GiB of memory: rotations, products, polynomials, linear maps and bootstraps of every set, to which
/// prices are fitted, none below that of the ring's kernels in the nearest caches; sums of products of more and more
/// ciphertexts, for what memory costs; embeddings and fresh memory by themselves. Encoding and key generation are
/// predicted by all of these. `progress` is told what is measured now. Throws InputError on an unknown
/// set or none.
CostMeasurement measure_costs(const CostMeasurementOptions& options,
                              const std::function<void(const std::string&)>& progress);

}  // namespace tacit::bench
