#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Sums that are outputs, and read the scores of one ensemble alone, which nothing else reads, become ensembles with
/// other leaves: a leaf adds what the sum makes of it. So a factor after trees costs no noise. Sums that make many more
/// scores than there are stay. So do sums that tables read: samples tell their range, and trees have the one of all
/// leaves.
passes::Network fold_into_leaves(const passes::Network& network);

}  // namespace tacit::graph::quant
