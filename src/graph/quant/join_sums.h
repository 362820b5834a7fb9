#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Puts small sums in the place where other sums read them, also if several sums read them. The noise of integers grows
/// with every sum of sums, and a table between two sums costs one lookup per element. Sums with many entries stay.
passes::Network join_sums(const passes::Network& network);

/// True if the network has a product of two values that do not depend on one value alone.
bool has_products_to_write_out(const passes::Network& network);

/// Replaces products of two different values by quarters of squares: x y = ((x + y)^2 - (x - y)^2) / 4. A square is a
/// function of one value, which a table computes. Operands with known ranges are balanced first, by element. Both
/// become numbers between -1 and 1, so that the boxes of one do not hide the other. Products that depend on one value
/// alone stay.
passes::Network write_out_products(const passes::Network& network);

}  // namespace tacit::graph::quant
