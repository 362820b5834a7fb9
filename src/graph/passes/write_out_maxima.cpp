#include "graph/passes/write_out_maxima.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/links.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/written_out.h"
#include "graph/prune.h"
#include "graph/reference/broadcast.h"
#include "graph/window.h"

namespace tacit::graph::passes {
namespace {

/// Writes maxima, or minima, of two tensors as (a + b) / 2 plus, or minus, |a - b| / 2.
class Extremes : NodeSteps {
 public:
  Extremes(GraphEditor& editor, const Node& node, bool largest)
      : NodeSteps(editor, node), half_(editor.constant(node.name + ".half", {{}, {0.5}, false})), largest_(largest) {}

  TensorId of(TensorId a, TensorId b, Shape shape) {
    const TensorId difference = step("Sub", {a, b}, shape), sum = step("Add", {a, b}, shape);
    const TensorId distance = step("Abs", {difference}, shape);
    const TensorId twice = step(largest_ ? "Add" : "Sub", {sum, distance}, shape);
    return step("Mul", {twice, half_}, shape);
  }

  /// Returns the extreme of tensors that broadcast. They are compared in pairs, so that n tensors take log2 n rounds.
  TensorId of_all(std::vector<TensorId> tensors) {
    while (tensors.size() > 1) {
      std::vector<TensorId> fewer;
      for (std::size_t i = 0; i + 1 < tensors.size(); i += 2)
        fewer.push_back(
            of(tensors[i], tensors[i + 1],
               reference::broadcast_shape(editor_.shape(tensors[i]), editor_.shape(tensors[i + 1])).value()));
      if (tensors.size() % 2 == 1) fewer.push_back(tensors.back());
      tensors = std::move(fewer);
    }
    return tensors.front();
  }

  /// Returns the extreme along an axis, which stays with extent 1. It compares two halves, again and again. The halves
  /// of an odd extent share an element, which changes no extreme.
  TensorId over_axis(TensorId x, std::size_t axis) {
    while (editor_.shape(x)[axis] > 1) {
      const std::int64_t extent = editor_.shape(x)[axis], half = (extent + 1) / 2;
      Shape first, second;
      for (std::int64_t i = 0; i < half; ++i) {
        first.push_back(i);
        second.push_back(extent - half + i);
      }
      const TensorId low = taken(x, axis, first), high = taken(x, axis, second);
      x = of(low, high, editor_.shape(low));
    }
    return x;
  }

  using NodeSteps::taken;

