#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <vector>

#include "graph/onnx/opsets.h"

namespace tacit::graph::onnx {

/// A node of a network without functions, and the version of its operator set that it is written for.
struct VersionedNode {
  ::onnx::NodeProto node;
  std::int64_t version = 0;
};

/// Returns the nodes of a model in order. Every call of a function that the model defines is replaced by the function's
/// nodes, to any depth. Names inside a function get a prefix that no other tensor of the model has. Throws InputError
/// for a function that:
/// - calls itself, or is defined twice;
/// - has the name of an ONNX domain (it would shadow an operator);
/// - has a body that reads tensors which it does not define.
///
/// Also throws InputError for more than 2^17 nodes or calls, and for more copies of constants than a file of this size
/// justifies.
std::vector<VersionedNode> inline_functions(const ::onnx::ModelProto& model, const Opsets& opsets);

}  // namespace tacit::graph::onnx
