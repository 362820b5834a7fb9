#include "graph/passes/operator_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/reference/rounding.h"

namespace tacit::graph::passes {
namespace {

bool is_scalar_constant(const Graph& graph, TensorId id) {
  return graph.is_constant(id) && graph.constant(id).size() == 1;
}

/// Classifies a Pow with one constant exponent for all elements. It is a product for a small whole exponent, and a
/// function for another scalar.
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

bool multiplies_private_matrices(const Graph& graph, const Node& node) {
  const auto is_private = [&](std::size_t i) {
    return node.inputs[i] != kNoTensor && !graph.is_constant(node.inputs[i]);
  };
  return (node.op == "MatMul" || node.op == "Gemm") && is_private(0) && is_private(1);
}

bool jumps(const Node& node) {
  if (node.op == "ThresholdedRelu") return real_attribute(node, "alpha") != 0;
  return node.op == "Shrink" && real_attribute(node, "bias") != real_attribute(node, "lambd");
}

bool casts_to_real(const Node& node) { return reference::real_type(integer_attribute(node, "to")).has_value(); }

bool casts_to_boolean(const Node& node) { return integer_attribute(node, "to") == number_of(IntegerType::boolean); }

OperatorKind kind_of(const Graph& graph, const Node& node, bool tables) {
  const std::vector<std::size_t> privates = private_inputs(graph, node);
  for (const std::size_t i : privates)
    if (graph.tensors[node.inputs[i]].text) return OperatorKind::none;
  const Operator* op = find_operator(node.op);
  if (op == nullptr) return OperatorKind::none;
  const bool first_only = privates == std::vector<std::size_t>{0};
  switch (op->is) {
    case Class::function: return first_only && (tables || !jumps(node)) ? OperatorKind::function : OperatorKind::none;
    case Class::step: return first_only && tables ? OperatorKind::function : OperatorKind::none;
    case Class::extreme: {
      const bool scalars = std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
        return !graph.is_constant(id) || is_scalar_constant(graph, id);
      });
      return privates.size() == 1 && scalars ? OperatorKind::function : OperatorKind::none;
    }
    case Class::arithmetic:
      if (node.op == "Div") return kind_of_division(graph, node, privates);
      if (node.op == "Mul" && privates.size() == 2) return OperatorKind::product;
      if (node.op == "BatchNormalization")
        return first_only && !flag_attribute(node, "training_mode") ? OperatorKind::affine : OperatorKind::none;
      return OperatorKind::affine;
    case Class::product:
      if (!first_only) return OperatorKind::none;
      return node.op == "Pow" ? kind_of_power(graph, node) : OperatorKind::product;
    // Only operators that join operands hold elements of several. An index must be a constant.
    case Class::movement: return op->joins() || first_only ? OperatorKind::movement : OperatorKind::none;
    case Class::cast: return casts_to_real(node) ? OperatorKind::movement : OperatorKind::none;
    case Class::linear: {
      if (multiplies_private_matrices(graph, node)) return OperatorKind::product;
      const bool private_bias = node.op == "Gemm" && privates.size() == 2 && privates[1] == 2;
      return privates.size() == 1 || private_bias ? OperatorKind::linear : OperatorKind::none;
    }
    case Class::trees: return first_only ? OperatorKind::trees : OperatorKind::none;
    default: return OperatorKind::none;
  }
}

void refuse_operator(const Node& node, const std::string& reason, bool tables) {
  std::string message = (reason.empty() ? "this operator" : reason) + " has no encrypted form";
  if (const Operator* op = find_operator(node.op)) {
    const std::string_view on_integers = integers_form(*op);
    message += fmt::format(" here; supported: {}", tables && on_integers != kAsOnSlots ? on_integers : slots_form(*op));
  }
  refuse(node, message + "; write it in such a form, or end the model before it and compute the rest in the clear");
}

}  // namespace tacit::graph::passes
