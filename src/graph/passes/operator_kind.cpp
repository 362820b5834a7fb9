#include "graph/passes/operator_kind.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/attribute.h"
#include "graph/passes/linear_nodes.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::passes {
namespace {

const std::set<std::string> kUnary = {"Abs",
                                      "Asinh",
                                      "Atan",
                                      "Celu",
                                      "Clip",
                                      "Cos",
                                      "Cosh",
                                      "Elu",
                                      "Erf",
                                      "Exp",
                                      "Gelu",
                                      "HardSigmoid",
                                      "HardSwish",
                                      "LeakyRelu",
                                      "Log",
                                      "Mish",
                                      "PRelu",
                                      "Reciprocal",
                                      "Relu",
                                      "Selu",
                                      "Shrink",
                                      "Sigmoid",
                                      "Sin",
                                      "Sinh",
                                      "Softplus",
                                      "Softsign",
                                      "Sqrt",
                                      "Swish",
                                      "Tan",
                                      "Tanh",
                                      "ThresholdedRelu",
                                      "Acos",
                                      "Acosh",
                                      "Asin",
                                      "Atanh"};
/// Functions with jumps: a polynomial stands for them nowhere near.
const std::set<std::string> kSteps = {"Ceil", "Floor", "Round", "Sign"};
const std::set<std::string> kExtremes = {"Max", "Min"};
const std::set<std::string> kArithmetic = {
    "Add", "Sub", "Mul", "Div", "Sum", "Mean", "Neg", "BatchNormalization", "ai.onnx.ml.Scaler"};
const std::set<std::string> kMovement = {"Concat",
                                         "DepthToSpace",
                                         "Dropout",
                                         "Expand",
                                         "Flatten",
                                         "Gather",
                                         "Identity",
                                         "Pad",
                                         "Reshape",
                                         "Slice",
                                         "SpaceToDepth",
                                         "Split",
                                         "Squeeze",
                                         "Tile",
                                         "Transpose",
                                         "Unsqueeze",
                                         "GatherND",
                                         "ai.onnx.ml.ArrayFeatureExtractor",
                                         "ai.onnx.ml.FeatureVectorizer",
                                         "Trilu"};

bool is_scalar_constant(const Graph& graph, TensorId id) {
  return graph.is_constant(id) && graph.constant(id).size() == 1;
}

/// Products where one exponent, whole and small, is for all elements; a function where it is a scalar.
OperatorKind kind_of_power(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2 || !graph.is_constant(node.inputs[1])) return OperatorKind::none;
  const std::vector<double>& exponents = graph.constant(node.inputs[1]).data;
  if (exponents.empty() || std::ranges::any_of(exponents, [&](double e) { return e != exponents[0]; }) ||
      graph.tensors[node.inputs[0]].shape != graph.tensors[node.outputs[0]].shape)
    return OperatorKind::none;
  const double e = exponents[0];
  if (e == std::floor(e) && e >= 1 && e <= 64) return OperatorKind::product;
  return exponents.size() == 1 ? OperatorKind::function : OperatorKind::none;
}

OperatorKind kind_of_division(const Graph& graph, const Node& node, const std::vector<std::size_t>& privates) {
  if (graph.tensors[node.outputs[0]].integral) return OperatorKind::none;
  if (privates == std::vector<std::size_t>{0}) return OperatorKind::affine;
  if (privates == std::vector<std::size_t>{1} && is_scalar_constant(graph, node.inputs[0]))
    return OperatorKind::function;
  return OperatorKind::none;
}

}  // namespace

std::vector<std::size_t> private_inputs(const Graph& graph, const Node& node) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNoTensor && !graph.is_constant(node.inputs[i])) result.push_back(i);
  return result;
}

bool is_unary_function(const std::string& op) {
  return kUnary.contains(op) || kSteps.contains(op) || kExtremes.contains(op);
}
bool is_step(const std::string& op) { return kSteps.contains(op); }
bool jumps(const Node& node) {
  if (node.op == "ThresholdedRelu") return real_attribute(node, "alpha", 1) != 0;
  return node.op == "Shrink" && real_attribute(node, "bias", 0) != real_attribute(node, "lambd", 0.5);
}

bool is_arithmetic(const std::string& op) { return kArithmetic.contains(op); }
bool is_movement(const std::string& op) { return kMovement.contains(op); }

bool casts_to_real(const Node& node) {
  const std::int64_t type = integer_attribute(node, "to", 0);
  return type == 1 || type == 10 || type == 11 || type == 16;  // float, float16, double, bfloat16
}

bool casts_to_boolean(const Node& node) { return integer_attribute(node, "to", 0) == 9; }

OperatorKind kind_of(const Graph& graph, const Node& node, bool tables) {
  const std::vector<std::size_t> privates = private_inputs(graph, node);
  for (const std::size_t i : privates)
    if (graph.tensors[node.inputs[i]].text) return OperatorKind::none;
  const bool first_only = privates == std::vector<std::size_t>{0};
  if (node.op == kTreeScoresOp) return first_only ? OperatorKind::trees : OperatorKind::none;
  if (node.op == "Cast") return casts_to_real(node) ? OperatorKind::movement : OperatorKind::none;
  if (node.op == "Div") return kind_of_division(graph, node, privates);
  if (node.op == "Mul" && privates.size() == 2) return OperatorKind::product;
  if (node.op == "Pow") return first_only ? kind_of_power(graph, node) : OperatorKind::none;
  if (node.op == "BatchNormalization")
    return first_only && integer_attribute(node, "training_mode", 0) == 0 ? OperatorKind::affine : OperatorKind::none;
  if (is_arithmetic(node.op)) return OperatorKind::affine;
  if (node.op == "ReduceSumSquare" || node.op == "ReduceProd")
    return first_only ? OperatorKind::product : OperatorKind::none;
  if (kUnary.contains(node.op)) return first_only && !jumps(node) ? OperatorKind::function : OperatorKind::none;
  if (is_step(node.op)) return first_only && tables ? OperatorKind::function : OperatorKind::none;
  if (kExtremes.contains(node.op)) {
    const bool scalars = std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
      return !graph.is_constant(id) || is_scalar_constant(graph, id);
    });
    return privates.size() == 1 && scalars ? OperatorKind::function : OperatorKind::none;
  }
  if (is_movement(node.op)) {
    // Only Concat and its like hold elements of several operands; an index must be a constant.
    const bool several = node.op == "Concat" || node.op == "ai.onnx.ml.FeatureVectorizer";
    return several || first_only ? OperatorKind::movement : OperatorKind::none;
  }
  if (node.op == "Gemm" && privates.size() == 2 && privates[1] == 2) return OperatorKind::linear;
  if (has_linear_operator(node.op)) return privates.size() == 1 ? OperatorKind::linear : OperatorKind::none;
  return OperatorKind::none;
}

}  // namespace tacit::graph::passes
