#pragma once

#include <utility>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Bounds every element of every value without samples, starting from the interval of all inputs:
/// - sums by interval arithmetic, which is safe and usually far from tight;
/// - functions by their values at many points of the argument's interval;
/// - trees by their leaves.
///
/// Throws InputError naming the node of a function that is finite nowhere.
void bound_elements(passes::Network& network, std::pair<double, double> input_range);

}  // namespace tacit::graph::quant
