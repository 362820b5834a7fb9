#pragma once

#include <map>
#include <string>

#include "graph/graph.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {

/// The attribute of a Round that replaces a QuantizeLinear.
inline constexpr const char* kQuantises = "tacit.quantises";

/// Replaces operators of quantised models by operators on real numbers.
/// - DequantizeLinear becomes Sub and Mul.
/// - QuantizeLinear becomes Div, Round, Add and Clip.
/// - QLinearConv, QLinearMatMul, ConvInteger and MatMulInteger become Conv and MatMul between these.
///
/// Every tensor of integers that is replaced has a twin of real numbers, which operators of the network read. Tensors
/// that receive its elements by movements have twins too. A Cast makes the integers from the twin for all other
/// readers.
class QuantisationWriter {
 public:
  /// Reads `graph` and appends to another.
  QuantisationWriter(const Graph& graph, GraphEditor& editor) : graph_(graph), editor_(editor) {}

  /// Appends the nodes that replace `node`. Returns false if the node stays.
  bool write(const Node& node);
  /// True after a node was replaced. Casts without a reader may then be left.
  bool wrote() const { return wrote_; }

 private:
  struct Scaling {
    TensorId scale = kNoTensor, zero = kNoTensor;
    std::int64_t axis = 1;
  };
  TensorId real(TensorId id);
  const Tensor* constant(const Node& node, TensorId id) const;
  TensorId along(const Node& node, const std::string& what, const Tensor& numbers, std::int64_t axis,
                 const Shape& shape);
  TensorId dequantised(const Node& node, const std::string& name, TensorId x, const Scaling& scaling);
  void quantise(const Node& node, TensorId x, const Scaling& scaling, TensorId output);
  /// Makes a tensor of integers from its twin.
  void join(const Node& node, TensorId twin, TensorId integers);
  void write_integer_operator(const Node& node, const char* op, std::int64_t left_axis, std::int64_t right_axis);
  void write_quantised_operator(const Node& node, const char* op, const Scaling& left, const Scaling& right);
  bool follow(const Node& node);

  const Graph& graph_;
  GraphEditor& editor_;
  std::map<TensorId, TensorId> twins_;
  bool wrote_ = false;
};

}  // namespace tacit::graph::passes
