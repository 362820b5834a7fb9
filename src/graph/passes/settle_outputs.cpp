#include "graph/passes/settle_outputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/client_guards.h"
#include "graph/declaration.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph::passes {
namespace {

/// What noise does to a tensor of the client's part.
struct Noise {
  bool moves = false;    ///< a real number that moves with the decrypted ones
  bool bent = false;     ///< by more than a factor
  bool decided = false;  ///< it became a whole number or a truth value on its way
};

/// Whether the outputs of an operator move as its noisy inputs do, up to a factor.
bool is_straight(const Graph& graph, const Node& node) {
  static const std::set<std::string> sums{"Add", "Sub", "Neg", "Sum", "Gemm", "MatMul", "ReduceSum", "ReduceMean"};
  if (node.op == "Mul" || node.op == "Div")
    return std::ranges::any_of(node.inputs, [&](TensorId id) { return graph.is_constant(id); });
  return sums.contains(node.op) || is(node.op, Class::movement);
}

/// Whether an operator names a largest number.
bool chooses(const Node& node) {
  return node.op == "ArgMax" || node.op == "ArgMin" || node.op == "TopK" || node.op.starts_with("ai.onnx.ml.") ||
         (node.op.starts_with("tacit.") && !is_guard(node.op));
}

std::vector<Noise> noise_of(const Graph& graph, std::size_t exact) {
  std::vector<Noise> noise(graph.tensors.size());
  for (std::size_t i = 0; i + exact < graph.inputs.size(); ++i) {
    const TensorInfo& info = graph.tensors[graph.inputs[i]];
    noise[graph.inputs[i]].moves = !info.integral && !info.text;
  }
  for (const Node& node : graph.nodes) {
    Noise read;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      read.moves = read.moves || noise[id].moves;
      read.bent = read.bent || noise[id].bent;
      read.decided = read.decided || noise[id].decided;
    }
    for (const TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      const TensorInfo& info = graph.tensors[id];
      noise[id].moves = read.moves && !info.integral && !info.text;
      noise[id].bent = read.moves && (read.bent || !is_straight(graph, node));
      noise[id].decided = ((read.moves && info.integral) || read.decided) && !info.text && !chooses(node);
    }
  }
  return noise;
}

}  // namespace

Graph settle_outputs(Graph after, std::size_t kept) {
  const std::vector<Noise> noise = noise_of(after, kept);
  std::map<TensorId, TensorId> settled;
  for (TensorId& id : after.outputs) {
    const Noise& of = noise[id];
    if (!((of.moves && of.bent) || of.decided)) continue;
    const auto [found, added] = settled.emplace(id, kNoTensor);
    if (added) {
      GraphEditor editor(after);
      const TensorInfo info = after.tensors[id];
      found->second = editor.step(std::string(kSettledOp), info.name, {id}, info.shape, {{"source", info.name}});
      TensorInfo& made = after.tensors[found->second];
      made.rounding = info.rounding;
      made.integral = info.integral;
      made.integers = info.integers;
      std::swap(made.name, after.tensors[id].name);
    }
    id = found->second;
  }
  return after;
}

}  // namespace tacit::graph::passes
