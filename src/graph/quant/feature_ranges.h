#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/feature_grids.h"

namespace tacit::graph::quant {

/// Narrows the intervals of features that trees read: a hundredth of the samples may lie beyond an interval on either
/// side. A grid has 2^bits values. If it reached to the farthest sample, few values would be left for the other
/// samples. Features beyond the ends count as the ends. The intervals follow from samples only, so that the grid tells
/// the client nothing of the trees. Inputs with separate grids (`grids`) keep their intervals.
void narrow_tree_features(passes::Network& network, const std::vector<std::vector<Tensor>>& samples,
                          const FeatureGrids& grids = {});

}  // namespace tacit::graph::quant
