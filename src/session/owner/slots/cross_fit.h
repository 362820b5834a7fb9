#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/progress.h"
#include "graph/compile.h"
#include "session/owner/agreement.h"
#include "session/owner/scored_run.h"
#include "session/owner/slots/range_monitor.h"

namespace tacit::session {

/// How inputs are divided, to score them by cross-fitting.
struct CrossFitRequest {
  std::int64_t parts = 5;
  std::int64_t most_samples = 1000;  ///< most samples to calibrate a network on, taken evenly from the other parts
};

/// The result of one part. Input i belongs to part i mod parts.
struct CrossFitPart {
  std::int64_t inputs = 0, agreeing = 0, misses = 0;
  std::int64_t samples = 0;  ///< samples that calibrated its network, none of them from this part
  std::string parameters;    ///< parameters of this network
};

struct CrossFit {
  Scoreboard scores;                                ///< of all inputs, in their order
  std::vector<std::vector<graph::Tensor>> answers;  ///< by input; empty for an input without an answer
  std::vector<std::optional<std::string>> misses;   ///< by input: why it has no answer
  std::vector<CrossFitPart> parts;
  std::vector<RangeExcess> excesses;  ///< of all networks
  std::set<std::string> warnings;     ///< of any network
};

/// Scores every part by a simulation of a network that was calibrated on the other parts. No sample is therefore scored
/// by a network that it calibrated. `options` hold no samples. Throws InputError if there are fewer than two parts or
/// fewer inputs than parts, and as `compile_graph` does.
CrossFit cross_fit(const std::string& name, const graph::Graph& graph, const ScoredInputs& inputs,
                   const CrossFitRequest& request, const graph::CompileOptions& options, base::Progress& progress);

}  // namespace tacit::session
