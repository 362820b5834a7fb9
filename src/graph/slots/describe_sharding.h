#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/slots/lower.h"
#include "layout/sharding/sharding_map.h"

namespace tacit::graph::passes {

/// The sharding of a graph's operators and formals as they were lowered.
struct DescribedSharding {
  layout::ShardingMap map;
  std::string
      beside;  ///< a comment ("# …") for every operator that no mesh describes, with the layouts of its operands
};

/// Follows from the layouts of the program. An operator is in the map where its operands lie in equal blocks that fit
/// its rule. Operators that are composed with others have what their rules carry over.
DescribedSharding described_sharding(const Graph& graph, const ShardingAnalysis& analysis, const Lowered& lowered);
/// Lines that can be edited and read as annotations: formals, operators and comments.
std::string to_text(const DescribedSharding& described);

}  // namespace tacit::graph::passes
