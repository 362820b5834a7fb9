#pragma once

#include "graph/passes/network.h"
#include "graph/passes/recognise.h"

namespace tacit::graph::passes {

/// Turns a recognised graph into affine maps, functions and products. Every linear operator becomes one affine value:
/// - convolutions, matrix products with a constant, pooling by averages and reductions;
/// - normalisation and element-wise arithmetic with constants (broadcast included);
/// - everything that only moves elements.
///
/// For anything else, throws InputError naming the node, its operator and the nearest supported form.
Network linearise(const Recognised& recognised);

}  // namespace tacit::graph::passes
