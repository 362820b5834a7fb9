#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "graph/range.h"

namespace tacit::graph::passes {

/// Adds guards to the client's last part, so that decrypted values keep known properties. The last `kept` inputs are
/// exact. For example, noise may move a square below 0, and a function such as Sqrt makes NaN of it.
/// - tacit.Within moves an input outside its known interval (`domains`, by tensor) to the nearer end. The client sees
///   two kinds of intervals: signs, and numbers between -1 and 1. Other bounds would reveal weights.
/// - tacit.Within with a source moves an operand into the domain of its function, by its expected error at most.
/// - tacit.OffZero refuses an operand that must not be 0 and is smaller than its expected error.
Graph guard_client(Graph after, std::size_t kept, const std::vector<Range>& domains);

}  // namespace tacit::graph::passes
