#include "graph/passes/distance_forms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "graph/attribute.h"
#include "graph/declaration.h"

namespace tacit::graph::passes {
namespace {

/// Forms of more numbers are ignored.
constexpr std::size_t kMostDifferences = std::size_t{1} << 22;

}  // namespace

DistanceForms::DistanceForms(const Graph& graph) : graph_(graph) {
  for (const Node& node : graph.nodes) visit(node);
}

std::optional<double> DistanceForms::least(TensorId id) const {
  constexpr double kRounding = 1e-5;  // a few times that of single precision
  const auto found = forms_.find(id);
  if (found == forms_.end() || !(found->second.squares > 0)) return std::nullopt;
  const Form& form = found->second;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < form.constants.size(); ++e) {
    double norm = 0;
    for (std::size_t k = 0; k < form.extent && !form.slopes.empty(); ++k)
      norm += form.slopes[e * form.extent + k] * form.slopes[e * form.extent + k];
    const double taken = norm / (4 * form.squares), bound = form.constants[e] - taken;
    const bool distance = std::abs(bound) <= kRounding * std::max(std::abs(form.constants[e]), taken);
    least = std::min(least, distance ? 0.0 : bound);
  }
  return std::isfinite(least) ? std::optional(least) : std::nullopt;
}

std::size_t DistanceForms::elements(TensorId id) const {
  return static_cast<std::size_t>(element_count(graph_.tensors[id].shape));
}

void DistanceForms::visit(const Node& node) {
  if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs[0] == kNoTensor) return;
  const TensorId x = node.inputs[0], made = node.outputs[0];
  if (graph_.tensors[made].integral || graph_.tensors[made].text || graph_.is_constant(x)) {
    if (node.op != "Add" && node.op != "Mul" && node.op != "Sub" && node.op != "Sum") return;
  }
  const auto exponent_is_two = [&] {
    if (node.inputs.size() < 2 || node.inputs[1] == kNoTensor || !graph_.is_constant(node.inputs[1])) return false;
    const std::vector<double>& exponents = graph_.constant(node.inputs[1]).data;
    return exponents.size() == 1 && exponents[0] == 2;
  };
  if ((node.op == "Mul" && node.inputs.size() == 2 && x == node.inputs[1]) || (node.op == "Pow" && exponent_is_two())) {
    squared_[made] = x;
    return;
  }
  if (std::optional<Form> form = form_of(node)) forms_[made] = std::move(*form);
}

std::optional<DistanceForms::Form> DistanceForms::form_of(const Node& node) const {
  const TensorId x = node.inputs[0];
  const std::size_t count = elements(node.outputs[0]);
  if (count == 1 && (node.op == "ReduceSumSquare" || (node.op == "ReduceSum" && squared_.contains(x)))) {
    const TensorId base = node.op == "ReduceSumSquare" ? x : squared_.at(x);
    return Form{base, 1, elements(base), {}, {0}};
  }
  if (node.op == "Gemm" || node.op == "MatMul") return product_with_constants(node);
  if (has_trait(node.op, kKeepsOrder)) return operand(x, count);
  if ((node.op == "Add" || node.op == "Sum") && node.inputs.size() == 2) return sum(x, node.inputs[1], 1, count);
  if (node.op == "Sub") return sum(x, node.inputs[1], -1, count);
  if (node.op == "Mul" && node.inputs.size() == 2) {
    for (const auto& [of, factor] : {std::pair(x, node.inputs[1]), std::pair(node.inputs[1], x)}) {
      if (!graph_.is_constant(factor) || graph_.constant(factor).size() != 1) continue;
      std::optional<Form> form = operand(of, count);
      if (!form) return std::nullopt;
      const double by = graph_.constant(factor).data[0];
      form->squares *= by;
      for (double& slope : form->slopes) slope *= by;
      for (double& constant : form->constants) constant *= by;
      return form;
    }
  }
  return std::nullopt;
}

