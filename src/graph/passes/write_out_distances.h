#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Replaces squared distances of one point from the rows of a constant by products. Sums of (x - w)^2 over the last
/// axis become |x|^2 - 2 x w + |w|^2. The new form takes a square per feature. The sums take a square per feature and
/// row. Features whose rows are far from zero are centred first, so that large numbers do not cancel. If a root, a
/// logarithm or a power reads the distances, a Relu moves negative ones to 0. Tensors keep their ids and names.
Graph write_out_distances(const Graph& graph);

}  // namespace tacit::graph::passes
