#pragma once

#include <utility>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Without samples: gives every element of every value an interval, from that of all inputs on. Of sums by interval
/// arithmetic, which is safe and usually far from tight; of functions by their values at many points of the argument's
/// interval; of trees by their leaves. Throws InputError naming the node of a function that is finite nowhere.
void bound_elements(passes::Network& network, std::pair<double, double> input_range);

}  // namespace tacit::graph::quant
