#pragma once

#include <set>
#include <string>

#include "graph/graph.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Operands of annotated operators whose sharding no value of the folded network can have: `fold` must keep them.
std::set<TensorId> tensors_to_keep(const Network& folded, const Graph& graph, const ShardingAnalysis& analysis);

/// A network with shardings, and what was decided, a line each.
struct Propagated {
  Network network;
  std::string decisions;
};

/// Hands the shardings of annotated inputs and operators to the values that are their operands, and to all that
/// functions and products tie to them. Where two annotations want a value in different blocks, one has it as it makes
/// it, or the first that reads it, and a reshard stands in front of the other: a linear map of its own that moves every
/// element. With `offers`, shardings that follow from these for other tensors, forward and backward by the rules of
/// their operators, are offered to the search. Throws InputError naming an operator of which an operand is no value, or
/// two of different shardings that are computed together.
Propagated propagate_sharding(const Network& network, const Graph& graph, const ShardingAnalysis& analysis,
                              bool offers);

/// Whether a value is a reshard: the value that it reads, in other blocks.
bool is_reshard(const Network& network, ValueId id);

}  // namespace tacit::graph::passes
