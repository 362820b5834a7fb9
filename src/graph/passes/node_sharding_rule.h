#pragma once

#include "graph/graph.h"
#include "layout/sharding/sharding_rule.h"

namespace tacit::graph::passes {

/// What the structure of a node says about its sharding: of its inputs and outputs, in their order, constants included.
/// Inputs that are attributes by nature (the shape of a Reshape) stay whole. Throws InputError naming the node where
/// its operator states no rule, or its shapes do not fit it.
layout::ShardingRule sharding_rule(const Graph& graph, const Node& node);

}  // namespace tacit::graph::passes
