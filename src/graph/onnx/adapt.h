#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/onnx/infer.h"

namespace tacit::graph::onnx {

/// The network around an adapter's node: what the adapter reads of it, and what it adds to it.
struct Surroundings {
  std::function<KnownInput(const std::string& tensor)> known;
  std::function<std::string(Tensor value, int element_type)> constant;  ///< adds a constant; returns its name
  std::function<std::string()> intermediate;                            ///< returns a name for a new tensor
  std::function<void(const std::string& sentence)> note;                ///< adds a note for people
};

/// Brings a node from its form in `version` of its operator set to the graph's form. The graph's form is that of opset
/// 17 with the attributes that later versions added. The changes are attributes that became inputs, defaults that
/// changed, and operators that another replaces. Usually the result is one node. Throws InputError, naming the node and
/// the attribute, if the older or newer form has no counterpart.
std::vector<::onnx::NodeProto> adapt(::onnx::NodeProto node, std::int64_t version, const Surroundings& around);

/// True if `adapt` replaces this operator of kContributedDomain by operators of ONNX.
bool is_contributed(const std::string& op);

}  // namespace tacit::graph::onnx
