#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Replaces squared distances of one point from the rows of a constant by products: sums of (x - w)^2 over the last
/// axis become |x|^2 - 2 x w + |w|^2, which takes a square per feature in place of one per feature and row. Features
/// whose rows lie far from zero are centred first, so that large numbers do not cancel. Where a root, a logarithm or a
/// power reads the distances, a Relu keeps what noise made negative at 0. Tensors keep their ids and names.
Graph write_out_distances(const Graph& graph);

}  // namespace tacit::graph::passes
