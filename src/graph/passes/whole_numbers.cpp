#include "graph/passes/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/operator_kind.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

bool all_whole(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return number == std::floor(number); });
}

/// True for operators that make whole numbers of whole numbers. Indices and bounds among their inputs are constants.
bool keeps_whole(const Node& node) {
  static const std::set<std::string> kKeeps{"Abs",
                                            "Add",
                                            "Clip",
                                            "Conv",
                                            "CumSum",
                                            "Gemm",
                                            "MatMul",
                                            "Max",
                                            "MaxPool",
                                            "Min",
                                            "Mul",
                                            "Neg",
                                            "ReduceL1",
                                            "ReduceMax",
                                            "ReduceMin",
                                            "ReduceProd",
                                            "Relu",
                                            "ReduceSum",
                                            "ReduceSumSquare",
                                            "Sub",
                                            "Sum",
                                            "Where",
                                            "GlobalMaxPool"};
  if (node.op == "Gemm")
    return real_attribute(node, "alpha") == std::floor(real_attribute(node, "alpha")) &&
           real_attribute(node, "beta") == std::floor(real_attribute(node, "beta"));
  return kKeeps.contains(node.op) || (is(node.op, Class::movement) && !node.op.starts_with("ai.onnx.ml."));
}

}  // namespace

std::vector<char> whole_tensors(const Graph& graph) {
  std::vector<char> whole(graph.tensors.size(), 0);
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const TensorInfo& info = graph.tensors[id];
    if (info.text) continue;
    whole[id] = info.integral || (graph.is_constant(id) && all_whole(graph.constant(id).data)) ? 1 : 0;
  }
  for (const Node& node : graph.nodes) {
    const auto operand = [&](TensorId id) { return id == kNoTensor || whole[id] != 0; };
    const bool operands = std::ranges::all_of(node.inputs, operand);
    bool makes = is(node.op, Class::step) || ((keeps_whole(node) || is(node.op, Class::cast)) && operands);
    const bool sums_leaves =
        node.op == "ai.onnx.ml.TreeEnsembleRegressor" && text_attribute(node, "post_transform") == "NONE";
    if (sums_leaves) {
      const auto reals = [&](const char* name) { return all_whole(reals_attribute(node, name)); };
      makes = reals("target_weights") && reals("base_values") && text_attribute(node, "aggregate_function") == "SUM";
    }
    if (node.op == kTreeScoresOp) makes = has_whole_scores(tree_ensemble(node));
    if (!makes) continue;
    for (const TensorId id : node.outputs)
      if (id != kNoTensor && !graph.tensors[id].text) whole[id] = 1;
  }
  return whole;
}

Graph round_whole_casts(const Graph& graph) {
  const std::vector<char> whole = whole_tensors(graph);
  const auto needs_round = [&](const Node& node) {
    if (node.op != "Cast" || node.inputs.empty() || casts_to_real(node) || casts_to_boolean(node)) return false;
    const TensorInfo& from = graph.tensors[node.inputs[0]];
    return !from.integral && !from.text && whole[node.inputs[0]] != 0 && graph.tensors[node.outputs[0]].integral;
  };
  if (std::ranges::none_of(graph.nodes, needs_round)) return graph;
  Graph result = graph;
  result.nodes.clear();
  GraphEditor editor(result);
  for (Node node : graph.nodes) {
    if (needs_round(node))
      node.inputs[0] = editor.step("Round", node.name + ".whole", {node.inputs[0]}, editor.shape(node.inputs[0]));
    editor.copy(std::move(node));
  }
  return result;
}

}  // namespace tacit::graph::passes
