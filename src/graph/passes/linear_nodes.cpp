#include "graph/passes/linear_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "graph/attribute.h"
#include "graph/limits.h"
#include "graph/passes/operator_kind.h"
#include "graph/passes/probed_operator.h"
#include "graph/reference/broadcast.h"
#include "graph/window.h"
#include "layout/operators/matrix.h"
#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

const Shape& shape_of(const Graph& graph, TensorId id) { return graph.tensors[id].shape; }

bool is_private(const Graph& graph, const Node& node, std::size_t input) {
  return node.inputs.size() > input && node.inputs[input] != kNoTensor && !graph.is_constant(node.inputs[input]);
}

std::vector<layout::WindowAxis> axes_of(const NodeWindow& window) {
  return {window.spatial().begin(), window.spatial().end()};
}

/// Returns one number per channel, shaped to broadcast to [batch, channels, spatial ...].
Tensor by_channel(Tensor numbers, const Shape& shape) {
  numbers.shape.assign(shape.size() - 1, 1);
  numbers.shape[0] = shape[1];
  return numbers;
}

layout::LinearOperatorPtr convolution(const Node& node, const Shape& in, const Shape& out, const Tensor& weights) {
  if (weights.shape.size() != in.size()) refuse(node, "the weights have another rank than the input");
  const NodeWindow window = window_of(node, in, {weights.shape.begin() + 2, weights.shape.end()});
  const std::int64_t groups = integer_attribute(node, "group");
  if (groups < 1 || weights.shape[1] * groups != in[1] || weights.shape[0] % groups != 0)
    refuse(node, "weights, groups and input channels do not fit");
  return std::make_shared<layout::Convolution>(in, out, axes_of(window), groups, weights.data);
}

// Returns the transpose of the convolution with the same weights, which maps from the output to the input.
layout::LinearOperatorPtr transposed_convolution(const Node& node, const Shape& in, const Shape& out,
                                                 const Tensor& weights) {
  const NodeWindow window = transposed_window_of(node, in, {weights.shape.begin() + 2, weights.shape.end()});
  const double entries = static_cast<double>(element_count(in)) * static_cast<double>(weights.size()) /
                         static_cast<double>(std::max<std::int64_t>(weights.shape[0], 1));
  if (entries > kMostHeldEntries)
    refuse(node, fmt::format("its matrix has {:.3g} entries, which are held as a list, and {:.3g} is the most; use "
                             "Resize and Conv in its place",
                             entries, kMostHeldEntries));
  const layout::Convolution back(out, in, axes_of(window), integer_attribute(node, "group"), weights.data);
  return std::make_shared<layout::SparseRows>(layout::SparseRows::transpose_of(back));
}

LinearNode lower_convolution(const Graph& graph, const Node& node) {
  if (is_private(graph, node, 1) || is_private(graph, node, 2)) refuse_operator(node, "an encrypted weight");
  const Shape &in = shape_of(graph, node.inputs[0]), &out = shape_of(graph, node.outputs[0]);
  const auto lower = node.op == "Conv" ? convolution : transposed_convolution;
  LinearNode result{lower(node, in, out, graph.constant(node.inputs[1]))};
  if (node.inputs.size() > 2 && node.inputs[2] != kNoTensor)
    result.bias = broadcast_values(by_channel(graph.constant(node.inputs[2]), out), out, 1);
  return result;
}

LinearNode lower_pool(const Graph& graph, const Node& node) {
  const Shape &in = shape_of(graph, node.inputs[0]), &out = shape_of(graph, node.outputs[0]);
  if (node.op == "GlobalAveragePool") {
    std::vector<Index> spatial(in.size() - 2);
    std::iota(spatial.begin(), spatial.end(), Index{2});
    const double count = static_cast<double>(element_count(in)) / static_cast<double>(in[0] * in[1]);
    return {std::make_shared<layout::Reduction>(in, out, spatial, 1 / count)};
  }
  const NodeWindow window = window_of(node, in, integers_attribute(node, "kernel_shape"));
  const bool count_padding = flag_attribute(node, "count_include_pad");
  return {std::make_shared<layout::AveragePool>(in, out, axes_of(window), count_padding)};
}

LinearNode lower_reduction(const Graph& graph, const Node& node) {
  const Shape &in = shape_of(graph, node.inputs[0]), &out = shape_of(graph, node.outputs[0]);
  std::vector<std::int64_t> axes = integers_attribute(node, "axes");
  if (is_private(graph, node, 1)) refuse_operator(node, "an encrypted list of axes");
  if (node.inputs.size() > 1 && node.inputs[1] != kNoTensor)
    for (const double axis : graph.constant(node.inputs[1]).data) axes.push_back(static_cast<std::int64_t>(axis));
  std::set<std::size_t> reduced;
  for (const std::int64_t axis : axes) reduced.insert(normal_axis(node, axis, in.size()));
  if (axes.empty() && !flag_attribute(node, "noop_with_empty_axes"))
    for (std::size_t d = 0; d < in.size(); ++d) reduced.insert(d);
  double count = 1;
  for (const std::size_t d : reduced) count *= static_cast<double>(in[d]);
  const std::vector<Index> axes_list(reduced.begin(), reduced.end());
  return {std::make_shared<layout::Reduction>(in, out, axes_list, node.op == "ReduceMean" ? 1 / count : 1.0)};
}

