#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Level of every value if levels are given low first: outputs at 0, and every value at the highest that a reader
/// needs.
std::vector<int> levels_of(const Network& network);

/// Levels that the operation of a value takes, 0 for an input or a refresh; functions have their series.
int depth_of_value(const Value& value);

}  // namespace tacit::graph::passes
