#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/slots/lower.h"
#include "program/slots/program.h"

namespace tacit::graph::passes {

/// For every value of the lowered program the tensor of `encrypted`, the graph that was lowered, that it is, and in
/// which units. Values that are intermediates have no name.
std::vector<program::Meaning> meanings(const Graph& encrypted, const Lowered& lowered);

}  // namespace tacit::graph::passes
