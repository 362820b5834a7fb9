#pragma once

#include <set>
#include <string>

#include "graph/graph.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Returns operands of annotated operators whose sharding no value of the folded network can have. `fold` must keep
/// them.
std::set<TensorId> tensors_to_keep(const Network& folded, const Graph& graph, const ShardingAnalysis& analysis);

/// A network with shardings, and the decisions, one per line.
struct Propagated {
  Network network;
  std::string decisions;
};

/// Gives the shardings of annotated inputs and operators to the values that are their operands, and to all values that
/// functions and products tie to these. Two annotations may want a value in different blocks. The value then has the
/// blocks of its maker, or else of its first reader. The other reads it through a reshard, a separate linear map that
/// moves every element.
/// With `offers`, shardings of other tensors that follow from the annotations are offered to the search. They follow
/// forward and backward by the rules of the operators. Throws InputError naming an operator in two cases: an operand of
/// it is no value, or it is computed together with an operator of another sharding.
Propagated propagate_sharding(const Network& network, const Graph& graph, const ShardingAnalysis& analysis,
                              bool offers);

/// True if a value is a reshard: it holds the value that it reads in other blocks.
bool is_reshard(const Network& network, ValueId id);

}  // namespace tacit::graph::passes
