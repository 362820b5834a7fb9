#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Rewrites what every Softmax along the last axis reads to the form in which masks are found: scores + masks +
/// constants. Exporters write the same sum in many ways. These become that form:
/// - differences, negatives, and sums that are multiplied by a number or divided by one;
/// - several constants, and one tensor that is added several times;
/// - products with constants of 0 and 1, whose 0 another constant hides;
/// - constants that are equal in all elements of a row. They do not change a Softmax, and are left out. So a row that
///   constants hide whole is shown whole.
///
/// A tensor that follows from one input element by element is left as it is. It may be a mask (hiding_mask.h).
Graph with_gathered_scores(Graph graph);

}  // namespace tacit::graph::passes
