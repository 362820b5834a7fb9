#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/feature_grids.h"

namespace tacit::graph::quant {

/// Gives trees an input of their own where sums or tables read the same one: the trees' copy then has borders at their
/// thresholds, and the other keeps its bits. Returns which input each new one is a copy of, by position; new inputs
/// follow those that are there. `grids` are those of the network as it is.
std::vector<std::size_t> split_shared_inputs(passes::Network& network, const FeatureGrids& grids,
                                             const ValueRoundings& roundings);

}  // namespace tacit::graph::quant
