#pragma once

#include <set>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Composes every affine value with the affine values it reads, so that a chain of linear operators costs one level:
/// batch normalisation and scales go into their neighbour, pooling into the next convolution. A value with several
/// readers is composed only where that adds no work (at most one entry a row). Terms on one input are added up, pure
/// changes of shape vanish, and so do terms without a weight and values that nothing reads. Throws InputError naming
/// the node where no weight is left. Values of the tensors in `kept` stay values of their own.
Network fold(const Network& network, const std::set<TensorId>& kept = {});

}  // namespace tacit::graph::passes
