#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "graph/onnx/adapt.h"
#include "graph/onnx/budget.h"
#include "graph/onnx/control_flow.h"
#include "graph/onnx/infer.h"
#include "graph/onnx/inline_functions.h"

namespace tacit::graph::onnx {

/// Turns a screened model with static input shapes into a Graph. It brings the nodes to the graph's form, infers shapes
/// node by node, and evaluates nodes that depend only on constants and static shapes.
class Builder {
 public:
  /// All arguments must outlive this object. The inputs hold `rows` rows of a batch. Bounds that grow with a batch hold
  /// for each row.
  Builder(const ::onnx::GraphProto& proto, const std::vector<VersionedNode>& nodes, const Opsets& opsets,
          const std::map<std::string, Tensor>& bindings, std::int64_t rows = 1);

  /// Throws InputError naming the node, if its operator is not supported or a shape depends on private data.
  Graph build();

 private:
  TensorId add_tensor(const std::string& name, Shape shape, int element_type);
  void add_constant(const std::string& name, Tensor value, int element_type);
  void add_inputs();
  /// Adds a node of an operator set that the model has in `version`, with the networks inside it.
  void add(const ::onnx::NodeProto& proto, std::int64_t version);
  /// Adds a node in the graph's form, of an operator set that the model has in `version`.
  void add_node(const ::onnx::NodeProto& proto, std::int64_t version);
  void add_outputs();
  /// Evaluates a node whose inputs are known. Returns true if its outputs are constants.
  bool fold(const Node& node, const ::onnx::NodeProto& proto, std::span<const KnownInput> inputs,
            const std::vector<InferredOutput>& inferred);
  /// Completes the types and shapes that inference leaves open, by a run on zeros.
  void complete(Node node, const ::onnx::NodeProto& proto, std::span<const KnownInput> inputs,
                std::vector<InferredOutput>& inferred) const;
  KnownInput known(TensorId id) const;
  TensorId find(const std::string& name) const;
  std::string unique_name(const ::onnx::NodeProto& proto);

  Surroundings surroundings();
  ControlFlow::Host host();

  const ::onnx::GraphProto& proto_;
  const std::vector<VersionedNode>& nodes_;
  const Opsets& opsets_;
  const std::map<std::string, Tensor>& bindings_;
  Graph graph_;
  std::vector<int> element_types_;  ///< by tensor of graph_.tensors
  std::unordered_map<std::string, TensorId> ids_;
  std::unordered_map<std::string, std::vector<TensorId>> sequences_;
  std::unordered_map<std::string, int> names_;  ///< node names in use, with the number of requests for each
  Budget budget_;
  Surroundings around_;
  ControlFlow control_flow_;
  std::size_t made_names_ = 0;
};

}  // namespace tacit::graph::onnx
