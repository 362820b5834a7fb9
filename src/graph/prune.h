#pragma once

#include "graph/graph.h"

namespace tacit::graph {

/// Drops nodes, tensors and constants that no output depends on, and numbers the rest anew. Inputs stay, read or not.
Graph prune(Graph graph);

}  // namespace tacit::graph
