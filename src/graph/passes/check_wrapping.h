#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Integers wrap around in their type, and values on ciphertexts do not. Throws InputError naming the node where a
/// value of `network`, not folded yet, is an integer tensor of fewer than 64 bits and may leave its type: on the
/// samples, or in the public range of the inputs, or, where there is neither, in what the types of the inputs hold.
void check_wrapping(const Network& network, const Graph& encrypted, const std::vector<std::vector<Tensor>>& samples,
                    std::optional<std::pair<double, double>> input_range);

}  // namespace tacit::graph::passes
