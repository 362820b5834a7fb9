#include "graph/reference/operator_call.h"

#include <fmt/format.h>

#include <cmath>

#include "graph/integers.h"

namespace tacit::graph::reference {

const Tensor& Call::input(std::size_t index) const {
  if (!has(index)) refuse(fmt::format("input {} is missing", index));
  return *inputs[index];
}

std::vector<std::int64_t> Call::integers(std::size_t index) const {
  std::vector<std::int64_t> values;
  for (const double value : input(index).data) {
    if (!(std::abs(value) <= kLargestInteger))
      refuse(fmt::format("input {} holds a value that is not an integer", index));
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

std::vector<std::int64_t> Call::positions(std::size_t index) const {
  std::vector<std::int64_t> values;
  for (const double value : input(index).data) {
    if (!(std::abs(value) <= kLostInteger)) refuse(fmt::format("input {} holds a value that is no position", index));
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

double Call::scalar(std::size_t index) const {
  const Tensor& tensor = input(index);
  if (tensor.data.size() != 1) refuse(fmt::format("input {} must hold one element", index));
  return tensor.data[0];
}

FloatFormat Call::rounding(std::size_t index) const {
  if (index >= node.inputs.size() || node.inputs[index] >= graph.tensors.size()) return FloatFormat::float64;
  return graph.tensors[node.inputs[index]].rounding;
}

IntegerType Call::integer_type(std::size_t index) const {
  if (index >= node.inputs.size() || node.inputs[index] >= graph.tensors.size()) return IntegerType::int64;
  return graph.tensors[node.inputs[index]].integers;
}

Tensor Call::zeros(Shape shape, bool integral) const {
  const std::int64_t count = element_count(shape);
  if (count > most_elements)
    refuse(fmt::format("its result of shape {} has {} elements, and {} is the most that it may have here",
                       to_text(shape), count, most_elements));
  Tensor tensor;
  tensor.data.resize(static_cast<std::size_t>(count));
  tensor.shape = std::move(shape);
  tensor.integral = integral;
  return tensor;
}

std::vector<std::span<const Declaration>> families() {
  return {activation_operators(),    arithmetic_operators(), cast_operators(),           convolution_operators(),
          einsum_operators(),        encoder_operators(),    feature_operators(),        gather_scatter_operators(),
          guard_operators(),         indexing_operators(),   linear_model_operators(),   matrix_operators(),
          normalisation_operators(), pooling_operators(),    quantisation_operators(),   reduction_operators(),
          resize_operators(),        shape_operators(),      support_vector_operators(), thermometer_operators(),
          tree_operators()};
}

AxisView axis_view(const Shape& shape, std::size_t axis) {
  AxisView view;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i < axis) view.outer *= shape[i];
    if (i == axis) view.extent = shape[i];
    if (i > axis) view.inner *= shape[i];
  }
  return view;
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

}  // namespace tacit::graph::reference
