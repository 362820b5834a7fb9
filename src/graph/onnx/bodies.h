#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tacit::graph::onnx {

/// True for operators whose attributes hold a network: If, Loop and Scan of ai.onnx.
bool holds_bodies(const ::onnx::NodeProto& node);
/// Returns the network in attribute `name`. Refuses the node if the attribute is absent.
const ::onnx::GraphProto& body_of(const ::onnx::NodeProto& node, const std::string& name);

/// Calls `visit` for every tensor that the networks inside a node read from the network around it. A name may come more
/// than once.
void for_each_captured(const ::onnx::NodeProto& node, const std::function<void(const std::string&)>& visit);

using Renamed = std::unordered_map<std::string, std::string>;
/// Renames the tensors that the networks inside a node read from the network around it.
void rename_captured(::onnx::NodeProto& node, const Renamed& names);

/// Copies the network inside a node into the network around it.
class Body {
 public:
  /// `proto` must outlive this object. No other tensor's name begins with `prefix`.
  Body(const ::onnx::GraphProto& proto, std::string prefix);

  /// Returns the weights of the network by their new names. All copies share them.
  const std::vector<std::pair<std::string, const ::onnx::TensorProto*>>& weights() const { return weights_; }

  struct Copy {
    std::vector<::onnx::NodeProto> nodes;
    std::vector<std::string> outputs;  ///< names of the tensors that the network returns
  };
  /// Returns a copy that reads `inputs`, as many as the network has.
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
