#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tacit::graph::onnx {

/// Operators whose attributes hold a network: If, Loop and Scan of ai.onnx.
bool holds_bodies(const ::onnx::NodeProto& node);
/// The network in attribute `name`. Refuses the node where it is absent.
const ::onnx::GraphProto& body_of(const ::onnx::NodeProto& node, const std::string& name);

/// Calls `visit` for every tensor that the networks inside a node read from around it. Names may come more than once.
void for_each_captured(const ::onnx::NodeProto& node, const std::function<void(const std::string&)>& visit);

using Renamed = std::unordered_map<std::string, std::string>;
/// Renames what the networks inside a node read from around it.
void rename_captured(::onnx::NodeProto& node, const Renamed& names);

/// Copies the network inside a node, to be run in the network around it.
class Body {
 public:
  /// `proto` must outlive this. `prefix` begins no other tensor's name.
  Body(const ::onnx::GraphProto& proto, std::string prefix);

  /// The weights of the network, which all copies share, by their new names.
  const std::vector<std::pair<std::string, const ::onnx::TensorProto*>>& weights() const { return weights_; }

  struct Copy {
    std::vector<::onnx::NodeProto> nodes;
    std::vector<std::string> outputs;  ///< names of the tensors that the network gives
  };
  /// A copy that reads `inputs`, as many as the network has.
  Copy copy(const std::vector<std::string>& inputs);
  std::size_t size() const { return static_cast<std::size_t>(proto_.node_size()); }

 private:
  const ::onnx::GraphProto& proto_;
  std::string prefix_;
  Renamed shared_;  ///< the weights
  std::vector<std::pair<std::string, const ::onnx::TensorProto*>> weights_;
  std::size_t copies_ = 0;
};

}  // namespace tacit::graph::onnx
