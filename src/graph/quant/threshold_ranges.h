#pragma once

#include <vector>

#include "graph/passes/network.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// Widens the intervals of features until every threshold that an ensemble compares one with lies inside. A feature
/// beyond its interval counts as its end, which then answers every comparison as the feature would.
void include_thresholds(std::vector<passes::Range>& features, const TreeEnsemble& ensemble);

}  // namespace tacit::graph::quant
