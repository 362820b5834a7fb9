#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace tacit::graph::onnx {

/// The node's name, or that of its first output, or its operator.
std::string node_label(const ::onnx::NodeProto& node);

/// Throws InputError: "node 'conv1' (Conv): <reason>".
[[noreturn]] void refuse_node(const ::onnx::NodeProto& node, const std::string& reason);

}  // namespace tacit::graph::onnx
