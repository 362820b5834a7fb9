#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/feature_grids.h"

namespace tacit::graph::quant {

/// Gives trees a separate input if sums or tables read the same input. The copy for the trees has borders at their
/// thresholds, and the other input keeps its bits. New inputs follow the existing ones. Returns by new input the
/// position of the input that it copies. `grids` are those of the unchanged network.
std::vector<std::size_t> split_shared_inputs(passes::Network& network, const FeatureGrids& grids,
                                             const ValueRoundings& roundings);

}  // namespace tacit::graph::quant
