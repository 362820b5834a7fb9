#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "graph/range.h"

namespace tacit::graph::passes {

/// Keeps what is known of values after decryption, in the client's last part, whose last `kept` inputs are exact. Noise
/// takes a square below 0, and a function such as Sqrt makes NaN of it.
/// - Inputs with a known interval (`domains`, by tensor) are taken to its nearer end (tacit.Within). The client is told
///   signs, and that numbers lie between -1 and 1: other bounds follow from weights, which it need not see.
/// - Operands that may leave the domain of their function are taken in as far as their error explains (tacit.Within
///   with a source), and operands that must not be 0 are refused where they cannot be told from it (tacit.OffZero).
Graph guard_client(Graph after, std::size_t kept, const std::vector<Range>& domains);

}  // namespace tacit::graph::passes