/// Returns the form of a product of a row and a constant matrix.
std::optional<DistanceForms::Form> DistanceForms::product_with_constants(const Node& node) const {
  const TensorId x = node.inputs[0], weights = node.inputs.size() > 1 ? node.inputs[1] : kNoTensor;
  if (weights == kNoTensor || graph_.is_constant(x) || !graph_.is_constant(weights)) return std::nullopt;
  const Tensor& matrix = graph_.constant(weights);
  const bool gemm = node.op == "Gemm";
  if (matrix.shape.size() != 2 || (gemm && flag_attribute(node, "transA"))) return std::nullopt;
  const bool transposed = gemm && flag_attribute(node, "transB");
  const double alpha = gemm ? real_attribute(node, "alpha") : 1;
  const auto rows = static_cast<std::size_t>(matrix.shape[0]), columns = static_cast<std::size_t>(matrix.shape[1]);
  const std::size_t extent = transposed ? columns : rows, count = transposed ? rows : columns;
  if (elements(x) != extent || elements(node.outputs[0]) != count || extent * count > kMostDifferences)
    return std::nullopt;
  Form form{x, 0, extent, std::vector<double>(extent * count), std::vector<double>(count, 0)};
  for (std::size_t e = 0; e < count; ++e)
    for (std::size_t k = 0; k < extent; ++k)
      form.slopes[e * extent + k] = alpha * matrix.data[transposed ? e * columns + k : k * columns + e];
  if (!gemm || node.inputs.size() < 3 || node.inputs[2] == kNoTensor) return form;
  if (!graph_.is_constant(node.inputs[2])) return std::nullopt;
  const std::vector<double>& added = graph_.constant(node.inputs[2]).data;
  if (added.size() != 1 && added.size() != count) return std::nullopt;
  for (std::size_t e = 0; e < count; ++e)
    form.constants[e] += real_attribute(node, "beta") * added[added.size() == 1 ? 0 : e];
  return form;
}

/// Returns the form of a tensor with `count` elements. A tensor of one element is repeated.
std::optional<DistanceForms::Form> DistanceForms::operand(TensorId id, std::size_t count) const {
  const auto found = forms_.find(id);
  if (found == forms_.end()) return std::nullopt;
  Form form = found->second;
  if (form.constants.size() == count) return form;
  if (form.constants.size() != 1 || form.extent * count > kMostDifferences) return std::nullopt;
  form.constants.assign(count, form.constants[0]);
  if (!form.slopes.empty()) {
    const std::vector<double> one = std::exchange(form.slopes, {});
    for (std::size_t e = 0; e < count; ++e) form.slopes.insert(form.slopes.end(), one.begin(), one.end());
  }
  return form;
}

std::optional<DistanceForms::Form> DistanceForms::sum(TensorId a, TensorId b, double sign, std::size_t count) const {
  if (graph_.is_constant(a) && graph_.is_constant(b)) return std::nullopt;
  const auto of = [&](TensorId id) -> std::optional<Form> {
    if (!graph_.is_constant(id)) return operand(id, count);
    const std::vector<double>& numbers = graph_.constant(id).data;
    if (numbers.size() != 1 && numbers.size() != count) return std::nullopt;
    Form form;
    for (std::size_t e = 0; e < count; ++e) form.constants.push_back(numbers[numbers.size() == 1 ? 0 : e]);
    return form;
  };
  std::optional<Form> left = of(a);
  const std::optional<Form> right = of(b);
  if (!left || !right) return std::nullopt;
  const bool based = left->base != kNoTensor && right->base != kNoTensor;
  if (based && left->base != right->base) return std::nullopt;
  Form form = *left;
  if (form.base == kNoTensor) {
    form.base = right->base;
    form.extent = right->extent;
  }
  form.squares += sign * right->squares;
  if (form.slopes.empty() && !right->slopes.empty()) form.slopes.assign(right->slopes.size(), 0);
  for (std::size_t i = 0; i < right->slopes.size(); ++i) form.slopes[i] += sign * right->slopes[i];
  for (std::size_t e = 0; e < count; ++e) form.constants[e] += sign * right->constants[e];
  return form;
}

}  // namespace tacit::graph::passes
