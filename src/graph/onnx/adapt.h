#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/onnx/infer.h"

namespace tacit::graph::onnx {

/// What an adapter sees of the network around its node, and adds to it.
struct Surroundings {
  std::function<KnownInput(const std::string& tensor)> known;
  std::function<std::string(Tensor value, int element_type)> constant;  ///< adds a constant; returns its name
  std::function<std::string()> intermediate;                            ///< a name for a new tensor
  std::function<void(const std::string& sentence)> note;                ///< something that people should know
};

/// Brings a node from the form that its operator has in `version` of its operator set to the graph's form, that of
/// opset 17 with the attributes that later versions added: attributes that became inputs, defaults that changed,
/// operators that another replaces. Usually one node comes back. Throws InputError where the older or newer form has
/// no counterpart, naming the node and the attribute.
std::vector<::onnx::NodeProto> adapt(::onnx::NodeProto node, std::int64_t version, const Surroundings& around);

/// True if `adapt` writes this operator of kContributedDomain out as operators of ONNX.
bool is_contributed(const std::string& op);

}  // namespace tacit::graph::onnx
