#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Puts small sums that other sums read in their place, also where several read them: noise of integers grows with
/// every sum of sums, and a table between two sums costs a lookup an element. Sums with many entries stay.
passes::Network join_sums(const passes::Network& network);

/// Whether a product of two values that do not depend on one value alone is left.
bool has_products_to_write_out(const passes::Network& network);

/// Replaces products of two different values by quarters of squares: x y = ((x + y)^2 - (x - y)^2) / 4. A square is a
/// function of one value, which a table computes. Operands with known ranges are balanced first, by element: both are
/// brought to numbers between -1 and 1, so that neither drowns in the boxes of the other. Products that depend on one
/// value alone stay.
passes::Network write_out_products(const passes::Network& network);

}  // namespace tacit::graph::quant
