#pragma once

#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// For every tensor, 1 where all elements are whole numbers whatever the inputs are: integers and truth values, results
/// of Round, Floor, Ceil and Sign, and sums, products and choices of such.
std::vector<char> whole_tensors(const Graph& graph);

/// Puts a Round in front of every Cast of whole reals to an integer type. It changes no exact value. Decrypted values
/// carry noise, which a Cast alone would turn into another whole number: 2.9999 into 2.
Graph round_whole_casts(const Graph& graph);

}  // namespace tacit::graph::passes
