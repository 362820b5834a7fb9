#pragma once

#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Returns for every tensor 1 if all its elements are whole numbers for all inputs. These are integers and truth
/// values, results of Round, Floor, Ceil and Sign, and sums, products and choices of whole numbers.
std::vector<char> whole_tensors(const Graph& graph);

/// Adds a Round before every Cast of whole reals to an integer type. This changes no exact value. Decrypted values
/// carry noise, and a Cast alone would turn 2.9999 into 2.
Graph round_whole_casts(const Graph& graph);

}  // namespace tacit::graph::passes
