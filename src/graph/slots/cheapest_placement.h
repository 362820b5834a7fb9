#pragma once

#include <functional>
#include <set>

#include "graph/slots/bootstrap_placement.h"

namespace tacit::graph::passes {

/// Returns the seconds of a network with the bootstraps of a placement.
using PlacementPrice = std::function<double(const BootstrapPlacement&)>;

/// Returns the values that are worth refreshing before levels run out. A refresh of a small value may replace one of a
/// large value before or after it. An early refresh also moves all refreshes before it. The search is local:
/// - It begins with no early refresh.
/// - It takes the best change by one value, more or fewer, as long as this makes the network cheaper by a hundredth.
///
/// Changes that leave an operator too deep are left out.
///
/// No exact search over paths is possible: a value that several operators read is refreshed once, so that the price is
/// not a sum over paths. Empty if the latest refreshes are the cheapest, or if there are none.
std::set<ValueId> worth_refreshing_early(const BootstrapPlacer& placer, const PlacementPrice& price);

}  // namespace tacit::graph::passes
