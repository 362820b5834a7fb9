#pragma once

#include <functional>
#include <string>

#include "graph/passes/network.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// A network with fewer reshards, and the decisions with prices, one per line.
struct OptimisedSharding {
  Network network;
  std::string decisions;
};

/// Removes reshards that cost more than they save. Functions and products read blocks as they are, but a linear map can
/// read and write any blocks. So a reshard next to a linear map can be removed in two ways, and each saves a level:
/// - The linear maps that read the reshard read its operand.
/// - If only the reshard reads its operand, the linear map that makes the operand writes the reshard's blocks.
///
/// The change is made if it takes no longer than separate maps, by `price` of dense layouts of the blocks in `slots`
/// slots. A reshard back to the blocks of an earlier value is removed as well.
OptimisedSharding optimise_sharding(Network network, layout::Index slots,
                                    const std::function<double(const layout::LinearMap&)>& price);

}  // namespace tacit::graph::passes
