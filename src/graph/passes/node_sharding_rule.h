#pragma once

#include "base/feasible.h"
#include "graph/graph.h"
#include "layout/sharding/sharding_rule.h"

namespace tacit::graph::passes {

/// Returns the sharding rule of a node, from its structure. The rule covers the node's inputs and outputs, in their
/// order, constants included. Inputs that are attributes by nature (the shape of a Reshape) stay whole. There is
/// none if the operator states no rule, or if its shapes do not fit the rule. The problem names the node.
base::Feasible<layout::ShardingRule> sharding_rule(const Graph& graph, const Node& node);

}  // namespace tacit::graph::passes
