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
  session::Measurement measurement;  ///< seconds per ciphertext
  double traffic_bytes = 0;          ///< bytes per ciphertext; keys are read once for the batch
  /// The least seconds of the transforms, products and multiply-accumulates from the nearest caches on these threads,
  /// and of the traffic if the largest cache cannot hold the keys. 0: no bound.
  double arithmetic_seconds = 0, memory_seconds = 0;
  double bootstrap_key_bytes = 0, key_switch_key_bytes = 0;  ///< held in memory

  double bound_seconds() const { return std::max(arithmetic_seconds, memory_seconds); }
};

/// Returns the names of all benchmarks, "operation, set, batch n".
std::vector<std::string> tfhe_benchmark_names();

/// Measures every benchmark whose name contains `filter`, for about `seconds` and at least five batches. `sink`
/// receives each result at once. Lookups run on as many threads as base::set_thread_limit allows. Their results are
/// checked once, and a wrong one throws InternalError. Keys are made for one set at a time, less than half a GiB.
void run_tfhe_benchmarks(std::string_view filter, double seconds, double cache_mib,
                         const std::function<void(const TfheBenchmarkResult&)>& sink);

}  // namespace tacit::bench
