#include <fmt/format.h>

#include <numeric>

#include "graph/attribute.h"
#include "graph/limits.h"
#include "graph/passes/written_out.h"
#include "graph/window.h"

namespace tacit::graph::passes {
namespace {

/// Adds the sums of `x` over `axes`.
TensorId sum_over(GraphEditor& editor, const Node& node, TensorId x, const Shape& shape,
                  const std::vector<std::int64_t>& axes, bool keep) {
  const Tensor list{{static_cast<std::int64_t>(axes.size())}, {axes.begin(), axes.end()}, true};
  const TensorId constant = editor.constant(node.name + ".axes", list);
  return editor.step("ReduceSum", node.name + ".sum", {x, constant}, shape, {{"keepdims", std::int64_t{keep ? 1 : 0}}});
}

TensorId squares(GraphEditor& editor, const Node& node, TensorId x) {
  return editor.step("Mul", node.name + ".squares", {x, x}, editor.shape(x));
}

TensorId magnitudes(GraphEditor& editor, const Node& node, TensorId x) {
  return editor.step("Abs", node.name + ".magnitudes", {x}, editor.shape(x));
}

}  // namespace

void write_out_norm(GraphEditor& editor, const Node& node) {
  const TensorId x = node.inputs.at(0), result = node.outputs.at(0);
  const Shape in = editor.shape(x), out = editor.shape(result);
  std::vector<std::int64_t> axes = integers_attribute(node, "axes");
  if (axes.empty()) {
    axes.resize(in.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  const bool keep = flag_attribute(node, "keepdims");
  const TensorId terms = node.op == "ReduceL1"   ? magnitudes(editor, node, x)
                         : node.op == "ReduceL2" ? squares(editor, node, x)
                                                 : x;
  const TensorId sum = sum_over(editor, node, terms, out, axes, keep);
  const char* last = node.op == "ReduceL1" ? "Identity" : node.op == "ReduceL2" ? "Sqrt" : "Log";
  editor.node(last, node.name, {sum}, result);
}

void write_out_norm_pool(GraphEditor& editor, const Node& node) {
  const TensorId x = node.inputs.at(0), result = node.outputs.at(0);
  const Shape in = editor.shape(x), out = editor.shape(result);
  const std::int64_t order = integer_attribute(node, "p");
  if (order != 1 && order != 2) return editor.copy(node);  // the client may run it
  const bool root = order == 2;
  const TensorId terms = root ? squares(editor, node, x) : magnitudes(editor, node, x);
  TensorId sum = kNoTensor;
  if (node.op == "GlobalLpPool") {
    std::vector<std::int64_t> axes(in.size() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    sum = sum_over(editor, node, terms, out, axes, true);
  } else {
    // Writes a convolution of every channel with ones. A window that exceeds the end (ceil_mode) gets its padding
    // there.
    const Shape kernel = integers_attribute(node, "kernel_shape");
    const NodeWindow window = window_of(node, in, kernel);
    std::vector<std::int64_t> pads, ends, strides, dilations;
    for (const NodeAxis& axis : window.spatial()) {
      pads.push_back(axis.pad_begin);
      const std::int64_t reach = (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
      ends.push_back(std::max<std::int64_t>(reach - axis.input - axis.pad_begin, 0));
      strides.push_back(axis.stride);
      dilations.push_back(axis.dilation);
    }
    pads.insert(pads.end(), ends.begin(), ends.end());
    Tensor ones{{in[1], 1}, {}, false};
    ones.shape.insert(ones.shape.end(), kernel.begin(), kernel.end());
    if (element_count(ones.shape) > kMostActivation)
      refuse(node, fmt::format("its windows of shape {} on {} channels are too large; {} elements are the most",
                               graph::to_text(kernel), in[1], kMostActivation));
    ones.data.assign(static_cast<std::size_t>(element_count(ones.shape)), 1.0);
    const TensorId weights = editor.constant(node.name + ".ones", std::move(ones));
    sum = editor.step("Conv", node.name + ".sum", {terms, weights}, out,
                      {{"group", in[1]}, {"pads", pads}, {"strides", strides}, {"dilations", dilations}});
  }
  editor.node(root ? "Sqrt" : "Identity", node.name, {sum}, result);
}

}  // namespace tacit::graph::passes
