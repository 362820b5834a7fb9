#pragma once

#include <set>
#include <string>

#include "graph/graph.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/slots/lower.h"
#include "layout/sharding/sharding_map.h"

namespace tacit::graph::passes {

/// The sharding of a graph's inputs, operators and formals. Annotated ones have the sharding that annotations ask for.
/// The others have the sharding that they were lowered with.
struct DescribedSharding {
  layout::ShardingMap map;
  std::set<std::string> asked;  ///< operators and inputs of the map that have annotations
  /// Comments ("# …") with the layouts of an operator's operands. There is one for every operator that no mesh
  /// describes, and for every operator whose annotation the layouts could not keep.
  std::string beside;
};

/// Describes the sharding of a lowered graph. Without an annotation, it follows from the layouts of the program. An
/// operator is in the map if its operands are in equal blocks that fit its rule. For operators that are composed with
/// others, the rules of the others carry the blocks over.
DescribedSharding described_sharding(const Graph& graph, const ShardingAnalysis& analysis, const Lowered& lowered);
/// Returns lines that can be edited and read as annotations. Annotations are written as they were, and all other lines
/// after '#'. So the unchanged lines give the same program. Removing one '#' fixes one operator more.
std::string to_text(const DescribedSharding& described);

}  // namespace tacit::graph::passes
