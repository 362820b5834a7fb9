#pragma once

#include "graph/graph.h"

namespace tacit::graph {

/// Removes the nodes whose outputs neither a kept node nor an output of the graph reads.
void drop_unread(Graph& graph);

/// Drops nodes, tensors and constants that no output depends on, and numbers the rest anew. Inputs stay, read or not.
Graph prune(Graph graph);

}  // namespace tacit::graph
