#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Returns the network with every contraction as copies of its operands, products of elements, and sums. Tables square
/// two sums for each product of elements. Throws InputError for a node with more than 2^16 products.
passes::Network write_out_contractions(const passes::Network& network);

}  // namespace tacit::graph::quant
