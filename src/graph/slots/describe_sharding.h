#pragma once

#include <set>
#include <string>

#include "graph/graph.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/slots/lower.h"
#include "layout/sharding/sharding_map.h"

namespace tacit::graph::passes {

/// The sharding of a graph's inputs, operators and formals: as annotations ask for it, and of the others as they were
/// lowered.
struct DescribedSharding {
  layout::ShardingMap map;
  std::set<std::string> asked;  ///< operators and inputs of the map that annotations speak of
  /// A comment ("# …") for every operator that no mesh describes or whose annotation layouts could not keep whole, with
  /// the layouts of its operands.
  std::string beside;
};

/// What is not asked for follows from the layouts of the program. An operator is in the map where its operands lie in
/// equal blocks that fit its rule. Operators that are composed with others have what their rules carry over.
DescribedSharding described_sharding(const Graph& graph, const ShardingAnalysis& analysis, const Lowered& lowered);
/// Lines that can be edited and read as annotations. What was asked for stands as it was, and all else behind '#': so
/// the lines as they are give the same program, and one whose '#' is taken off fixes one operator more.
std::string to_text(const DescribedSharding& described);

}  // namespace tacit::graph::passes