LinearNode lower_gemm(const Graph& graph, const Node& node) {
  const bool left = is_private(graph, node, 0);
  if (!left && !is_private(graph, node, 1)) refuse_operator(node, "an encrypted bias of a constant product");
  const Tensor& weights = graph.constant(node.inputs[left ? 1 : 0]);
  const Shape &in = shape_of(graph, node.inputs[left ? 0 : 1]), &out = shape_of(graph, node.outputs[0]);
  const bool transposed_in = flag_attribute(node, left ? "transA" : "transB");
  const bool transposed_weights = flag_attribute(node, left ? "transB" : "transA");
  // A product sums over the columns of its left operand and over the rows of its right one.
  const bool in_along_row = left != transposed_in, weights_along_row = left == transposed_weights;
  layout::Contraction::Terms c;
  c.count = in_along_row ? in[1] : in[0];
  c.in_step = in_along_row ? 1 : in[1];
  c.weight_step = weights_along_row ? 1 : weights.shape[1];
  c.scale = real_attribute(node, "alpha");
  c.weights = weights.data;
  for (Index m = 0; m < out[0]; ++m)
    for (Index n = 0; n < out[1]; ++n) {
      const Index in_line = left ? m : n, weight_line = left ? n : m;
      c.in_base.push_back(in_along_row ? in_line * in[1] : in_line);
      c.weight_base.push_back(weights_along_row ? weight_line * weights.shape[1] : weight_line);
    }
  LinearNode result{std::make_shared<layout::Contraction>(in, out, std::move(c))};
  if (node.inputs.size() > 2 && node.inputs[2] != kNoTensor && graph.is_constant(node.inputs[2]))
    result.bias = broadcast_values(graph.constant(node.inputs[2]), out, real_attribute(node, "beta"));
  return result;
}

LinearNode lower_matmul(const Graph& graph, const Node& node) {
  const bool left = is_private(graph, node, 0);
  Shape a = shape_of(graph, node.inputs[0]), b = shape_of(graph, node.inputs[1]);
  const Shape &in = left ? a : b, &declared = shape_of(graph, node.outputs[0]);
  const Shape in_shape = in;
  if (a.empty() || b.empty()) refuse(node, "a scalar operand is not a matrix");
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const Index rows = a[a.size() - 2], count = a.back(), columns = b.back();
  const Shape a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  const auto batch = reference::broadcast_shape(a_batch, b_batch);
  if (!batch) refuse(node, "its batch dimensions do not broadcast");
  layout::Contraction::Terms c;
  c.count = count;
  c.in_step = left ? 1 : columns;
  c.weight_step = left ? columns : 1;
  c.weights = graph.constant(node.inputs[left ? 1 : 0]).data;
  reference::BroadcastIndex a_index(a_batch, *batch), b_index(b_batch, *batch);
  const Index batches = element_count(*batch);
  for (Index i = 0; i < batches; ++i) {
    const auto a_matrix = static_cast<Index>(a_index.next()), b_matrix = static_cast<Index>(b_index.next());
    for (Index m = 0; m < rows; ++m)
      for (Index n = 0; n < columns; ++n) {
        const Index from_a = (a_matrix * rows + m) * count, from_b = b_matrix * count * columns + n;
        c.in_base.push_back(left ? from_a : from_b);
        c.weight_base.push_back(left ? from_b : from_a);
      }
  }
  return {std::make_shared<layout::Contraction>(in_shape, declared, std::move(c))};
}

}  // namespace

layout::RepeatedReals broadcast_values(const Tensor& constant, const Shape& shape, double factor) {
  std::vector<double> result(static_cast<std::size_t>(element_count(shape)));
  reference::BroadcastIndex index(constant.shape, shape);
  for (double& value : result) value = factor * constant.data[index.next()];
  return layout::RepeatedReals::of(result);
}

LinearNode linear_operator(const Graph& graph, const Node& node) {
  if (node.op == "Conv" || node.op == "ConvTranspose") return lower_convolution(graph, node);
  if (node.op == "Einsum" || node.op == "Resize") return {probed_operator(graph, node)};
  if (node.op == "Gemm") return lower_gemm(graph, node);
  if (node.op == "MatMul") return lower_matmul(graph, node);
  if (node.op == "AveragePool" || node.op == "GlobalAveragePool") return lower_pool(graph, node);
  return lower_reduction(graph, node);
}

}  // namespace tacit::graph::passes
