#pragma once

#include <vector>

#include "graph/onnx/inline_functions.h"

namespace tacit::graph::onnx {

/// Puts every node after the nodes that make its inputs. The format requires this order, and some converters do not
/// keep it. Nodes that are already in order keep their order. Nodes that no order suits (a cycle, a tensor that no node
/// makes) stay at the end.
std::vector<VersionedNode> sorted(std::vector<VersionedNode> nodes);

}  // namespace tacit::graph::onnx
