#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Checks that integers do not leave their types. Integers wrap around in their type, but values on ciphertexts do not.
/// Throws InputError naming the node if a value of `network`, which is not folded, is an integer tensor of fewer than
/// 64 bits that may leave its type. The ranges are those of the first source that exists:
/// - the samples;
/// - the public range of the inputs;
/// - the ranges of the types of the inputs.
void check_wrapping(const Network& network, const Graph& encrypted, const std::vector<std::vector<Tensor>>& samples,
                    std::optional<std::pair<double, double>> input_range);

}  // namespace tacit::graph::passes
