#pragma once

#include <functional>
#include <string>

#include "graph/passes/network.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// A network with fewer reshards, and what was composed and what was left, with prices, a line each.
struct OptimisedSharding {
  Network network;
  std::string decisions;
};

/// Takes reshards out that cost more than they save. A linear map reads and writes any blocks, so that a reshard
/// composes with the linear maps around it by not being there: those that read it read its operand, or what makes the
/// operand writes the reshard's blocks, where nothing else reads it. Either saves a level. It is done where it takes no
/// longer than the maps apart, by `price` of dense layouts of the blocks in so many slots. A reshard that leads back to
/// the blocks that another came from goes, too. Functions and products read blocks as they are.
OptimisedSharding optimise_sharding(Network network, layout::Index slots,
                                    const std::function<double(const layout::LinearMap&)>& price);

}  // namespace tacit::graph::passes
