#pragma once

#include <set>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Composes every affine value with the affine values that it reads, so that a chain of linear operators costs one
/// level. Batch normalisation and scales are folded into their neighbour, and pooling into the next convolution. A
/// value with several readers is composed only if that adds no work (at most one entry per row). Terms on one input are
/// added up. Pure changes of shape, terms without a weight and unread values are removed. Values of the tensors in
/// `kept` stay separate. Throws InputError naming the node if no weight is left.
Network fold(const Network& network, const std::set<TensorId>& kept = {});

}  // namespace tacit::graph::passes
