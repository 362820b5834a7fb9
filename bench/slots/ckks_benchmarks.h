#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "params/cost_table.h"
#include "session/owner/measurement.h"

namespace tacit::bench {

/// One measured operation of the CKKS scheme or of the ring below it.
struct BenchmarkResult {
  std::string operation, parameters;
  int threads = 1;
  session::Measurement measurement;
  double bytes = 0;              ///< bytes that must pass between memory and processor at least (params/account.h)
  double predicted_seconds = 0;  ///< by the cost reading, on the threads of the prices; 0: it has no price for this
  /// The least seconds of the arithmetic alone on these threads (kernel_prices.h), and of the traffic beyond the
  /// largest cache (memory_bandwidth.h). 0: no bound.
  double arithmetic_seconds = 0, memory_seconds = 0;

  double bound_seconds() const { return std::max(arithmetic_seconds, memory_seconds); }
};

/// Returns the names of all benchmarks, "operation, parameters".
std::vector<std::string> ckks_benchmark_names();

/// Measures every benchmark whose name contains `filter`, each for about `seconds`. `sink` receives each result at
/// once. Operations of the scheme run on as many threads as base::set_thread_limit allows. Keys are made for the chosen
/// benchmarks only, one parameter set and one row at a time: less than 9.5 GiB for any row. `costs` splits linear maps,
/// predicts times, and gives the size of the largest cache.
void run_ckks_benchmarks(std::string_view filter, double seconds, const params::CostTable& costs,
                         const std::function<void(const BenchmarkResult&)>& sink);

}  // namespace tacit::bench
