#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/slots/lower.h"
#include "program/slots/program.h"

namespace tacit::graph::passes {

/// Returns for every value of the lowered program the tensor that it holds, and its units. Tensors are those of
/// `encrypted`, the graph that was lowered. Intermediate values have no name.
std::vector<program::Meaning> meanings(const Graph& encrypted, const Lowered& lowered);

}  // namespace tacit::graph::passes
