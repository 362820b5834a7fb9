#pragma once

#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/bootstrap_placement.h"
#include "graph/slots/feature_grid.h"
#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// A network in which values are refreshed where levels run out.
struct Refreshed {
  Network network;
  std::vector<ValueId> names;         ///< of the values of the network without refreshes
  std::optional<FeatureGrid> grid{};  ///< with the maps of this network
  std::vector<ValueId> origins{};     ///< of each value: the one that it stands for in the network without refreshes
};

/// The network with the bootstraps of a placement, with cleaned maps, and slices of maps where linear operators read
/// them. The series of a function behind a refresh is changed to one of the refreshed value. `placer` is that of the
/// network, the set and the grid.
Refreshed place_bootstraps(const Network& network, const params::CkksLiteral& literal,
                           const std::optional<FeatureGrid>& grid, const BootstrapPlacer& placer,
                           const Placement& placement);

/// The same network where nothing is refreshed: on a leveled set.
Refreshed without_bootstraps(const Network& network, const std::optional<FeatureGrid>& grid);

}  // namespace tacit::graph::passes
