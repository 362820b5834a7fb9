#pragma once

#include <functional>
#include <set>

#include "graph/slots/bootstrap_placement.h"

namespace tacit::graph::passes {

/// Seconds of a network with its bootstraps.
using PlacementPrice = std::function<double(const Placement&)>;

/// The values that are worth refreshing before levels run out. A refresh of a small value may save one of a large value
/// behind it or before it, and one that is early moves all that come before it. Begins with none, and as long as one
/// value more, or one fewer, makes the network cheaper by a hundredth, takes the best such change. That is a local
/// search: the price of a placement is not a sum over paths, for a value that several operators read is refreshed once.
/// Empty where the latest refreshes are the cheapest.
std::set<ValueId> worth_refreshing_early(const BootstrapPlacer& placer, const PlacementPrice& price);

}  // namespace tacit::graph::passes
