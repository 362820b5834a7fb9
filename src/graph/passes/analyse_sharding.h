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

/// The sharding of a graph that is known before anything is chosen.
struct ShardingAnalysis {
  std::vector<std::optional<layout::ShardingRule>> rules;  ///< by node; none: the operator states no rule
  std::map<std::size_t, layout::OpSharding> fixed;         ///< by node, from annotations
  std::map<TensorId, layout::OpSharding> inputs{};         ///< by input of the graph, as output 0, from annotations
};

/// Gathers the rules of all nodes of a graph, and seeds them with annotations. A name that no node has may name an
/// input, which has the rule of an element-wise operator. `model` is the graph that `graph` was taken from; its other
/// nodes run at the client. Throws InputError naming the node of an annotation that:
/// - does not exist, with nodes and inputs of similar names;
/// - runs at the client;
/// - is annotated twice;
/// - has an operator without a rule;
/// - has no dimension for an axis.
ShardingAnalysis analyse_sharding(const Graph& graph, const Graph& model,
                                  const std::vector<layout::ShardAnnotation>& annotations);
/// Returns the rule and the annotation of every node, one node per line.
std::string to_text(const ShardingAnalysis& analysis, const Graph& graph);

}  // namespace tacit::graph::passes
