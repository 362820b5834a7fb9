#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Multiplies side by side what is multiplied one by one: products of affine values that one affine value alone reads
/// become one product of two longer affine values. The features of a polynomial, written as a product each, so take one
/// multiplication instead of hundreds, and the squares of several classes one. The number of levels stays.
Network batch_products(const Network& network);

}  // namespace tacit::graph::passes
