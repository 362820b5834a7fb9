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

/// The nodes of a model in order, every call of a function that the model defines replaced by the function's nodes, to
/// any depth. Names inside a function get a prefix that no other tensor of the model has. Throws InputError for a
/// function that calls itself, that is defined twice, that has the name of an ONNX domain (it would shadow an
/// operator), whose body reads what it does not define, and for more than 2^17 nodes or calls, or for copies of
/// constants that no file of this size accounts for.
std::vector<VersionedNode> inline_functions(const ::onnx::ModelProto& model, const Opsets& opsets);

}  // namespace tacit::graph::onnx
