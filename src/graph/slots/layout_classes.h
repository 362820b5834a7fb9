#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Returns by value the first value that shares a layout with it. Functions, products and refreshes tie their operands
/// and results together. Contractions and summed products tie nothing.
std::vector<ValueId> layout_classes(const Network& network);

}  // namespace tacit::graph::passes
