#pragma once

#include <string>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Throws InputError: the node, its operator, why it has no encrypted form (`reason`, or the operator's own) and the
/// form that its declaration says is supported, on integers where tables look functions up.
[[noreturn]] void refuse_operator(const Node& node, const std::string& reason = "", bool tables = false);

}  // namespace tacit::graph::passes
