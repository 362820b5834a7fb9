#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "graph/compile.h"
#include "session/owner/agreement.h"
#include "session/owner/dataset.h"
#include "session/owner/slots/range_monitor.h"

namespace tacit::session {

/// What cross-fitting scores: the rows [first, end) of a labelled or unlabelled set, in so many parts.
struct CrossFitRequest {
  std::int64_t first = 0, end = 0;
  std::int64_t parts = 5;
  std::int64_t most_samples = 1000;  ///< to calibrate a network on, taken evenly from the other parts
  std::span<const double> labels{};  ///< by row of the set; may be empty
};

/// One part: every row whose distance from the first is the part's number, modulo the number of parts.
struct CrossFitPart {
  std::int64_t inputs = 0, agreeing = 0, misses = 0;
  std::int64_t samples = 0;  ///< that its network was calibrated on, none of them from this part
  std::string parameters;    ///< that this network chose
};

struct CrossFit {
  Scoreboard scores;  ///< of all rows, in their order
  std::vector<CrossFitPart> parts;
  std::vector<RangeExcess> excesses;  ///< of all networks
  std::set<std::string> warnings;     ///< of any network
};

/// Scores every part by a simulation of a network that was calibrated on the other parts, so that samples which chose
/// anything are never scored by what they chose. `options` hold no samples. Throws InputError where there are fewer
/// than two parts or fewer inputs than parts, and as `compile_graph`.
CrossFit cross_fit(const std::string& name, const graph::Graph& graph, const Dataset& data,
                   const CrossFitRequest& request, const graph::CompileOptions& options, base::Progress& progress);

}  // namespace tacit::session
