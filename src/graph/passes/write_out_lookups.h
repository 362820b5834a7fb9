#pragma once

#include <set>
#include <string>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// The most reals of a table of constants. Larger tables that are looked up by private indices are weights of a layer
/// (embeddings).
inline constexpr std::int64_t kSmallTable = 1024;

/// Replaces lookups of private indices in a constant table by a product. The client writes each index as a row of zeros
/// with a one at the index (`tacit.IndexRows`). The server multiplies the rows with the table, which stays private.
/// This is done for tables that are weights and for the nodes in `keep_private`, if the indices depend on the inputs
/// and on no layer. Throws InputError naming the node if the rows are too many or too long. Also throws if the client
/// may run nothing before it encrypts (`before` is false).
Graph write_out_lookups(const Graph& graph, const std::set<std::string>& keep_private, bool before);

}  // namespace tacit::graph::passes
