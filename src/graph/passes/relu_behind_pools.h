#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Moves a Relu that only a maximum over a window reads (MaxPool, GlobalMaxPool) to the result of the maximum, which
/// has fewer elements. Relu and a maximum commute. Nodes keep their names. Tensors keep their ids and names, except for
/// the result of such a Relu, which no node makes.
Graph relu_behind_pools(Graph graph);

}  // namespace tacit::graph::passes
