#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Rewrites what every Softmax along the last axis reads to scores + masks + constants, the form in which masks are
/// found. Exporters write this sum in many ways, which are all rewritten:
/// - Differences and negatives become sums.
/// - A factor of the whole sum becomes one of every summand.
/// - Several constants become one. A tensor that is added several times is added once, with a factor.
/// - A product with a constant of 0 and 1 becomes its other operand if another constant hides every 0.
/// - A constant that is equal in all elements of a row is left out, because it does not change a Softmax. So a row that
///   constants hide whole is shown whole.
///
/// A tensor that follows from one input element by element stays as it is. It may be a mask (hiding_mask.h).
Graph with_gathered_scores(Graph graph);

}  // namespace tacit::graph::passes
