#include "graph/passes/write_out_choices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "graph/attribute.h"
#include "graph/passes/write_out_softmax.h"
#include "graph/reference/broadcast.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

const Tensor kZero{{}, {0}, false}, kOne{{}, {1}, false};

/// x where the condition holds, and y elsewhere.
Tensor chosen(const Tensor& condition, const Tensor& x, const Tensor& y) {
  const Tensor* const operands[] = {&condition, &x, &y};
  return reference::evaluate(Graph{}, {"Where", "choice", {0, 1, 2}, {3}, {}}, operands).at(0);
}

bool all_finite(const Tensor& tensor) {
  return std::ranges::all_of(tensor.data, [](double x) { return std::isfinite(x); });
}

}  // namespace

/// True if a Softmax along the last axis alone reads the choice, the numbers hide what they replace, and each of its
/// rows keeps an element.
bool ChoiceWriter::only_hides(const Node& node, const Tensor& added, const Tensor& kept) const {
  const std::vector<std::size_t>& readers = links_.readers[node.outputs[0]];
  if (readers.size() != 1 || graph_.nodes[readers[0]].op != "Softmax") return false;
  const Shape& shape = graph_.tensors[node.outputs[0]].shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = integer_attribute(graph_.nodes[readers[0]], "axis");
  if ((axis != -1 && axis != rank - 1) || kept.shape.empty() || kept.shape.back() != shape.back()) return false;
  if (added.shape != kept.shape) return false;
  const auto width = static_cast<std::size_t>(shape.back());
  for (std::size_t row = 0; row < kept.data.size(); row += width) {
    const auto first = kept.data.begin() + static_cast<std::ptrdiff_t>(row);
    if (std::count(first, first + static_cast<std::ptrdiff_t>(width), 1.0) == 0) return false;
  }
  for (std::size_t e = 0; e < kept.data.size(); ++e)
    if (kept.data[e] == 0 && !(added.data[e] <= kHides)) return false;
  return true;
}

bool ChoiceWriter::write(const Node& node) {
  if (node.op != "Where" || !graph_.is_constant(node.inputs[0])) return false;
  const TensorId result = node.outputs[0];
  if (graph_.tensors[result].integral || graph_.tensors[result].text) return false;
  const bool first = graph_.is_constant(node.inputs[1]), second = graph_.is_constant(node.inputs[2]);
  if (first && second) return false;
  const Tensor& condition = graph_.constant(node.inputs[0]);
  const Shape& shape = graph_.tensors[result].shape;
  const auto times = [&](TensorId x, Tensor factor, const char* name) {
    Shape product = reference::broadcast_shape(editor_.shape(x), factor.shape).value();
    const TensorId by = editor_.constant(node.name + "." + name, std::move(factor));
    return editor_.step("Mul", node.name + "." + name + ".product", {x, by}, std::move(product));
  };
  if (!first && !second) {
    const TensorId taken = times(node.inputs[1], chosen(condition, kOne, kZero), "taken");
    const TensorId other = times(node.inputs[2], chosen(condition, kZero, kOne), "other");
    editor_.node("Add", node.name, {taken, other}, result);
    return true;
  }
  const TensorId x = node.inputs[first ? 2 : 1];
  const Tensor& constant = graph_.constant(node.inputs[first ? 1 : 2]);
  const Tensor kept = first ? chosen(condition, kZero, kOne) : chosen(condition, kOne, kZero);
  Tensor added = first ? chosen(condition, constant, kZero) : chosen(condition, kZero, constant);
  if (only_hides(node, added, kept)) {
    for (double& number : added.data) number = std::max(number, double{-std::numeric_limits<float>::max()});
    const TensorId mask = editor_.constant(node.name + ".mask", std::move(added));
    editor_.node("Add", node.name, {x, mask}, result);
    return true;
  }
  if (!all_finite(added)) return false;
  const bool zeros = std::ranges::all_of(added.data, [](double number) { return number == 0; });
  if (zeros && graph_.tensors[x].shape == shape) {
    const TensorId by = editor_.constant(node.name + ".kept", kept);
    editor_.node("Mul", node.name, {x, by}, result);
    return true;
  }
  const TensorId product = times(x, kept, "kept");
  const TensorId rest = editor_.constant(node.name + ".rest", std::move(added));
  editor_.node("Add", node.name, {product, rest}, result);
  return true;
}

}  // namespace tacit::graph::passes
