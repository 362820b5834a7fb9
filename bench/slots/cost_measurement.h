#pragma once

#include <functional>
#include <string>
#include <vector>

#include "params/cost_table.h"

namespace tacit::bench {

/// One operation of the scheme at a secure size, and the predictions of two tables for it.
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

/// Measures this machine's prices on as many threads as base::set_thread_limit allows. By default this takes about a
/// minute and up to 4 GiB of memory. It measures three groups:
/// - Rotations, products, polynomials, linear maps and bootstraps of every set. Prices are fitted to them. No price is
///   below that of the ring's kernels in the nearest caches.
/// - Sums of products of more and more ciphertexts, for the price of memory.
/// - Embeddings and fresh memory by themselves.
///
/// All of these predict encoding and key generation. `progress` receives the current step. Throws InputError on an
/// unknown set or none.
CostMeasurement measure_costs(const CostMeasurementOptions& options,
                              const std::function<void(const std::string&)>& progress);

}  // namespace tacit::bench
