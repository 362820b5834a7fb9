#pragma once

#include <string>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/network.h"

namespace tacit::guide {

/// The text forms of what the passes work on, one node or value a line, as the pages of docs/ show them. Numbers are
/// rounded to three digits. (Programs have a text form of their own: slots::to_text.)
std::string to_text(const graph::Graph& graph);
std::string to_text(const graph::passes::Network& network);
std::string to_text(const graph::passes::Range& range);
std::string to_text(const std::vector<graph::Approximation>& approximations);
std::string to_text(const params::CkksLiteral& literal);
std::string to_text(const program::ClientInterface& client);

}  // namespace tacit::guide
