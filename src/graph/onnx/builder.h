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

/// Turns a screened model with static input shapes into a Graph: brings its nodes to the graph's form, infers shapes
/// node by node and evaluates whatever depends on constants and static shapes only.
class Builder {
 public:
  /// All must outlive this.
  /// `rows` of a batch are what the inputs hold: bounds that grow with a batch hold for each.
  Builder(const ::onnx::GraphProto& proto, const std::vector<VersionedNode>& nodes, const Opsets& opsets,
          const std::map<std::string, Tensor>& bindings, std::int64_t rows = 1);

  /// Throws InputError naming the node for an operator that is not supported and for a shape that depends on private
  /// data.
  Graph build();

 private:
  TensorId add_tensor(const std::string& name, Shape shape, int element_type);
  void add_constant(const std::string& name, Tensor value, int element_type);
  void add_inputs();
  /// Adds a node of an operator set that the model has in `version`, and what it holds.
  void add(const ::onnx::NodeProto& proto, std::int64_t version);
  /// Adds a node in the graph's form, of an operator set that the model has in `version`.
  void add_node(const ::onnx::NodeProto& proto, std::int64_t version);
  void add_outputs();
  /// True if the node's outputs follow from what is known now; they are then constants.
  bool fold(const Node& node, const ::onnx::NodeProto& proto, std::span<const KnownInput> inputs,
            const std::vector<InferredOutput>& inferred);
  /// Types and shapes that inference leaves open, from a run on zeros.
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
  std::vector<int> element_types_;  ///< of graph_.tensors
  std::unordered_map<std::string, TensorId> ids_;
  std::unordered_map<std::string, std::vector<TensorId>> sequences_;
  std::unordered_map<std::string, int> names_;  ///< node names in use, and how often each was asked for
  Budget budget_;
  Surroundings around_;
  ControlFlow control_flow_;
  std::size_t made_names_ = 0;
};

}  // namespace tacit::graph::onnx
