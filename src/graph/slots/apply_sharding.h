#pragma once

#include "graph/graph.h"
#include "graph/passes/analyse_sharding.h"

namespace tacit::graph::passes {

struct SlotsDraft;

/// The nodes that annotations may name: those that are computed, before maxima are taken apart.
struct ShardedNodes {
  Graph graph;
  ShardingAnalysis analysis;
};

// The passes of annotations (CompileOptions::shardings). Without annotations they do nothing.

/// Gathers the rules of nodes, and the tensors that linear operators must keep for annotated nodes.
void analyse_annotations(SlotsDraft& draft);
/// Gives annotated blocks to values of the network, and offers what follows to the values around them.
void apply_sharding(SlotsDraft& draft);
/// Composes reshards with their neighbours. Reshards are priced in the slots of the user's parameters, or else of the
/// largest ring.
void optimise_annotations(SlotsDraft& draft);
/// Reports the sharding of the cheapest program, with or without annotations.
void tell_sharding(SlotsDraft& draft);

}  // namespace tacit::graph::passes
