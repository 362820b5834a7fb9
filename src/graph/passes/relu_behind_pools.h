#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Moves a Relu that only a maximum over a window reads (MaxPool, GlobalMaxPool) behind it, where fewer elements are:
/// Relu and a maximum commute. Nodes keep their names, and tensors their ids and names, but for the results of such a
/// Relu, which nothing makes.
Graph relu_behind_pools(Graph graph);

}  // namespace tacit::graph::passes
