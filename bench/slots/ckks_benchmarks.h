#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measurement.h"
#include "params/cost_table.h"

namespace tacit::bench {

/// One measured operation of the CKKS scheme or of the ring below it.
struct BenchmarkResult {
  std::string operation, parameters;
  int threads = 1;
  Measurement measurement;
  double bytes = 0;              ///< that must pass between memory and processor at least (params/account.h)
  double predicted_seconds = 0;  ///< on one core, by the cost reading; 0: it has no price for this
  double bound_seconds = 0;      ///< of its arithmetic alone, on so many threads (kernel_prices.h); 0: it has none
};

/// Names of all benchmarks, "operation, parameters".
std::vector<std::string> ckks_benchmark_names();

/// Measures every benchmark whose name contains `filter`, each for about `seconds`; tells `sink` each result as it
/// comes. Operations of the scheme run on as many threads as base::set_thread_limit allows. Keys are made for the
/// chosen benchmarks only, one parameter set and one row at a time: less than 9 GiB for any row. `costs` split linear
/// maps and predict.
void run_ckks_benchmarks(std::string_view filter, double seconds, const params::CostTable& costs,
                         const std::function<void(const BenchmarkResult&)>& sink);

}  // namespace tacit::bench
