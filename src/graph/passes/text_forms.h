#pragma once

#include <string>
#include <vector>

#include "graph/compile.h"
#include "graph/graph.h"
#include "graph/passes/network.h"

/// The text forms of what the passes work on, for people: one node or value a line, numbers rounded to three digits.
/// Programs have a text form of their own (slots::to_text).
namespace tacit::graph::passes {

std::string to_text(const Graph& graph);
std::string to_text(const Network& network);
std::string to_text(const Range& range);
std::string to_text(const std::vector<Approximation>& approximations);

}  // namespace tacit::graph::passes
