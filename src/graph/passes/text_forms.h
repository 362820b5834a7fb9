#pragma once

#include <string>
#include <vector>

#include "graph/compile.h"
#include "graph/graph.h"
#include "graph/passes/network.h"

/// The text forms of graphs, networks, ranges and approximations, for people: one node or value per line, with numbers
/// rounded to three digits. Programs have another text form (slots::to_text).
namespace tacit::graph::passes {

std::string to_text(const Graph& graph);
std::string to_text(const Network& network);
std::string to_text(const Range& range);
std::string to_text(const std::vector<Approximation>& approximations);

}  // namespace tacit::graph::passes
