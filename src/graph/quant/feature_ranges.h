#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/feature_grids.h"

namespace tacit::graph::quant {

/// Narrows the intervals of features that trees read to what all but a few samples show, on either side: a grid of 16
/// values that reaches out for the farthest sample leaves few for the others, and beyond its ends features count as
/// these. By samples alone, so that the grid tells the client nothing of the trees. Inputs with grids of their own
/// stay.
void narrow_tree_features(passes::Network& network, const std::vector<std::vector<Tensor>>& samples,
                          const FeatureGrids& grids = {});

}  // namespace tacit::graph::quant
