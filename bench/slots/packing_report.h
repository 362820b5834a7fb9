#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/slots/packing_bench.h"

namespace tacit::bench {

/// Returns "pairs, 2^10 x 2^4, published", and the numbers.
nlohmann::ordered_json packing_json(const PackingMeasurement& measurement);
/// Returns the three experiments, the sweep and the plans of a bench, for people.
std::string packing_bench_text(const nlohmann::ordered_json& bench);

struct PackingBenchOptions {
  params::Requirement requirement;
  params::CostTable costs;  ///< prices of everything that is not measured
  int repeats = 5;
  double latency_bound = 0.2;  ///< bound of the exercise
};
/// Runs the published experiments, the sweep and the exercise. Experiments and sweep run in the published way at the
/// top level and in the best way at the lowest level. Needs at least 2048 slots and a depth of 4.
nlohmann::ordered_json run_packing_bench(const PackingBenchOptions& options,
                                         const std::function<void(const std::string&)>& progress);

}  // namespace tacit::bench
