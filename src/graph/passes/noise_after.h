#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Returns the nodes of the client's last part whose results change by the noise of decryption on common values, in the
/// order of the graph. `last[n]` is true if node `n` belongs to that part. Every real number that such a node reads
/// from another node, or from the graph's inputs, carries noise. Scores of trees that are whole numbers carry none.
///
/// Equal, Mod, labels of numbers and truncations to integers are such nodes: 2.9999 becomes 2. A Cast to booleans asks
/// whether a number is 0. Noise leaves the answer as it is in two cases:
/// - positive numbers stay positive: Exp, Sigmoid and Softmax, and their sums, products and quotients;
/// - the least value of Relu and Clip holds over an interval of their operand. If it is 0, or becomes 0 by an added
///   constant, noise changes the answer only near the end of that interval, as it does for any comparison.
std::vector<std::size_t> nodes_that_noise_upsets(const Graph& graph, const std::vector<char>& last);

}  // namespace tacit::graph::passes
