#pragma once

#include <map>
#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/bootstrap_placement.h"
#include "graph/slots/contraction_plan.h"
#include "graph/slots/feature_grid.h"
#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// A network whose values are refreshed where levels run out.
struct Refreshed {
  Network network;
  std::vector<ValueId> names;                 ///< names in `network` of the values of the network without refreshes
  std::optional<FeatureGrid> grid{};          ///< grid with the maps of this network
  std::vector<ValueId> origins{};             ///< by value, the one that it stands for in the network without refreshes
  std::map<ValueId, layout::Layout> fixed{};  ///< layouts that are not chosen: those of contractions
  std::map<Shape, std::vector<layout::Layout>> offered{};  ///< further layouts to try, by shape
};

/// Returns the network with the bootstraps of a placement, with cleaned maps, with slices of maps for linear operators
/// that read slices, and with the steps of contractions (contraction_plan.h). The series of a function after a refresh
/// is changed to a series of the refreshed value. `placer` is the one of the network, the set and the grid.
Refreshed place_bootstraps(const Network& network, const params::CkksLiteral& literal,
                           const std::optional<FeatureGrid>& grid, const BootstrapPlacer& placer,
                           const BootstrapPlacement& placement, ContractionPlans& plans);

/// Returns the same network without refreshes, for a leveled set of so many slots.
Refreshed without_bootstraps(const Network& network, const std::optional<FeatureGrid>& grid, layout::Index slots,
                             ContractionPlans& plans);

}  // namespace tacit::graph::passes
