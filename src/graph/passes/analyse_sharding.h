#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "layout/sharding/shard_annotation.h"
#include "layout/sharding/sharding_rule.h"

namespace tacit::graph::passes {

/// What is known of the sharding of a graph before anything is chosen.
struct ShardingAnalysis {
  std::vector<std::optional<layout::ShardingRule>> rules;  ///< by node; none: its operator states no rule
  std::map<std::size_t, layout::OpSharding> fixed;         ///< by node, as annotations say
  std::map<TensorId, layout::OpSharding> inputs{};         ///< of inputs of the graph, as output 0, as annotations say
};

/// Gathers the rules of all nodes of a graph, and seeds them with annotations. What names no node may name an input,
/// which has the rule of an element-wise operator. `model` is what the graph was taken from: its other nodes run at the
/// client. Throws InputError naming the node that an annotation names and there is not, with nodes and inputs of
/// similar names; that runs at the client; that comes twice; whose operator states no rule; or that has no dimension
/// for an axis.
ShardingAnalysis analyse_sharding(const Graph& graph, const Graph& model,
                                  const std::vector<layout::ShardAnnotation>& annotations);
/// A line for every node: its rule, and its annotation.
std::string to_text(const ShardingAnalysis& analysis, const Graph& graph);

}  // namespace tacit::graph::passes
