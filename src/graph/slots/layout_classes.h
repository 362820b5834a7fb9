#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// By value, the first of those that share a layout with it, for functions, products and refreshes tie them together.
std::vector<ValueId> layout_classes(const Network& network);

}  // namespace tacit::graph::passes
