#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Joins products that can run side by side into one product. The products of affine values that only one affine value
/// reads become one product of two longer affine values. The features of a polynomial are one product each, so they
/// take one multiplication instead of hundreds. The squares of several classes also become one product. The number of
/// levels stays.
Network batch_products(const Network& network);

}  // namespace tacit::graph::passes
