#include "graph/onnx/batch_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/attribute.h"

namespace tacit::graph::onnx {
namespace {

using Axes = std::vector<std::size_t>;

/// Axes along which a node that keeps its operand's shape computes.
Axes computed_axes(const Graph& graph, const Node& node, std::size_t rank) {
  static const std::set<std::string> kAlongOne{"Softmax", "LogSoftmax", "Hardmax", "LpNormalization", "TopK"};
  static const std::set<std::string> kFromOne{"LayerNormalization", "RMSNormalization"};
  Axes axes;
  if (kAlongOne.contains(node.op)) axes.push_back(normal_axis(node, integer_attribute(node, "axis", -1), rank));
  if (kFromOne.contains(node.op))
    for (std::size_t k = normal_axis(node, integer_attribute(node, "axis", -1), rank); k < rank; ++k) axes.push_back(k);
  if (node.op == "MeanVarianceNormalization")
    for (const std::int64_t axis : integers_attribute(node, "axes", {0, 2, 3}))
      axes.push_back(normal_axis(node, axis, rank));
  if (node.op == "CumSum" && graph.is_constant(node.inputs.at(1)))
    axes.push_back(normal_axis(node, static_cast<std::int64_t>(graph.constant(node.inputs[1]).data.at(0)), rank));
  return axes;
}

class Rows {
 public:
  Rows(const Graph& one, const Graph& several) : one_(one), several_(several) {
    for (TensorId id = 0; id < several.tensors.size(); ++id) several_ids_[several.tensors[id].name] = id;
  }

  /// The axes of a tensor that grow with the batch; none for a tensor that `several` holds in another form.
  std::optional<Axes> batch_axes(TensorId id) const {
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

  bool mixes(const Node& node) const {
    bool grows = false;
    for (const TensorId id : node.inputs) {
      const std::optional<Axes> axes = id == kNoTensor ? std::nullopt : batch_axes(id);
      grows = grows || (axes && !axes->empty());
    }
    // A Reshape to a constant batch of 1 is an exporter's: the model holds one row, and no other.
    if (!grows || node.op == "Reshape") return false;
    for (const TensorId id : node.outputs) {
      const std::optional<Axes> axes = id == kNoTensor ? std::nullopt : batch_axes(id);
      if (axes && axes->size() != 1) return true;  // of every row one number, or of every two rows
    }
    const TensorId operand = node.inputs.at(0);
    const std::optional<Axes> axes = operand == kNoTensor ? std::nullopt : batch_axes(operand);
    if (!axes) return false;
    const Axes along = computed_axes(one_, node, one_.tensors[operand].shape.size());
    return std::any_of(axes->begin(), axes->end(),
                       [&](std::size_t axis) { return std::find(along.begin(), along.end(), axis) != along.end(); });
  }

 private:
  const Graph& one_;
  const Graph& several_;
  std::map<std::string, TensorId> several_ids_;
};

}  // namespace

void check_rows_are_apart(const Graph& one, const Graph& several) {
  const Rows rows(one, several);
  for (const Node& node : one.nodes)
    if (rows.mixes(node))
      refuse(node,
             "it mixes the rows of a batch, and inputs are run one row at a time; export the model with a fixed "
             "batch, which is then encrypted as a whole");
}

}  // namespace tacit::graph::onnx
