#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "session/owner/measurement.h"

namespace tacit::bench {

/// One measured operation of the TFHE scheme or of the FFT below it.
struct TfheBenchmarkResult {
  std::string operation, parameters;
  int threads = 1;
  int batch = 1;                     ///< ciphertexts at once
  session::Measurement measurement;  ///< seconds for each of them
  double traffic_bytes = 0;          ///< keys read once for the batch, for each
  /// Of transforms, products and multiply-accumulates out of the nearest caches, on so many threads, and of the traffic
  /// where the largest cache does not hold the keys; 0: it has none.
  double arithmetic_seconds = 0, memory_seconds = 0;
  double bootstrap_key_bytes = 0, key_switch_key_bytes = 0;  ///< held in memory

  double bound_seconds() const { return std::max(arithmetic_seconds, memory_seconds); }
};

/// Names of all benchmarks, "operation, set, batch n".
std::vector<std::string> tfhe_benchmark_names();

/// Measures every benchmark whose name contains `filter`, each for about `seconds`, and for five batches at least;
/// tells `sink` each result as it comes. Lookups run on as many threads as base::set_thread_limit allows, and their
/// results are checked once: InternalError if one is wrong. Keys are made for one set at a time, less than half a GiB.
void run_tfhe_benchmarks(std::string_view filter, double seconds, double cache_mib,
                         const std::function<void(const TfheBenchmarkResult&)>& sink);

}  // namespace tacit::bench
