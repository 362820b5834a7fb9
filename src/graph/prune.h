#pragma once

#include "graph/graph.h"

namespace tacit::graph {

/// Removes the nodes whose outputs neither a kept node nor an output of the graph reads.
void drop_unread(Graph& graph);

/// Drops nodes, tensors and constants that no output depends on, and renumbers the rest. All inputs stay.
Graph prune(Graph graph);

}  // namespace tacit::graph
