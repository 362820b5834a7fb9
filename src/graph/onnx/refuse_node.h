#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace tacit::graph::onnx {

/// Returns the node's name, or the name of its first output, or its operator.
std::string node_label(const ::onnx::NodeProto& node);

/// Throws InputError: "node 'conv1' (Conv): <reason>".
[[noreturn]] void refuse_node(const ::onnx::NodeProto& node, const std::string& reason);

}  // namespace tacit::graph::onnx
