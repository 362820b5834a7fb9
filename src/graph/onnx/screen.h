#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "graph/onnx/inline_functions.h"

namespace tacit::graph::onnx {

/// Refuses, by name, features that no later step handles, before the onnx library works on them. These are data in
/// other files, sparse tensors, control flow, foreign domains, and tensors that are read but not defined. `nodes` are
/// the graph's, with functions inlined. Throws InputError.
void screen(const ::onnx::GraphProto& graph, const std::vector<VersionedNode>& nodes);

}  // namespace tacit::graph::onnx
