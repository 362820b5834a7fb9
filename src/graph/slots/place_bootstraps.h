#pragma once

#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"
#include "graph/slots/row_slices.h"
#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// A network in which values are refreshed where levels run out.
struct Refreshed {
  Network network;
  std::vector<ValueId> names;         ///< of the values of the network without refreshes
  std::optional<FeatureGrid> grid{};  ///< with the maps of this network
};

/// Places bootstraps in a normalised network, as late as the levels of a bootstrapping set allow: walking backwards
/// from the outputs at `output_level`, a value is refreshed when the way up to the next values that can be would need
/// more levels than a bootstrap gives. What can be refreshed are the inputs of functions, which lie in [-1, 1] and
/// whose function takes in the arcsine (its series is changed to one of the refreshed value), and, in networks without
/// functions, affine values in [-1, 1] that products read. What is linear in the inputs may lie above a bootstrap's
/// levels (params::highest_fresh_level), so that the first functions need none. On a leveled set nothing is placed.
/// Throws InputError naming the operator that is deeper than a bootstrap's levels. On a guarded grid, a feature map
/// that a function reads goes through the identity first: into a layout of its own, with zeros around it. On a tight
/// grid linear operators read slices of their maps where windows leave them (RowSlices).
Refreshed place_bootstraps(const Network& network, const params::CkksLiteral& literal, int output_level,
                           const std::optional<FeatureGrid>& grid, RowSlices& slices);

}  // namespace tacit::graph::passes
