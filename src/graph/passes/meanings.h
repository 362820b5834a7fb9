#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/passes/lower.h"
#include "program/program.h"

namespace tacit::graph::passes {

/// For every value of the lowered program the tensor of `graph`, or scores of a classifier of it (raw_scores_name),
/// that it is, and in which units. `encrypted` is the graph that was lowered, which begins with the tensors of `graph`.
/// Values that are intermediates, and other tensors that only the passes know, have no name.
std::vector<program::Meaning> meanings(const Graph& graph, const Graph& encrypted, const Lowered& lowered);

}  // namespace tacit::graph::passes