 private:
  TensorId half_;
  bool largest_;
};

/// Returns for every output position of an axis the index that tap `tap` of its window reads. If it is outside the
/// input, returns the nearest index inside that another tap of the window reads.
Shape indices_of_tap(const Node& node, const NodeAxis& axis, std::int64_t tap) {
  Shape indices;
  for (std::int64_t position = 0; position < axis.output; ++position) {
    const Taps inside = taps(axis, position, axis.input);
    if (inside.empty()) refuse(node, "a window lies in the padding altogether");
    indices.push_back(inside.start + std::clamp(tap, inside.first, inside.last - 1) * axis.dilation);
  }
  return indices;
}

void write_out_extremes(GraphEditor& editor, const Node& node) {
  const auto encrypted = std::ranges::count_if(node.inputs, [&](TensorId id) { return !editor.is_constant(id); });
  const bool by_element = std::ranges::any_of(
      node.inputs, [&](TensorId id) { return editor.is_constant(id) && element_count(editor.shape(id)) > 1; });
  if (encrypted < 2 && !by_element) return editor.copy(node);  // a function of one variable
  const TensorId result = node.outputs.at(0);
  Extremes extremes(editor, node, node.op == "Max");
  editor.node("Identity", node.name, {extremes.of_all(node.inputs)}, result);
}

void write_out_pool(GraphEditor& editor, const Node& node) {
  if (node.outputs.size() > 1) return editor.copy(node);  // positions of maxima have no encrypted form
  TensorId x = node.inputs.at(0);
  const Shape in = editor.shape(x);
  Extremes extremes(editor, node, true);
  if (node.op == "GlobalMaxPool") {
    for (std::size_t axis = 2; axis < in.size(); ++axis) x = extremes.over_axis(x, axis);
  } else {
    const NodeWindow window = window_of(node, in, integers_attribute(node, "kernel_shape"));
    // The last axis comes first, because its taps are side by side.
    for (std::size_t axis = in.size(); axis-- > 2;) {
      const NodeAxis& along = window.spatial()[axis - 2];
      std::vector<TensorId> taps;
      for (std::int64_t tap = 0; tap < along.kernel; ++tap)
        taps.push_back(extremes.taken(x, axis, indices_of_tap(node, along, tap)));
      x = extremes.of_all(std::move(taps));
    }
  }
  editor.node("Identity", node.name, {x}, node.outputs.at(0));
}

void write_out_reduction(GraphEditor& editor, const Node& node) {
  TensorId x = node.inputs.at(0);
  const Shape in = editor.shape(x);
  std::vector<std::int64_t> axes = integers_attribute(node, "axes");
  if (axes.empty() && flag_attribute(node, "noop_with_empty_axes")) return editor.copy(node);
  if (axes.empty())
    for (std::size_t axis = 0; axis < in.size(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  Extremes extremes(editor, node, node.op == "ReduceMax");
  for (const std::int64_t axis : axes) x = extremes.over_axis(x, normal_axis(node, axis, in.size()));
  const Shape out = editor.shape(node.outputs.at(0));
  std::vector<double> extents(out.begin(), out.end());
  const TensorId shape =
      editor.constant(node.name + ".shape", {{static_cast<std::int64_t>(out.size())}, std::move(extents), true});
  editor.node("Reshape", node.name, {x, shape}, node.outputs.at(0));
}

/// The tensors of which the elements of a tensor are functions, element by element.
class Origins {
 public:
  explicit Origins(const Graph& graph) : graph_(graph), links_(graph) {}

  /// True if both operands of a node are functions of one tensor. The node then belongs to a function of one variable.
  bool one_variable(const Node& node) {
    std::set<TensorId> all;
    for (const TensorId id : node.inputs)
      if (id != kNoTensor && !graph_.is_constant(id)) all.insert(of(id).begin(), of(id).end());
    return all.size() == 1;
  }

 private:
  const std::set<TensorId>& of(TensorId id) {
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    std::set<TensorId> result;
    const Node* node = links_.makers[id] ? &graph_.nodes[*links_.makers[id]] : nullptr;
    const Operator* op = node == nullptr ? nullptr : find_operator(node->op);
    const bool by_element = op != nullptr && !op->has(kByChannel) &&
                            (op->is == Class::function || op->is == Class::arithmetic || op->is == Class::extreme ||
                             op->name == "Pow" || op->name == "Identity") &&
                            std::ranges::all_of(node->inputs, [&](TensorId input) {
                              return input == kNoTensor || (graph_.is_constant(input) && scalar(input)) ||
                                     graph_.tensors[input].shape == graph_.tensors[id].shape;
                            });
    if (!by_element) {
      result.insert(id);
    } else {
      for (const TensorId input : node->inputs)
        if (input != kNoTensor && !graph_.is_constant(input)) result.insert(of(input).begin(), of(input).end());
    }
    return known_[id] = std::move(result);
  }
  bool scalar(TensorId id) const { return element_count(graph_.tensors[id].shape) == 1; }

  const Graph& graph_;
  const Links links_;
  std::map<TensorId, std::set<TensorId>> known_;
};

/// Chains of Max, or of Min. Exporters write one pair after the other, which becomes one extreme of all.
class Chains {
 public:
  explicit Chains(const Graph& graph) : graph_(graph), links_(graph) {}

  /// True if a node is a link of another node's chain: only that node reads it, and it compares encrypted values.
  bool is_link(const Node& node) const {
    if (node.op != "Max" && node.op != "Min") return false;
    const TensorId made = node.outputs.at(0);
    const auto encrypted = std::ranges::count_if(node.inputs, [&](TensorId id) { return !graph_.is_constant(id); });
    return encrypted > 1 && links_.readers[made].size() == 1 && graph_.nodes[links_.readers[made][0]].op == node.op &&
           std::ranges::find(graph_.outputs, made) == graph_.outputs.end();
  }

  /// Returns the tensors that the chain that ends in a node compares.
  std::vector<TensorId> operands(const Node& node) const {
    std::vector<TensorId> result, pending(node.inputs.rbegin(), node.inputs.rend());
    while (!pending.empty()) {
      const TensorId id = pending.back();
      pending.pop_back();
      const Node* maker = links_.makers[id] ? &graph_.nodes[*links_.makers[id]] : nullptr;
      if (maker != nullptr && maker->op == node.op && is_link(*maker))
        pending.insert(pending.end(), maker->inputs.rbegin(), maker->inputs.rend());
      else
        result.push_back(id);
    }
    return result;
  }

 private:
  const Graph& graph_;
  const Links links_;
};

}  // namespace

Graph write_out_maxima(const Graph& graph) {
  static const std::map<std::string, void (*)(GraphEditor&, const Node&)> kWriters{
      {"CumSum", write_out_running_sum},
      {"Div", write_out_quotient},
      {"GlobalMaxPool", write_out_pool},
      {"GroupNormalization", write_out_group_normalisation},
      {"InstanceNormalization", write_out_group_normalisation},
      {"LayerNormalization", write_out_layer_normalisation},
      {"LogSoftmax", write_out_log_sum},
      {"LpNormalization", write_out_length_normalisation},
      {"Max", write_out_extremes},
      {"MaxPool", write_out_pool},
      {"MeanVarianceNormalization", write_out_moments},
      {"Min", write_out_extremes},
      {"RMSNormalization", write_out_layer_normalisation},
      {"ReduceLogSumExp", write_out_log_sum},
      {"ReduceMax", write_out_reduction},
      {"ReduceMin", write_out_reduction},
      {"Softmax", write_out_log_sum},
  };
  Graph result = graph;
  result.nodes.clear();
  GraphEditor editor(result);
  Origins origins(graph);
  const Chains chains(graph);
  for (Node node : graph.nodes) {
    if (chains.is_link(node)) continue;
    if (node.op == "Max" || node.op == "Min") node.inputs = chains.operands(node);
    const auto writer = kWriters.find(node.op);
    // Integers have no halves.
    if (writer == kWriters.end() || editor.is_integral(node.outputs.at(0)) ||
        (node.op == "Div" && origins.one_variable(node))) {
      editor.copy(node);
    } else {
      writer->second(editor, node);
    }
  }
  drop_unread(result);
  return result;
}

}  // namespace tacit::graph::passes
