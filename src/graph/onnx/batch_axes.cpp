#include "graph/onnx/batch_axes.h"

#include <algorithm>

#include "graph/attribute.h"
#include "graph/declaration.h"

namespace tacit::graph::onnx {
namespace {

using Axes = BatchAxes::Axes;

/// Axes along which a node that keeps its operand's shape computes.
Axes computed_axes(const Graph& graph, const Node& node, std::size_t rank) {
  Axes axes;
  if (has_trait(node.op, kAlongAxis)) axes.push_back(normal_axis(node, integer_attribute(node, "axis"), rank));
  if (has_trait(node.op, kFromAxis))
    for (std::size_t k = normal_axis(node, integer_attribute(node, "axis"), rank); k < rank; ++k) axes.push_back(k);
  if (node.op == "MeanVarianceNormalization")
    for (const std::int64_t axis : integers_attribute(node, "axes")) axes.push_back(normal_axis(node, axis, rank));
  if (node.op == "CumSum" && graph.is_constant(node.inputs.at(1)))
    axes.push_back(normal_axis(node, static_cast<std::int64_t>(graph.constant(node.inputs[1]).data.at(0)), rank));
  return axes;
}

}  // namespace

BatchAxes::BatchAxes(const Graph& one, const Graph& several) : one_(one), several_(several) {
  for (TensorId id = 0; id < several.tensors.size(); ++id) several_ids_[several.tensors[id].name] = id;
}

std::optional<Axes> BatchAxes::of(TensorId id) const {
  const auto found = several_ids_.find(one_.tensors[id].name);
  if (found == several_ids_.end()) return std::nullopt;
  const Shape& small = one_.tensors[id].shape;
  const Shape& large = several_.tensors[found->second].shape;
  if (small.size() != large.size()) return std::nullopt;
  Axes axes;
  for (std::size_t k = 0; k < small.size(); ++k)
    if (small[k] != large[k]) axes.push_back(k);
  return axes;
}

bool BatchAxes::leads(TensorId id) const {
  const std::optional<Axes> axes = of(id);
  return axes && *axes == Axes{0} && one_.tensors[id].shape[0] == 1;
}

bool BatchAxes::mixes(const Node& node) const {
  bool grows = false;
  for (const TensorId id : node.inputs) {
    const std::optional<Axes> axes = id == kNoTensor ? std::nullopt : of(id);
    grows = grows || (axes && !axes->empty());
  }
  // A Reshape to a constant batch of 1 is an exporter's: the model holds one row, and no other.
  if (!grows || node.op == "Reshape") return false;
  for (const TensorId id : node.outputs) {
    const std::optional<Axes> axes = id == kNoTensor ? std::nullopt : of(id);
    if (axes && axes->size() != 1) return true;
  }
  const TensorId operand = node.inputs.at(0);
  const std::optional<Axes> axes = operand == kNoTensor ? std::nullopt : of(operand);
  if (!axes) return false;
  const Axes along = computed_axes(one_, node, one_.tensors[operand].shape.size());
  return std::ranges::find_first_of(*axes, along) != axes->end();
}

bool BatchAxes::keeps_apart(const Node& node) const {
  std::size_t rank = 0;
  for (const TensorId id : node.outputs)
    if (id != kNoTensor) {
      if (!leads(id)) return false;
      rank = std::max(rank, one_.tensors[id].shape.size());
    }
  std::vector<std::size_t> constants;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (id == kNoTensor) continue;
    if (!one_.is_constant(id)) {
      if (!leads(id)) return false;
      continue;
    }
    constants.push_back(i);
    const auto found = several_ids_.find(one_.tensors[id].name);
    if (found == several_ids_.end() || !several_.is_constant(found->second) ||
        several_.constant(found->second).data != one_.constant(id).data)
      return false;  // made from the number of rows
  }
  const auto integers = [&](std::size_t i) -> const std::vector<double>& { return one_.constant(node.inputs[i]).data; };
  const bool one_operand = node.inputs.size() - constants.size() == 1 && !one_.is_constant(node.inputs[0]);
  const std::size_t operand_rank = one_operand ? one_.tensors[node.inputs[0]].shape.size() : 0;
  if (node.op == "MatMul") {  // batches of matrices, or rows by one matrix
    const auto matrices = [&](TensorId id) { return one_.tensors[id].shape.size() > 2; };
    return one_operand || (constants.empty() && matrices(node.inputs[0]) && matrices(node.inputs[1]));
  }
  if (node.op == "MatMulInteger" || node.op == "QLinearMatMul") return one_operand;
  if (node.op == "Gemm") return one_operand && !flag_attribute(node, "transA");
  if (node.op == "Transpose") {
    const std::vector<std::int64_t> order = integers_attribute(node, "perm");
    return !order.empty() && order[0] == 0;
  }
  if (node.op == "Concat" || node.op == "Split") return normal_axis(node, integer_attribute(node, "axis"), rank) != 0;
  if (node.op == "Gather") return one_operand && normal_axis(node, integer_attribute(node, "axis"), operand_rank) != 0;
  if (node.op == "Slice")
    return one_operand && node.inputs.size() > 3 && node.inputs[3] != kNoTensor &&
           std::none_of(integers(3).begin(), integers(3).end(),
                        [&](double axis) { return axis == 0 || axis == -static_cast<double>(operand_rank); });
  if (node.op == "Pad")
    return one_operand && node.inputs.size() == 2 && integers(1).size() == 2 * operand_rank && integers(1)[0] == 0 &&
           integers(1)[operand_rank] == 0;
  const Operator* op = find_operator(node.op);
  return op != nullptr && op->keeps_rows_apart();
}

}  // namespace tacit::graph::onnx
