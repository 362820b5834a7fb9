#pragma once

#include "graph/graph.h"

namespace tacit::graph {

/// Returns an ai.onnx.ml.TreeEnsemble, which replaces both operators of trees from version 5 on, as a
/// TreeEnsembleRegressor that computes the same. A node that tests whether a feature is in a set becomes one comparison
/// per member. Throws InputError, naming the node, if lists do not fit, nodes form no trees, or scores are aggregated
/// by MIN or MAX.
Node as_tree_regressor(const Node& ensemble);

}  // namespace tacit::graph
