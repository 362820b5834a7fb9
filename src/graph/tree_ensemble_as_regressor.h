#pragma once

#include "graph/graph.h"

namespace tacit::graph {

/// ai.onnx.ml.TreeEnsemble, which stands for both operators of trees from version 5 on, as the TreeEnsembleRegressor
/// that computes the same. A node that asks whether a feature is a member of a set becomes a question for every member.
/// Throws InputError naming the node where lists do not fit, nodes form no trees, or scores are aggregated by MIN or
/// MAX.
Node as_tree_regressor(const Node& ensemble);

}  // namespace tacit::graph
