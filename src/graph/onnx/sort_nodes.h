#pragma once

#include <vector>

#include "graph/onnx/inline_functions.h"

namespace tacit::graph::onnx {

/// Puts every node behind those that make what it reads, as the format asks for and some converters do not; nodes that
/// lie so keep their order. What is in no such order (a cycle, a tensor that nothing makes) stays at the end.
std::vector<VersionedNode> sorted(std::vector<VersionedNode> nodes);

}  // namespace tacit::graph::onnx
