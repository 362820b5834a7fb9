#pragma once

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Folds sums into the leaves of ensembles: each leaf then adds its share of the sum. So a factor after trees costs no
/// noise. It applies to sums that are outputs, and that read only the scores of one ensemble which nothing else reads.
/// Two kinds of sums stay:
/// - sums that make many more scores than there are;
/// - sums that tables read. Samples show the range of such a sum, but trees would have the range of all leaves.
passes::Network fold_into_leaves(const passes::Network& network);

}  // namespace tacit::graph::quant
