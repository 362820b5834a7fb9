#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The numbers of every value of a network on one input (one tensor per private input, row-major): functions exactly,
/// or by their series where they have one and `by_series` is set.
std::vector<std::vector<double>> evaluate(const Network& network, const std::vector<Tensor>& inputs,
                                          bool by_series = false);

}  // namespace tacit::graph::passes
