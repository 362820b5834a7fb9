#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/graph.h"
#include "graph/limits.h"

namespace tacit::graph::reference {

/// One call of an operator: its node, its input tensors (null if an optional input is absent), and the graph that knows
/// their formats.
struct Call {
  const Node& node;
  std::span<const Tensor* const> inputs;
  const Graph& graph;
  std::int64_t most_elements = kMostElements;  ///< most elements of a result

  bool has(std::size_t index) const { return index < inputs.size() && inputs[index] != nullptr; }
  /// Returns an input. Refuses the node if the input is absent.
  const Tensor& input(std::size_t index) const;
  /// Returns the elements of an integer input (axes, shapes, pads).
  std::vector<std::int64_t> integers(std::size_t index) const;
  /// Returns the elements of an integer input of positions. They may be kLostInteger for "to the end".
  std::vector<std::int64_t> positions(std::size_t index) const;
  /// Returns the one element of an input.
  double scalar(std::size_t index) const;
  /// Returns the format of an input's real elements, or float64 if the graph does not state it.
  FloatFormat rounding(std::size_t index) const;
  /// Returns the type of an input's integers, or int64 if the graph does not state it.
  IntegerType integer_type(std::size_t index) const;
  /// Returns a result of zeros. Refuses the node if the result has more than `most_elements`.
  Tensor zeros(Shape shape, bool integral = false) const;
  bool wants_output(std::size_t index) const { return index < node.outputs.size() && node.outputs[index] != kNoTensor; }
  [[noreturn]] void refuse(const std::string& reason) const { graph::refuse(node, reason); }
};

/// Returns all operators, family by family.
std::vector<std::span<const Declaration>> families();

/// Return the families. Each lists the operators of one file.
std::span<const Declaration> activation_operators();
std::span<const Declaration> arithmetic_operators();
std::span<const Declaration> cast_operators();
std::span<const Declaration> convolution_operators();
std::span<const Declaration> einsum_operators();
std::span<const Declaration> encoder_operators();
std::span<const Declaration> feature_operators();
std::span<const Declaration> gather_scatter_operators();
std::span<const Declaration> guard_operators();
std::span<const Declaration> indexing_operators();
std::span<const Declaration> linear_model_operators();
std::span<const Declaration> matrix_operators();
std::span<const Declaration> normalisation_operators();
std::span<const Declaration> pooling_operators();
std::span<const Declaration> quantisation_operators();
std::span<const Declaration> reduction_operators();
std::span<const Declaration> resize_operators();
std::span<const Declaration> shape_operators();
std::span<const Declaration> support_vector_operators();
std::span<const Declaration> thermometer_operators();
std::span<const Declaration> tree_operators();

/// The number of elements before, along and after an axis: a tensor seen as [outer][extent][inner].
struct AxisView {
  std::int64_t outer = 1, extent = 1, inner = 1;
};
AxisView axis_view(const Shape& shape, std::size_t axis);

/// Returns row-major strides, in elements.
std::vector<std::int64_t> strides_of(const Shape& shape);

}  // namespace tacit::graph::reference
