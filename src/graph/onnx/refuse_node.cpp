#include "graph/onnx/refuse_node.h"

#include "base/error.h"

namespace tacit::graph::onnx {

std::string node_label(const ::onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.op_type();
}

void refuse_node(const ::onnx::NodeProto& node, const std::string& reason) {
  base::refuse("node '{}' ({}): {}", node_label(node), node.op_type(), reason);
}

}  // namespace tacit::graph::onnx
